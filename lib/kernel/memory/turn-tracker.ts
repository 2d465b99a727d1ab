// Names turns: one processed user message is one turn. A counter that begins at 1 after every start would name a turn
// twice; so it begins behind what is on disk, archive included.
import { type RawTrace } from "./memory-types.ts";

export class TurnTracker {
  #next: number;

  /** The number of the first turn that it will name. */
  constructor(start = 1) {
    this.#next = start;
  }

  /** `turn_0001`, `turn_0002`, …; beyond 9999 the number grows. */
  nextTurnId(): string {
    return `turn_${String(this.#next++).padStart(4, "0")}`;
  }

  /** A tracker that goes on where a corpus ends. */
  static after(corpus: readonly Pick<RawTrace, "turnId">[]): TurnTracker {
    return new TurnTracker(lastTurnNumber(corpus) + 1);
  }
}

/** The largest number in names of this kind; turns that others named are no numbers. */
function lastTurnNumber(corpus: readonly Pick<RawTrace, "turnId">[]): number {
  let last = 0;
  for (const { turnId } of corpus) {
    const digits = /^turn_(\d{4,15})$/.exec(turnId ?? "")?.[1];
    if (digits !== undefined) last = Math.max(last, Number(digits));
  }
  return last;
}

/** The last seq of each turn of a corpus. */
export function lastSeqs(corpus: readonly Pick<RawTrace, "turnId" | "seq">[]): Map<string, number> {
  const last = new Map<string, number>();
  for (const { turnId, seq } of corpus) {
    if (turnId !== null && Number.isFinite(seq)) last.set(turnId, Math.max(last.get(turnId) ?? 0, seq));
  }
  return last;
}
