// Compactions that bring little: the next comes soon, the context starts high, or what was cut is read again at once.
import { frameOf, type Cut, type Frame } from "../frame.ts";
import { lastUseOf, largestOf, outputsOf, spanOf, sumTokens, type Output } from "./outputs.ts";
import type { Detector, SessionLoadFacts, Suspect } from "./types.ts";

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

export const compactionThrash: Detector = (session) => [...readAgain(session), ...highFloors(session)];

/** What was read again because a compaction had cut it. */
function readAgain(session: SessionLoadFacts): Suspect[] {
  const outputs = outputsOf(session).filter(({ path, isError, writes }) => path !== null && !isError && !writes);
  const { cuts } = frameOf(session);
  const least = Math.max(AGAIN_LEAST, AGAIN_SHARE * (session.loadLine ?? 0));
  const groups = cuts
    .map((cut) => ({ cut, found: againAfter(cut, outputs, least) }))
    .filter(({ found }) => found.length > 0);
  const again = groups.flatMap(({ found }) => found);
  if (again.length === 0) return [];
  const compactions = groups.length === 1 ? "a compaction" : `${groups.length} compactions`;
  return [
    {
      detector: "compaction-thrash",
      seq: groups[0]!.cut.seq,
      seqs: again.map(({ seq }) => seq),
      label: `${again.length} reads of what ${compactions} cut`,
      toolName: largestOf(again).item.toolName,
      ...spanOf(again),
      tokens: sumTokens(again),
      // The files may have been needed again: what is waste is that all of them came back whole.
      confidence: 0.5,
      lastUsed: lastUseOf(again),
      fix: "Offload: an envelope stays",
      cure: { do: "omit", seqs: again.map(({ seq }) => seq) },
    },
  ];
}

/** Reads of a file soon after a cut that had been read before it; none when they are too few to be a pattern. */
function againAfter({ after, end }: Cut, outputs: readonly Output[], least: number): Output[] {
  const held = new Set(outputs.filter(({ from, to }) => from < after && to === after).map(({ path }) => path));
  const until = Math.min(end, after + AFTER_CALLS);
  const found = outputs.filter(({ from, path }) => from > after && from <= until && held.has(path));
  return found.length >= LEAST_AGAIN && sumTokens(found) >= least ? found : [];
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
      fix: "Attach less again after a compaction",
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
