// The same command failing again and again, with nothing changed in between: each time its output stays.
import { callAt, frameOf } from "../prompt-frame.ts";
import { fixOf, lastBefore, lastUseOf, largestOf, outputsOf, spanOf, sumTokens, type Output } from "./outputs.ts";
import type { Detector, SessionLoadFacts, Suspect } from "./culprit-types.ts";

const LEAST_TIMES = 3;

export const retryLoop: Detector = (session) => {
  const writes = [...session.facts.values()]
    .filter((facts) => facts.writes && !facts.isError)
    .map(({ seq }) => seq)
    .toSorted((a, b) => a - b);
  const loops: Output[][] = [];
  const open = new Map<string, Output[]>();
  for (const output of outputsOf(session)) {
    const key = output.inputKey ?? output.command;
    if (key === null) continue;
    const loop = open.get(key);
    const last = loop?.at(-1);
    if (!output.isError) open.delete(key);
    else if (loop === undefined || last === undefined || lastBefore(writes, output.seq) > last.seq) {
      const begun = [output];
      open.set(key, begun);
      loops.push(begun);
    } else loop.push(output);
  }
  return loops.filter(({ length }) => length >= LEAST_TIMES).map((loop) => suspectOf(session, loop));
};

function suspectOf(session: SessionLoadFacts, loop: readonly Output[]): Suspect {
  const repeats = loop.slice(1);
  const largest = largestOf(repeats);
  const frame = frameOf(session);
  return {
    detector: "retry-loop",
    seq: largest.seq,
    seqs: repeats.map(({ seq }) => seq),
    label: `${largest.item.label} failed ${loop.length} times`,
    toolName: largest.item.toolName,
    ...spanOf(repeats),
    tokens: sumTokens(repeats),
    confidence: 0.9,
    lastUsed: lastUseOf(repeats),
    fix: fixOf(`Interrupt repeats of call ${callAt(frame, loop[0]!.from)}: fix the cause first`),
    cure: { do: "omit", seqs: repeats.map(({ seq }) => seq) },
  };
}
