"use client";
// Compact…: a dry run of what would be kept, summarised and dropped, as the sliders move; then it is applied, and can be undone.
// A page of its own, so that the session's does not carry it.
import "../load/verdict.css";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { lazy, Suspense, useMemo } from "react";
import { memoryQuery } from "../shared/memory-queries.ts";
import { sessionQuery, useLoad } from "../shared/session-queries.ts";
import { SessionProvider, useSession } from "../shared/session-context.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { useCompactState } from "./compact-state.ts";
import { useCompactTarget } from "./compact-target.ts";
import { Done } from "./done.tsx";
import { DryRunView, ForkView } from "./dry-run.tsx";
import { SideBySide } from "./side-by-side.tsx";
import Link from "next/link";
import type { MemoryAnswer } from "#lib/wire/memory-schema.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { buttonClass } from "../ui/button.tsx";
import { formatTokens } from "../ui/format.ts";
import { Kbd } from "../ui/kbd.tsx";
import { SafeText } from "../ui/safe-text.tsx";

const CarryOnWritten = lazy(() =>
  import("./carry-on-written.tsx").then((module) => ({ default: module.CarryOnWritten })),
);

export function CompactPage({ id }: { id: string }) {
  return (
    <SessionProvider key={id} id={id}>
      <CompactView />
    </SessionProvider>
  );
}

function CompactView() {
  const { id } = useSession();
  const router = useRouter();
  const [state] = useCompactState();
  const session = useQuery(sessionQuery(id));
  const memory = useQuery(memoryQuery(id));
  const { view } = useLoad(id);
  const back = `/sessions/${encodeURIComponent(id)}?tab=memory${state.at === null ? "" : `&event=${state.at}`}`;
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: "Escape", label: "Back to the session", group: "Compact", run: () => router.push(back) }],
    [router, back],
  );
  useShortcuts(shortcuts);
  const target = useCompactTarget(id, state.at, view);
  if (session.error)
    return (
      <div className="p-6">
        <RequestFailure error={session.error} title="This session cannot be shown" />
      </div>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <CompactHead session={session.data} memory={memory.data} back={back} />
      {target === null ? (
        <div className="px-6 py-4">
          <Loading rows={8} label="Loading the session" />
        </div>
      ) : state.done !== null ? (
        <Done target={target} id={state.done} />
      ) : state.written !== null ? (
        <Suspense fallback={<Loading rows={6} label="Loading the continuation" />}>
          <CarryOnWritten session={id} id={state.written} />
        </Suspense>
      ) : state.show === "fork" ? (
        <ForkView target={target} />
      ) : state.beside ? (
        <SideBySide target={target} />
      ) : (
        <DryRunView target={target} memory={memory.data} />
      )}
    </div>
  );
}

type HeadProps = { session: SessionSummary | undefined; memory: MemoryAnswer | undefined; back: string };

/** Where this is, and that nothing is written yet. */
function CompactHead({ session, memory, back }: HeadProps) {
  const [{ at, done, show, written }] = useCompactState();
  const verb = show === "fork" ? "Fork" : show === "carry-on" || written !== null ? "Carry on" : "Compact";
  const isDryRun = done === null && written === null;
  const before = memory?.compactions.filter(({ status }) => status !== "undone").length ?? 0;
  return (
    <header className="flex min-h-13 flex-none flex-wrap items-center gap-3 border-b border-line px-6 py-2 max-md:px-4 md:flex-nowrap">
      <h1 className="flex min-w-0 items-baseline text-15 font-semibold max-sm:basis-full max-sm:flex-wrap">
        <Link href="/" className="flex-none font-normal text-ink-3 hover:text-ink max-md:hidden">
          Sessions
        </Link>
        <span className="flex-none font-normal text-ink-3 max-md:hidden">&ensp;/&ensp;</span>
        <Link
          prefetch={false}
          href={back}
          className="min-w-0 truncate font-normal text-ink-3 max-sm:line-clamp-2 max-sm:whitespace-normal hover:text-ink"
        >
          <SafeText text={session?.title || "Untitled session"} />
        </Link>
        <span className="flex-none font-normal text-ink-3">&ensp;/&ensp;</span>
        <span className="flex-none">{at === null ? `${verb} at the end` : `${verb} at event ${formatTokens(at)}`}</span>
      </h1>
      {isDryRun && <Badge>dry run</Badge>}
      <span className="flex-1" />
      {isDryRun && (
        <span className="flex-none text-12 text-ink-3 max-lg:hidden">
          {show === null ? "nothing is written until you apply" : "nothing is written yet"}
        </span>
      )}
      {before > 0 && (
        <Link prefetch={false} href={back} className={`${buttonClass("quiet", true)} max-sm:hidden`}>
          Previous compactions <span className="font-normal text-ink-3">{before}</span>
        </Link>
      )}
      {session && (
        <Link
          prefetch={false}
          href={`/sessions/${session.id}?tab=load&panel=settings`}
          title="What its agent can be given so that the context fills less"
          className={`${buttonClass("quiet", true)} max-lg:hidden`}
        >
          Agent settings
        </Link>
      )}
      <Link prefetch={false} href={back} aria-label="Back to the session">
        <Kbd>esc</Kbd>
      </Link>
    </header>
  );
}
