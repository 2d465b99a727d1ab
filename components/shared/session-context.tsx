"use client";
// What the parts of the session page share: whose session it is, where the reader is, and how to go somewhere else.
// Where the reader is changes with every scrolled row, so it lives outside React state and is subscribed to.
import { createContext, useContext, useMemo, useSyncExternalStore, type ReactNode } from "react";
import type { Span } from "./load-view.ts";
import { useEventParam } from "./url-state.ts";

export type Align = "start" | "auto";

/** The first and last event on screen. */
export type VisibleRange = { readonly first: number; readonly last: number };

/** Where a hand that drags over a chart is: the index of a call, or null when none does. */
type Dragged = { readonly call: number | null };

/** Find inside the row that is stood on: which occurrence is wanted, and what the transcript shows of them. */
export type HitsInRow = {
  /** From 0; −1 is the last. */
  readonly wanted: number;
  readonly index: number;
  readonly shown: number;
  /** More of the row's text is on its way. */
  readonly isPartial: boolean;
};

export const FIRST_HIT: HitsInRow = { wanted: 0, index: 0, shown: 0, isPartial: true };

export type Session = {
  readonly id: string;
  /** Goes to an event: scrolls there, and keeps it in the URL unless the hand still moves. */
  readonly goTo: (seq: number, options?: { align?: Align; remember?: boolean }) => void;
  readonly visible: Store<VisibleRange | null>;
  readonly dragged: Store<Dragged>;
  readonly hits: Store<HitsInRow>;
  /** The transcript lends its scrolling while it is shown. */
  readonly lendScroll: (scroll: ((seq: number, align: Align) => void) | null) => void;
};

type Store<Value> = {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  readonly subscribe: (changed: () => void) => () => void;
};

const Context = createContext<Session | null>(null);

export function SessionProvider({ id, children }: { id: string; children: ReactNode }) {
  const [, setEvent] = useEventParam();
  const session = useMemo<Session>(() => {
    const visible = storeOf<VisibleRange | null>(null, (a, b) => a?.first === b?.first && a?.last === b?.last);
    const dragged = storeOf<Dragged>({ call: null }, (a, b) => a.call === b.call);
    const hits = storeOf<HitsInRow>(
      FIRST_HIT,
      (a, b) => a.wanted === b.wanted && a.index === b.index && a.shown === b.shown && a.isPartial === b.isPartial,
    );
    const scroll = lending();
    return {
      id,
      visible,
      dragged,
      hits,
      lendScroll: scroll.lend,
      goTo: (seq, { align = "start", remember = true } = {}) => {
        scroll.use(seq, align);
        if (remember) void setEvent(seq);
      },
    };
  }, [id, setEvent]);
  return <Context value={session}>{children}</Context>;
}

export function useSession(): Session {
  const session = useContext(Context);
  if (!session) throw new Error("useSession stands outside a session page");
  return session;
}

/** Where the reader is, as it changes. */
export function useVisibleRange(): VisibleRange | null {
  const { visible } = useSession();
  return useSyncExternalStore(visible.subscribe, visible.get, () => null);
}

/** The call under a hand that drags over a chart. */
export function useDragged(): number | null {
  const { dragged } = useSession();
  return useSyncExternalStore(dragged.subscribe, dragged.get, dragged.get).call;
}

export function useHitsInRow(): HitsInRow {
  const { hits } = useSession();
  return useSyncExternalStore(hits.subscribe, hits.get, hits.get);
}

/** The calls on screen, from the events on screen. */
export const callsOnScreen = (visible: VisibleRange | null, indexOf: (seq: number) => number): Span =>
  visible === null ? { from: 0, to: 1 } : { from: indexOf(visible.first), to: indexOf(visible.last) + 1 };

type Scroll = (seq: number, align: Align) => void;

function lending() {
  let lent: Scroll | null = null;
  return {
    lend: (scroll: Scroll | null) => {
      lent = scroll;
    },
    use: (seq: number, align: Align) => lent?.(seq, align),
  };
}

function storeOf<Value>(first: Value, isSame: (a: Value, b: Value) => boolean): Store<Value> {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (value) => {
      if (isSame(current, value)) return;
      current = value;
      for (const listener of listeners) listener();
    },
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}
