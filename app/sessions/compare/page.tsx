import type { Metadata } from "next";
import { showSession } from "#lib/archive/sessions/show-session.ts";
import { appContext } from "#lib/http/app-context.ts";
import { callerProjects } from "#lib/http/caller.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { ComparePage } from "#components/load/compare-loads-page.tsx";
import { shortTitle } from "#components/session/tab-title.ts";

type Query = { a?: string | string[]; b?: string | string[] };
type Props = { searchParams: Promise<Query> };

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { a, b } = await searchParams;
  const titles = (await Promise.all([a, b].map((id) => titleOf(id)))).filter((title) => title !== null);
  return { title: titles.length === 0 ? "Compare" : `${titles.join(" and ")} · Compare` };
}

/** Null for a session that was not chosen yet, or that they see none of: the page says so. */
async function titleOf(id: string | string[] | undefined): Promise<string | null> {
  if (typeof id !== "string" || id === "") return null;
  try {
    const { archive, fleet } = appContext();
    const opened = await fleet?.ensure(id, callerProjects());
    return shortTitle((await showSession(archive, opened?.id ?? id)).title);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}

export default function Page() {
  return <ComparePage />;
}
