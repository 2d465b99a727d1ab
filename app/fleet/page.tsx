import { HydrationBoundary } from "@tanstack/react-query";
import { FleetPage } from "#components/fleet/fleet-page.tsx";
import { NoFleet } from "#components/fleet/no-fleet.tsx";
import { appContext } from "#lib/http/app-context.ts";
import { callerManages } from "#lib/http/caller.ts";
import { firstAnswers } from "../first-answers.ts";

export const metadata = { title: "Fleet" };

export default async function Page() {
  const { fleet } = appContext();
  const managed = callerManages();
  if (fleet === null || managed.length === 0) return <NoFleet isNode={fleet !== null} />;
  const people = { key: ["fleet", "people"], answer: async () => ({ people: await fleet.people.listPeople(managed) }) };
  return (
    <HydrationBoundary state={await firstAnswers([people])}>
      <FleetPage />
    </HydrationBoundary>
  );
}
