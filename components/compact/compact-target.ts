"use client";
// Where the compaction would be, and what its parts need to know of the session there.
import { useRouter } from "next/navigation";
import { useCallback, useMemo } from "react";
import type { LoadCall } from "#lib/wire/load-schema.ts";
import type { LoadView } from "../shared/load-view.ts";
import { eventHref } from "../shared/load-cursor.ts";
import type { Turn } from "./compact-view.ts";

export type CompactTarget = {
  readonly session: string;
  /** The event; null for the end. */
  readonly at: number | null;
  readonly turns: readonly Turn[];
  readonly calls: readonly LoadCall[];
  readonly fullest: LoadCall | undefined;
  readonly line: number | null;
  readonly openEvent: (seq: number) => void;
};

export function useCompactTarget(session: string, at: number | null, view: LoadView | null): CompactTarget | null {
  const router = useRouter();
  const openEvent = useCallback((seq: number) => router.push(eventHref(session, seq)), [router, session]);
  return useMemo(() => {
    if (view === null) return null;
    return {
      session,
      at,
      turns: view.load.turns,
      calls: view.calls,
      fullest: view.calls[view.peakIndex],
      line: view.line,
      openEvent,
    };
  }, [session, at, view, openEvent]);
}
