"use client";
// What the parts of the session page share: whose session it is, where the reader is, and how to go somewhere else.
// Where the reader is changes with every scrolled row, so it lives outside React state and is subscribed to.
import { createContext, useContext, useMemo, useSyncExternalStore, type ReactNode } from "react";
import type { Span } from "../chart/load-view.ts";
import { useEventParam } from "./url-state.ts";

export type Align = "start" | "auto";

/** The first and last event on screen. */
export type Place = { readonly first: number; readonly last: number };

export type Session = {
  readonly id: string;
  /** Goes to an event: scrolls there, and keeps it in the URL unless the hand still moves. */
  readonly goTo: (seq: number, options?: { align?: Align; remember?: boolean }) => void;
  readonly place: PlaceStore;
  /** The transcript lends its scrolling while it is shown. */
  readonly lendScroll: (scroll: ((seq: number, align: Align) => void) | null) => void;
};

type PlaceStore = {
  readonly get: () => Place | null;
  readonly set: (place: Place) => void;
  readonly subscribe: (changed: () => void) => () => void;
};

const Context = createContext<Session | null>(null);

export function SessionProvider({ id, children }: { id: string; children: ReactNode }) {
  const [, setEvent] = useEventParam();
  const session = useMemo<Session>(() => {
    const place = placeStore();
    const scroll = lending();
    return {
      id,
      place,
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
export function usePlace(): Place | null {
  const { place } = useSession();
  return useSyncExternalStore(place.subscribe, place.get, () => null);
}

/** The calls on screen, from the events on screen. */
export const callsOnScreen = (place: Place | null, indexOf: (seq: number) => number): Span =>
  place === null ? { from: 0, to: 1 } : { from: indexOf(place.first), to: indexOf(place.last) + 1 };

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

function placeStore(): PlaceStore {
  let current: Place | null = null;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set: (place) => {
      if (current?.first === place.first && current.last === place.last) return;
      current = place;
      for (const listener of listeners) listener();
    },
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}
