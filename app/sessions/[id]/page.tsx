import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { cookies } from "next/headers";
import { preload } from "react-dom";
import { sessionGit } from "#lib/archive/sessions/session-git.ts";
import { appContext } from "#lib/http/app-context.ts";
import { HINTS_COOKIE } from "#components/session/first-hints.ts";
import { SessionPage } from "#components/session/session-page.tsx";
import { idOf, openedSession, type SessionPageParams } from "../../opened-session.ts";

/** The first page of events, as the transcript asks for it. */
const FIRST_EVENTS = "events?from=1&to=100&limit=100";

type Props = {
  params: SessionPageParams;
  searchParams: Promise<{ tab?: string | string[]; event?: string | string[] }>;
};

/** The page itself says its title, which changes with its tabs; where no session is found, the page that says so has its own. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  await openedSession(await idOf(params));
  return { title: null };
}

export default async function Page({ params, searchParams }: Props) {
  const id = await idOf(params);
  const answers = new QueryClient();
  const session = await openedSession(id);
  if (session !== null) answers.setQueryData(["session", id, "summary"], session);
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
  // The branch stands in the head from the first byte: what is below it is not pushed when the repository has answered.
  if (tab === "load" && session !== null)
    answers.setQueryData(["session", id, "git"], await sessionGit(appContext().archive, session.id, true), {
      updatedAt: 0,
    });
  for (const part of parts) preload(`${path}/${part}`, { as: "fetch", crossOrigin: "anonymous" });
  return (
    <HydrationBoundary state={dehydrate(answers)}>
      <SessionPage id={id} hints={(await cookies()).get(HINTS_COOKIE)?.value ?? null} />
    </HydrationBoundary>
  );
}
