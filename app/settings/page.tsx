import { HydrationBoundary } from "@tanstack/react-query";
import { readPolicy } from "#lib/archive/settings/offload-policy.ts";
import { appContext } from "#lib/http/app-context.ts";
import { SettingsPage } from "#components/settings/settings-page.tsx";
import { firstAnswers } from "../first-answers.ts";

export const metadata = { title: "Settings" };

export default async function Page() {
  const policy = { key: ["settings", "policy"], answer: readDefault };
  return (
    <HydrationBoundary state={await firstAnswers([policy])}>
      <SettingsPage archive={appContext().archive.dir} />
    </HydrationBoundary>
  );
}

/** Of the fleet, where this server is a node of one. */
async function readDefault() {
  const { fleet, archive } = appContext();
  return fleet?.defaults.policy() ?? readPolicy(archive);
}
