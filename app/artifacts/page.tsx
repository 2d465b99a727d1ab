import { HydrationBoundary } from "@tanstack/react-query";
import { createLoader, type SearchParams } from "nuqs/server";
import { readStats } from "#lib/archive/artifacts/stats.ts";
import { appContext } from "#lib/http/app-context.ts";
import { ArtifactsPage } from "#components/artifacts-list/artifacts-page.tsx";
import { artifactParsers, questionOf } from "#components/artifacts-list/artifact-filters.ts";
import { firstAnswers, firstArtifacts } from "../first-answers.ts";

export const metadata = { title: "Artifacts" };

const load = createLoader(artifactParsers);

const stats = { key: ["artifacts", "stats"], answer: () => readStats(appContext().archive) };

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const choices = await load(searchParams);
  const firsts = [firstArtifacts(questionOf(choices)), ...(appContext().fleet === null ? [stats] : [])];
  return (
    <HydrationBoundary state={await firstAnswers(firsts)}>
      <ArtifactsPage />
    </HydrationBoundary>
  );
}
