import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { preload } from "react-dom";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { appContext } from "#lib/http/app-context.ts";
import { caller, callerProjects } from "#lib/http/caller.ts";
import { withinProjects } from "#lib/http/fleet-projects.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { SessionPage } from "#components/session/session-page.tsx";

/** The first page of events, as the transcript asks for it. */
const FIRST_EVENTS = "events?from=1&to=100&limit=100";

type Props = {
  params: Promise<{ id: string }>;
  searchParams: Promise<{ tab?: string | string[]; event?: string | string[] }>;
};

// The page itself says its title, which changes with its tabs.
export const metadata: Metadata = { title: null };

export default async function Page({ params, searchParams }: Props) {
  const id = await idOf(params);
  const answers = new QueryClient();
  answers.setQueryData(["session", id, "summary"], await sessionOf(id));
  // The browser asks for these while it reads the scripts: they are there when the page comes alive.
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  const { tab = "transcript", event } = await searchParams;
  const parts =
    tab === "load"
      ? ["load", "ledger"]
      : tab !== "transcript"
        ? ["load"]
        : event === undefined
          ? ["outline", FIRST_EVENTS, "load"]
          : ["outline", "load"];
  for (const part of parts) preload(`${path}/${part}`, { as: "fetch", crossOrigin: "anonymous" });
  return (
    <HydrationBoundary state={dehydrate(answers)}>
      <SessionPage id={id} />
    </HydrationBoundary>
  );
}

async function idOf(params: Props["params"]): Promise<string> {
  const request = sessionParams.safeParse({ id: decodeURIComponent((await params).id) });
  return request.success ? request.data.id : notFound();
}

async function sessionOf(id: string) {
  try {
    const app = appContext();
    const opened = await app.fleet?.ensure(id, callerProjects());
    return await withinProjects(app, caller(), await showSession(app.archive, opened?.id ?? id));
  } catch (error) {
    if (isAppError(error) && error.code === "not_found") notFound();
    throw error;
  }
}
