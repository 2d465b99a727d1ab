import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { cache } from "react";
import { artifactHistory } from "#lib/archive/sessions/artifact-lineage.ts";
import { artifactLines } from "#lib/archive/artifacts/artifact-lines.ts";
import { askJson } from "#lib/archive/artifacts/json-tree.ts";
import { showArtifact } from "#lib/archive/sessions/show-artifact.ts";
import { artifactParams } from "#lib/http/params.ts";
import { appContext } from "#lib/http/app-context.ts";
import { caller, seesArchive } from "#lib/http/caller.ts";
import { artifactHere } from "#lib/http/fleet-routing.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { ArtifactPage } from "#components/artifact/artifact-page.tsx";
import { isJson } from "#components/shared/content-kind.ts";
import { firstPages, isPlainText, LINES, linesKey } from "#components/shared/line-pages.ts";
import { ROWS, topKey } from "#components/json-tree/first-rows.ts";
import { orNotFound } from "../../or-not-found.ts";

type Query = Readonly<Record<string, string | string[] | undefined>>;
type Props = { params: Promise<{ pointer: string }>; searchParams: Promise<Query> };

// The head and the page ask for the same artifact in one request.
const artifactOf = cache((name: string) =>
  orNotFound(async () => {
    const app = appContext();
    return artifactHere(app, caller(), name, (shown) => showArtifact(app.archive, shown));
  }),
);

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const artifact = await artifactOf(await pointerOf(params));
  return { title: artifact === null ? "Artifact" : (artifact.name ?? artifact.id) };
}

export default async function Page({ params, searchParams }: Props) {
  const pointer = await pointerOf(params);
  const answers = new QueryClient();
  const artifact = await artifactOf(pointer);
  if (artifact !== null) {
    answers.setQueryData(["artifacts", "one", pointer], artifact);
    // It shows sessions of any project.
    if (seesArchive())
      answers.setQueryData(
        ["artifacts", "history", artifact.pointer],
        await artifactHistory(appContext().archive, pointer),
      );
    await addFirstLines(answers, artifact, await searchParams);
    await addFirstRows(answers, artifact, await searchParams);
  }
  return (
    <HydrationBoundary state={dehydrate(answers)}>
      <ArtifactPage pointer={pointer} />
    </HydrationBoundary>
  );
}

/** Lines of the first screen travel in the page: the text stands before any script has run. */
async function addFirstLines(answers: QueryClient, artifact: ArtifactView, query: Query): Promise<void> {
  const { pointer, digest, lineCount } = artifact;
  const line = /^[1-9]\d{0,9}$/.test(String(query["line"])) ? Number(query["line"]) : null;
  const isShown =
    query["view"] === "lines" || (query["view"] === undefined && (line !== null || isPlainText(artifact)));
  if (!isShown || !lineCount || artifact.state !== "live" || artifact.bytes === "missing") return;
  try {
    for (const page of firstPages(line === null ? null : Math.min(line, lineCount), lineCount)) {
      const request = { from: page * LINES + 1, count: LINES };
      answers.setQueryData(linesKey(digest, page), await artifactLines(appContext().archive, pointer, request));
    }
  } catch (error) {
    // Asked again, and told, in the browser.
    if (!isAppError(error)) throw error;
  }
}

/** A document of any size tells its first rows after 200 kB; a machine that is busier than that is not waited for. */
const FIRST_ROWS_MS = 300;

/** So do the first rows of a tree. */
async function addFirstRows(answers: QueryClient, artifact: ArtifactView, query: Query): Promise<void> {
  const { pointer, digest } = artifact;
  const isShown = query["view"] === "tree" || (query["view"] === undefined && query["line"] === undefined);
  if (!isShown || !isJson(artifact) || artifact.state !== "live" || artifact.bytes === "missing") return;
  try {
    const ask = { what: "rows", from: 0, count: ROWS } as const;
    const top = await askJson(appContext().archive, pointer, ask, AbortSignal.timeout(FIRST_ROWS_MS));
    answers.setQueryData(topKey(digest), top);
  } catch (error) {
    // Asked again, and told, in the browser.
    if (!isAppError(error) && !(error instanceof DOMException)) throw error;
  }
}

async function pointerOf(params: Props["params"]): Promise<string> {
  const request = artifactParams.safeParse({ pointer: decodeURIComponent((await params).pointer) });
  return request.success ? request.data.pointer : notFound();
}
