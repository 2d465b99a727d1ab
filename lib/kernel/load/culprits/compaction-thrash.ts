// Compactions that bring little: the next comes soon, the context starts high, or what was cut is read again at once.
import { frameOf, type Cut, type Frame } from "../prompt-frame.ts";
import { lastUseOf, largestOf, spanOf, sumTokens } from "./outputs.ts";
import { newPartsOf } from "./re-read.ts";
import { readAgain, type Again } from "./seen-before.ts";
import type { Detector, SessionLoadFacts, Suspect } from "./culprit-types.ts";

/** One epoch in ten lasts under 40 calls (70 compactions of real sessions). */
const SHORT_EPOCH = 40;
/** A context that starts above this share of the load line has lost most of what the compaction was for (median there: 33 %). */
const HIGH_FLOOR = 0.35;
/** Reads of files that the context had held just before, within so many calls: a third of all reads there. */
const AFTER_CALLS = 30;
const LEAST_AGAIN = 3;
/** … and of so much of the load line together: after a real compaction 8,500 tokens come back on average, 5 % of its line. */
const AGAIN_SHARE = 0.05;
const AGAIN_LEAST = 5000;

export const compactionThrash: Detector = (session) => [...readAfterCuts(session), ...highFloors(session)];

/** What was read again because a compaction had cut it. */
function readAfterCuts(session: SessionLoadFacts): Suspect[] {
  const { cuts } = frameOf(session);
  const least = Math.max(AGAIN_LEAST, AGAIN_SHARE * (session.loadLine ?? 0));
  const groups = cuts
    .map((cut) => ({ cut, found: reReadsAfter(session, cut) }))
    .filter(({ found }) => found.length >= LEAST_AGAIN && sumTokens(found.map(({ output }) => output)) >= least);
  const again = groups.flatMap(({ found }) => found);
  if (again.length === 0) return [];
  const outputs = again.map(({ output }) => output);
  const seqs = outputs.map(({ seq }) => seq);
  return [
    {
      detector: "compaction-thrash",
      seq: groups[0]!.cut.seq,
      seqs,
      label: `${again.length} re-reads after ${groups.length === 1 ? "compaction" : `${groups.length} compactions`}`,
      toolName: largestOf(outputs).item.toolName,
      ...spanOf(outputs),
      tokens: sumTokens(outputs),
      // The files may have been needed again: what is waste is that all of them came back whole.
      confidence: 0.5,
      lastUsed: lastUseOf(outputs),
      fix: "Name these files when you compact, or offload them",
      cure: { do: "trim", seqs, keep: newPartsOf(again) },
    },
  ];
}

/** Readings soon after a cut of what had been in the context until then. */
export function reReadsAfter(session: SessionLoadFacts, { seq, after, end }: Cut): readonly Again[] {
  const until = Math.min(end, after + AFTER_CALLS);
  return readAgain(
    session,
    (earlier, now) => earlier.from < after && earlier.to === after && now.from > after && now.from <= until,
    seq,
  );
}

/** Runs of compactions close to each other, whose context starts high because so much is attached again. */
function highFloors(session: SessionLoadFacts): Suspect[] {
  const { loadLine } = session;
  const frame = frameOf(session);
  if (loadLine === null) return [];
  const system = frame.calls.reduce(
    (least, { prefix, hasUsage }) => (hasUsage ? Math.min(least, prefix) : least),
    Infinity,
  );
  const high = frame.cuts.filter((cut) => floorOf(frame, cut) > HIGH_FLOOR * loadLine && isShort(frame, cut));
  const attached = high.map(({ after }) => (frame.calls[after]?.prefix ?? 0) - system);
  const tokens = Math.min(...attached);
  if (high.length < 2 || tokens <= 0) return [];
  return [
    {
      detector: "compaction-thrash",
      seq: high[0]!.seq,
      seqs: high.map(({ seq }) => seq),
      label: `${high.length} compactions, each starting again at ${percent(floorOf(frame, high[0]!) / loadLine)}`,
      toolName: null,
      from: high[0]!.after,
      last: high.at(-1)!.end - 1,
      tokens,
      confidence: 0.7,
      lastUsed: null,
      fix: "Attach fewer files and skills after a compaction",
      cure: { do: "prefix", tokens, from: high[0]!.after, to: high.at(-1)!.end },
    },
  ];
}

const floorOf = ({ calls }: Frame, { after }: Cut): number => calls[after]?.sum ?? 0;

/** The epoch before it or the one after it was short; the last epoch of a session is as long as it is. */
const isShort = ({ cuts, calls }: Frame, cut: Cut): boolean => {
  const i = cuts.indexOf(cut);
  const before = cut.after - (cuts[i - 1]?.after ?? 0);
  return (i > 0 && before < SHORT_EPOCH) || (cut.end < calls.length && cut.end - cut.after < SHORT_EPOCH);
};

const percent = (share: number): string => `${Math.round(share * 100)} %`;
