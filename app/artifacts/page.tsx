import { ArtifactsPage } from "../../components/artifacts-list/artifacts-page.tsx";

export const metadata = { title: "Artifacts" };

export default function Page() {
  return <ArtifactsPage />;
}
