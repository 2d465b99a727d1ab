import { ArtifactPage } from "#components/artifact/artifact-page.tsx";

export const metadata = { title: "Artifact" };

export default async function Page({ params }: { params: Promise<{ pointer: string }> }) {
  const { pointer } = await params;
  return <ArtifactPage pointer={decodeURIComponent(pointer)} />;
}
