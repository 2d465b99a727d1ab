// Thinking that is sent again with every call. A lower effort thinks less each time: half of it is what one can hope for.
import { epochsOf, frameOf } from "../prompt-frame.ts";
import type { LedgerItem } from "../ledger-types.ts";
import type { Detector, Suspect } from "./culprit-types.ts";

/** Of all that an epoch sent, reasoning took 4.9 % over 1.65 billion tokens: four times that stands out. */
const LEAST_SHARE = 0.2;
/** Half of it is taken to be avoidable. */
const HALF = 0.5;

export const reasoning: Detector = (session) => {
  const frame = frameOf(session);
  const thoughts = frame.items.filter(({ kind, seq, tokens }) => kind === "reasoning" && seq !== null && tokens > 0);
  return epochsOf(frame).flatMap(({ epoch, start, end }): Suspect[] => {
    const inEpoch = thoughts.filter(({ from }) => from >= start && from < end);
    const sent = inEpoch.reduce((sum, { tokens, from, to }) => sum + tokens * (Math.min(to, end) - from), 0);
    let all = 0;
    for (let k = start; k < end; k++) all += frame.calls[k]!.sum;
    if (inEpoch.length === 0 || sent < LEAST_SHARE * all) return [];
    const largest = inEpoch.reduce((most, one) => (one.tokens > most.tokens ? one : most));
    return [
      {
        detector: "reasoning",
        seq: largest.seq,
        seqs: inEpoch.map(({ seq }) => seq!),
        label: `Reasoning of epoch ${epoch}: ${inEpoch.length} blocks`,
        toolName: null,
        from: Math.min(...inEpoch.map(({ from }) => from)),
        last: Math.max(...inEpoch.map(({ to }) => to - 1)),
        tokens: inEpoch.reduce((sum, { tokens }) => sum + tokens, 0),
        confidence: 0.5,
        lastUsed: null,
        fix: "Lower the thinking effort, or clear old thinking",
        cure: { do: "shrink", seqs: inEpoch.map(({ seq }) => seq!), keep: capFor(inEpoch) },
      },
    ];
  });
};

/** The size that no block may pass for their sum to be HALF of what it is. */
function capFor(thoughts: readonly LedgerItem[]): number {
  const sizes = thoughts.map(({ tokens }) => tokens).toSorted((a, b) => a - b);
  let left = sizes.reduce((sum, size) => sum + size, 0) * HALF;
  for (const [i, size] of sizes.entries()) {
    const share = left / (sizes.length - i);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return sizes.at(-1) ?? 0;
}
