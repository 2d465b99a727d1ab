import { HydrationBoundary } from "@tanstack/react-query";
import { createLoader, type SearchParams } from "nuqs/server";
import { questionOf, sourceParsers } from "#components/sources/source-filters.ts";
import { SourcesPage } from "#components/sources/sources-page.tsx";
import { firstAnswers, firstSources } from "../first-answers.ts";

export const metadata = { title: "Sources" };

const load = createLoader(sourceParsers);

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const choices = await load(searchParams);
  return (
    <HydrationBoundary state={await firstAnswers([firstSources(questionOf(choices))])}>
      <SourcesPage />
    </HydrationBoundary>
  );
}
