import { notFound } from "next/navigation";
import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import { preload } from "react-dom";
import { showSession } from "#lib/archive/show-session.ts";
import { sessionParams } from "#lib/http/params.ts";
import { slot } from "#lib/http/slot.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { CompactPage } from "#components/compact/compact-page.tsx";

export const metadata = { title: "Compact" };

export default async function Page({ params }: { params: Promise<{ id: string }> }) {
  const asked = sessionParams.safeParse({ id: decodeURIComponent((await params).id) });
  if (!asked.success) notFound();
  const { id } = asked.data;
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

async function sessionOf(id: string) {
  try {
    return await showSession(slot().archive, id);
  } catch (error) {
    if (isAppError(error) && error.code === "not_found") notFound();
    throw error;
  }
}
