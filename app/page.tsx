import { SessionsPage } from "../components/sessions/sessions-page.tsx";

export const metadata = { title: "Sessions" };

export default function Page() {
  return <SessionsPage />;
}
