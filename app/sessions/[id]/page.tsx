import { SessionPage } from "#components/session/session-page.tsx";

export const metadata = { title: "Session" };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <SessionPage id={decodeURIComponent(id)} />;
}
