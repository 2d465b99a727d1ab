// How long a tool call took: from its start to its end, without the time in which it waited for somebody to allow it. A
// person who was at lunch is no slow tool. All times are milliseconds since 1970.

export type CallTiming = {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Time of the tool; null while it runs, and where the log has no times. */
  readonly elapsedMs: number | null;
  /** Time in which it waited for an approval; null where nothing says. */
  readonly approvalWaitMs: number | null;
};

export type Span = { readonly from: number; /** Null: still waiting. */ readonly to: number | null };

export type TimedCall = {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** When it waited for an approval, in any order; spans may overlap. */
  readonly waits?: readonly Span[];
  /** What the agent's client measured of the tool itself. It knows better than we do. */
  readonly reportedMs?: number | null;
};

export function callTiming({ startedAt, endedAt, waits = [], reportedMs = null }: TimedCall): CallTiming {
  const between = startedAt === null || endedAt === null ? null : Math.max(0, endedAt - startedAt);
  const waited =
    between === null || waits.length === 0 ? null : waitedIn(waits, startedAt!, Math.max(startedAt!, endedAt!));
  const elapsedMs = reportedMs ?? (between === null ? null : between - (waited ?? 0));
  return { startedAt, endedAt, elapsedMs, approvalWaitMs: waited };
}

/** Milliseconds of a time in which at least one span lies. A span that never ends ends with the time. */
function waitedIn(waits: readonly Span[], start: number, end: number): number {
  let sum = 0;
  let until = start;
  for (const { from, to } of waits.toSorted((a, b) => a.from - b.from)) {
    const begin = Math.max(from, until);
    const stop = Math.min(to ?? end, end);
    if (stop <= begin) continue;
    sum += stop - begin;
    until = stop;
  }
  return sum;
}

type Running = { startedAt: number; waits: { from: number; to: number | null }[] };

/**
 * Takes the times of calls as they run. The same id may be used again once its call has ended; what is told of a call that
 * does not run is ignored.
 */
export class CallTimer {
  readonly #now: () => number;
  readonly #running = new Map<string, Running>();

  constructor(host: { now(): number }) {
    this.#now = () => host.now();
  }

  start(toolCallId: string): void {
    if (!this.#running.has(toolCallId)) this.#running.set(toolCallId, { startedAt: this.#now(), waits: [] });
  }

  /** Somebody is asked whether the call may go on. */
  wait(toolCallId: string): void {
    const waits = this.#running.get(toolCallId)?.waits;
    if (waits !== undefined && waits.at(-1)?.to !== null) waits.push({ from: this.#now(), to: null });
  }

  /** They answered. */
  goOn(toolCallId: string): void {
    const last = this.#running.get(toolCallId)?.waits.at(-1);
    if (last !== undefined) last.to ??= this.#now();
  }

  /** The call's times so far. Null when it does not run. */
  peek(toolCallId: string): CallTiming | null {
    const call = this.#running.get(toolCallId);
    return call === undefined ? null : callTiming({ ...call, endedAt: null });
  }

  /** The call has ended, also one that was still waiting: its approval was refused, or its turn is over. */
  end(toolCallId: string): CallTiming | null {
    const call = this.#running.get(toolCallId);
    if (call === undefined) return null;
    this.#running.delete(toolCallId);
    const { elapsedMs, approvalWaitMs, ...times } = callTiming({ ...call, endedAt: this.#now() });
    return { ...times, elapsedMs, approvalWaitMs: approvalWaitMs ?? 0 };
  }
}
