// What changed, told to every open page. A page that lost its connection names the last id it saw and is
// sent what it missed; when that is no longer held, or was another server's, it is told to ask for everything.
import type { Change } from "#lib/wire/sources-schema.ts";

// An import of 1,000 files publishes some 3,000 changes a minute; a reconnect takes 1 to 3 s.
const HELD = 1000;

export type Listener = (id: string, change: Change) => void;

export type Changes = {
  publish(change: Change): void;
  /** Sends what came after `lastEventId`, then every change; returns how to stop. */
  subscribe(lastEventId: string | null, listener: Listener): () => void;
  /** Tells every stream to end. */
  close(): void;
  /** How many streams are open, by who reads them. */
  readonly open: Map<string, number>;
  onClose(listener: () => void): () => void;
};

/** A hub; `epoch` tells the ids of this start from those of others. */
export function createChanges(epoch: string, held = HELD): Changes {
  const ring: Change[] = [];
  let count = 0;
  const listeners = new Set<Listener>();
  const closers = new Set<() => void>();
  const idOf = (n: number): string => `${epoch}-${n}`;

  return {
    open: new Map(),
    publish(change) {
      count += 1;
      ring.push(change);
      if (ring.length > held) ring.shift();
      for (const listener of listeners) listener(idOf(count), change);
    },
    subscribe(lastEventId, listener) {
      if (lastEventId !== null) {
        const seen = lastEventId.startsWith(`${epoch}-`) ? Number(lastEventId.slice(epoch.length + 1)) : Number.NaN;
        const first = count - ring.length + 1;
        if (Number.isInteger(seen) && seen >= first - 1 && seen <= count) {
          for (let n = seen + 1; n <= count; n += 1) {
            const change = ring[n - first];
            if (change) listener(idOf(n), change);
          }
        } else listener(idOf(count), { type: "resync" });
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      for (const closer of closers) closer();
      listeners.clear();
    },
    onClose(closer) {
      closers.add(closer);
      return () => closers.delete(closer);
    },
  };
}
