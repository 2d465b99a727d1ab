import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { artifactHistory } from "#lib/archive/artifact-lineage.ts";
import { showArtifact } from "#lib/archive/show-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { slot } from "#lib/http/slot.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { ArtifactPage } from "#components/artifact/artifact-page.tsx";

type Props = { params: Promise<{ pointer: string }> };

// The head and the page ask for the same artifact in one request.
const artifactOf = cache(async (pointer: string) => {
  try {
    return await showArtifact(slot().archive, pointer);
  } catch (error) {
    if (isAppError(error) && error.code === "not_found") notFound();
    throw error;
  }
});

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const artifact = await artifactOf(await pointerOf(params));
  return { title: artifact.name ?? artifact.id };
}

export default async function Page({ params }: Props) {
  const pointer = await pointerOf(params);
  const answers = new QueryClient();
  const artifact = await artifactOf(pointer);
  answers.setQueryData(["artifacts", "one", pointer], artifact);
  answers.setQueryData(["artifacts", "history", artifact.pointer], await artifactHistory(slot().archive, pointer));
  return (
    <HydrationBoundary state={dehydrate(answers)}>
      <ArtifactPage pointer={pointer} />
    </HydrationBoundary>
  );
}

async function pointerOf(params: Props["params"]): Promise<string> {
  const asked = artifactParams.safeParse({ pointer: decodeURIComponent((await params).pointer) });
  return asked.success ? asked.data.pointer : notFound();
}
