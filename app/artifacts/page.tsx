import { HydrationBoundary } from "@tanstack/react-query";
import { createLoader, type SearchParams } from "nuqs/server";
import { ArtifactsPage } from "#components/artifacts-list/artifacts-page.tsx";
import { artifactParsers, questionOf } from "#components/artifacts-list/filters.ts";
import { firstAnswers, firstArtifacts } from "../first-answers.ts";

export const metadata = { title: "Artifacts" };

const load = createLoader(artifactParsers);

export default async function Page({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const choices = await load(searchParams);
  return (
    <HydrationBoundary state={await firstAnswers([firstArtifacts(questionOf(choices))])}>
      <ArtifactsPage />
    </HydrationBoundary>
  );
}
