import type { Metadata } from "next";
import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import { preload } from "react-dom";
import { shortTitle } from "#components/session/tab-title.ts";
import { CompactPage } from "#components/compact/compact-page.tsx";
import { idOf, openedSession, type SessionPageParams } from "../../../opened-session.ts";

type Props = { params: SessionPageParams };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const session = await openedSession(await idOf(params));
  return { title: session === null ? "Compact" : `${shortTitle(session.title)} · Compact` };
}

export default async function Page({ params }: Props) {
  const id = await idOf(params);
  const answers = new QueryClient();
  const session = await openedSession(id);
  if (session !== null) answers.setQueryData(["session", id, "summary"], session);
  // The browser asks for these while it reads the scripts.
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  for (const part of ["load", "memory"]) preload(`${path}/${part}`, { as: "fetch", crossOrigin: "anonymous" });
  return (
    <HydrationBoundary state={dehydrate(answers)}>
      <CompactPage id={id} />
    </HydrationBoundary>
  );
}
