import { HydrationBoundary } from "@tanstack/react-query";
import { cookies } from "next/headers";
import { createLoader, type SearchParams } from "nuqs/server";
import { choiceParsers, questionOf } from "#components/sessions/session-filters.ts";
import { SessionsPage } from "#components/sessions/sessions-page.tsx";
import { DENSITY_COOKIE, isCompact } from "#components/sessions/density.ts";
import { HomeAnswer } from "#components/usage/home-answer.tsx";
import { firstAnswers, firstHome, firstSessions } from "./first-answers.ts";

// The template of the layout holds for the pages below it, not for this one.
export const metadata = { title: "Sessions · Plimsoll" };

const load = createLoader(choiceParsers);

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const choices = await load(searchParams);
  const density = (await cookies()).get(DENSITY_COOKIE)?.value;
  return (
    <HydrationBoundary state={await firstAnswers([firstSessions(questionOf(choices)), firstHome])}>
      <SessionsPage isCompact={isCompact(density)} above={<HomeAnswer />} />
    </HydrationBoundary>
  );
}
