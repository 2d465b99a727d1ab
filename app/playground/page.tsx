import { PlaygroundPage } from "#components/playground/playground-page.tsx";

export const metadata = { title: "Playground" };

export default function Page() {
  return <PlaygroundPage />;
}
