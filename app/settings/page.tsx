import { HydrationBoundary } from "@tanstack/react-query";
import { readPolicy } from "#lib/archive/settings/offload-policy.ts";
import { appContext } from "#lib/http/app-context.ts";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { firstAnswers } from "../first-answers.ts";

export const metadata = { title: "Settings" };

export default async function Page() {
  const policy = { key: ["settings", "policy"], answer: () => readPolicy(appContext().archive) };
  return (
    <HydrationBoundary state={await firstAnswers([policy])}>
      <SettingsPage archive={appContext().archive.dir} />
    </HydrationBoundary>
  );
}
