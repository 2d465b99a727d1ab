// What the tests of the executor share: a clock that moves when it is told to, and a store that shows what it holds.
import type { ArtifactBackend, OutputToStore, StoreOutcome } from "./artifact-backend.ts";
import type { ExecutorHost } from "./bounded-tool-executor.ts";

export type TestHost = ExecutorHost & {
  /** Moves the clock; timers run at their time, and what waits on them runs before the clock goes on. */
  advance(ms: number): Promise<void>;
};

export function testHost(start = 1_700_000_000_000): TestHost {
  let time = start;
  let id = 0;
  const timers = new Set<{ at: number; f: () => void }>();
  return {
    now: () => time,
    newId: () => `id-${++id}`,
    after(ms, f) {
      const timer = { at: time + ms, f };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        await settled();
        const [next] = [...timers].filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        time = Math.max(time, next.at);
        timers.delete(next);
        next.f();
      }
      time = end;
      await settled();
    },
  };
}

/** After every promise that was ready, and those that they made ready. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export type TestBackend = ArtifactBackend & { readonly stored: OutputToStore[] };

/** A store that keeps outputs in a list after `delayMs`, when it is still allowed to. */
export function testBackend(host: ExecutorHost, delayMs = 0): TestBackend {
  const stored: OutputToStore[] = [];
  const store = async (output: OutputToStore, mayCommit: () => boolean): Promise<StoreOutcome> => {
    if (delayMs > 0) await new Promise<void>((resolve) => void host.after(delayMs, resolve));
    if (!mayCommit()) return { status: "failed", reason: "the turn was closed" };
    stored.push(output);
    return {
      status: "stored",
      artifactId: `art_${String(stored.length).padStart(16, "0")}`,
      pointer: `art:00000000-0000-4000-8000-${String(stored.length).padStart(12, "0")}`,
      path: null,
      createdAt: new Date(host.now()).toISOString(),
      expiresAt: null,
    };
  };
  return { stored, store };
}
