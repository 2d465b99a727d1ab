// Caches that were lost, together by cause: what to do about them is the same.
import { cacheBreaksOf, cacheLifetimeMs, type CacheBreak, type CacheBreakCause } from "../cache-breaks.ts";
import { callAt, frameOf, type Frame } from "../prompt-frame.ts";
import type { Detector, Suspect } from "./culprit-types.ts";

const LABELS: Readonly<Record<CacheBreakCause, { readonly label: string; readonly confidence: number }>> = {
  idle: { label: "Cache expired while idle", confidence: 0.95 },
  model: { label: "Cache lost on a model change", confidence: 0.95 },
  turn: { label: "Cache rebuilt at a new prompt", confidence: 0.7 },
  prefix: { label: "Cache lost on a tool change", confidence: 0.8 },
  edited: { label: "Cache lost to cleared results", confidence: 0.8 },
  unknown: { label: "Cache lost, cause unknown", confidence: 0.5 },
};

export const cacheBreak: Detector = (session) => {
  const frame = frameOf(session);
  return [...Map.groupBy(cacheBreaksOf(session), ({ cause }) => cause)].map(([cause, breaks]): Suspect => {
    const worst = breaks.reduce((most, one) => (one.tokens > most.tokens ? one : most));
    const { label, confidence } = LABELS[cause];
    return {
      detector: "cache-break",
      seq: frame.calls[worst.call]!.firstSeq,
      seqs: breaks.map(({ call }) => frame.calls[call]!.firstSeq),
      label: breaks.length === 1 ? label : `${label} (${breaks.length}×)`,
      toolName: null,
      from: breaks[0]!.call,
      last: breaks.at(-1)!.call,
      tokens: sum(breaks),
      confidence,
      lastUsed: null,
      fix: fixOf(frame, cause, worst.call),
      cure: { do: "keep-cache", calls: breaks.map(({ call }) => call) },
    };
  });
};

/** What a person can do about it. How soon is soon enough hangs on what the session paid for. */
function fixOf(frame: Frame, cause: CacheBreakCause, call: number): string {
  switch (cause) {
    case "idle":
      return idleFix(
        cacheLifetimeMs(frame.calls, call),
        frame.calls.some(({ cacheWrite }) => cacheWrite > 0),
      );
    case "model":
      return "Stay with one model within a session";
    case "turn":
      return "Put follow-ups into one prompt";
    case "prefix":
      return "Don't change tools or system prompt mid-session";
    case "edited":
      return "Clear more at once, and less often";
    case "unknown":
      return `Check what changed before call ${callAt(frame, call)}`;
  }
}

const MINUTE = 60_000;

function idleFix(lifetimeMs: number, isPaid: boolean): string {
  if (lifetimeMs >= 60 * MINUTE) return "Reply within an hour, or compact before a break";
  return isPaid
    ? "Reply within 5 minutes or use the 1-hour cache"
    : `Reply within ${Math.floor(lifetimeMs / MINUTE)} minutes: this cache lasts no longer`;
}

const sum = (breaks: readonly CacheBreak[]): number => breaks.reduce((all, { tokens }) => all + tokens, 0);
