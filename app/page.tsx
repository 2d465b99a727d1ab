import { HydrationBoundary } from "@tanstack/react-query";
import { createLoader, type SearchParams } from "nuqs/server";
import { choiceParsers, questionOf } from "#components/sessions/filters.ts";
import { SessionsPage } from "#components/sessions/sessions-page.tsx";
import { firstAnswers, firstSessions } from "./first-answers.ts";

export const metadata = { title: "Sessions" };

const load = createLoader(choiceParsers);

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const choices = await load(searchParams);
  return (
    <HydrationBoundary state={await firstAnswers([firstSessions(questionOf(choices))])}>
      <SessionsPage />
    </HydrationBoundary>
  );
}
