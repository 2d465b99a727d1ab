"use client";
// Where the reader stands on the Load tab, and the two ways to go on: to another call of the chart, or into the transcript.
import { useMemo, type MouseEvent } from "react";
import type { LoadView } from "./load-view.ts";
import { useSession } from "./session-context.tsx";
import { useCursor } from "./use-call-cursor.ts";

export type LoadCursor = {
  readonly view: LoadView;
  /** The call at the cursor, by its number. */
  readonly call: number;
  readonly index: number;
  readonly goToCall: (call: number) => void;
  readonly openEvent: (seq: number) => void;
  readonly session: string;
};

export function useLoadCursor(view: LoadView, openEvent: (seq: number) => void): LoadCursor {
  const { index } = useCursor(view, "load");
  const { id, goTo } = useSession();
  return useMemo(
    () => ({
      view,
      index,
      call: view.calls[index]?.call ?? 0,
      goToCall: (call) => {
        const found = view.calls.find((one) => one.call === call);
        if (found) goTo(found.seq);
      },
      openEvent,
      session: id,
    }),
    [view, index, goTo, openEvent, id],
  );
}

export const eventHref = (session: string, seq: number): string => `/sessions/${session}?event=${seq}`;
/** The calls that carried an event, in the inspector. */
export const lifetimeHref = (session: string, seq: number): string =>
  `/sessions/${session}?event=${seq}&inspect=lifetime`;
export const contextHref = (session: string, seq: number): string => `/sessions/${session}?tab=context&event=${seq}`;
export const loadHref = (session: string, seq: number): string => `/sessions/${session}?tab=load&event=${seq}`;
export const callHref = (session: string, call: number): string => `/sessions/${session}?tab=load&call=${call}`;

/** Where a culprit's row on Load is, by its key. */
export const culpritHref = (session: string, key: string): string =>
  `/sessions/${session}?tab=load&culprit=${encodeURIComponent(key)}`;

/** A plain click stays in the page; any other is the browser's: a new tab, a copied address. */
export const onPlainClick = (act: () => void) => (event: MouseEvent) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0) return;
  event.preventDefault();
  act();
};
