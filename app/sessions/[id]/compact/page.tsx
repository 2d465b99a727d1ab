import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import { cache } from "react";
import { preload } from "react-dom";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { appContext } from "#lib/http/app-context.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { shortTitle } from "#components/session/tab-title.ts";
import { CompactPage } from "#components/compact/compact-page.tsx";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { title } = await sessionOf(await idOf(params));
  return { title: `${shortTitle(title)} · Compact` };
}

export default async function Page({ params }: Props) {
  const id = await idOf(params);
  const answers = new QueryClient();
  answers.setQueryData(["session", id, "summary"], await sessionOf(id));
  // The browser asks for these while it reads the scripts.
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  for (const part of ["load", "memory"]) preload(`${path}/${part}`, { as: "fetch", crossOrigin: "anonymous" });
  return (
    <HydrationBoundary state={dehydrate(answers)}>
      <CompactPage id={id} />
    </HydrationBoundary>
  );
}

// The head and the page ask for the same session in one request.
const sessionOf = cache(async (id: string) => {
  try {
    return await showSession(appContext().archive, id);
  } catch (error) {
    if (isAppError(error) && error.code === "not_found") notFound();
    throw error;
  }
});

async function idOf(params: Props["params"]): Promise<string> {
  const request = sessionParams.safeParse({ id: decodeURIComponent((await params).id) });
  return request.success ? request.data.id : notFound();
}
