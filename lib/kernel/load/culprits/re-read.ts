// The same thing read again while the first copy still stood in the context. The same bytes are certain waste, lines that were
// there are waste as far as they go; a file that was changed in between was read again for a reason.
import { callAt, frameOf } from "../prompt-frame.ts";
import { fixOf, lastUseOf, largestOf, spanOf, sumTokens } from "./outputs.ts";
import { readAgain, type Again } from "./seen-before.ts";
import type { Detector, SessionLoadFacts, Suspect } from "./culprit-types.ts";

export const reRead: Detector = (session) => {
  const groups = Map.groupBy(
    reReadsIn(session),
    ({ output, isSame }) => `${isSame ? "same" : "part"} ${output.path ?? output.inputKey}`,
  );
  return [...groups.values()].map((group) => suspectOf(group, callAt(frameOf(session), group[0]!.first.from)));
};

/** Readings of what was in the prompt that asked for them, and stayed beside them. */
export const reReadsIn = (session: SessionLoadFacts): readonly Again[] =>
  readAgain(session, (earlier, now) => earlier.from < now.from && earlier.to > now.from);

function suspectOf(group: readonly Again[], firstCall: number): Suspect {
  const outputs = group.map(({ output }) => output);
  const largest = largestOf(outputs);
  const isSame = group.every((one) => one.isSame);
  const times = outputs.length === 1 ? "again" : `again ${outputs.length}×`;
  const seqs = outputs.map(({ seq }) => seq);
  return {
    detector: "re-read",
    seq: largest.seq,
    seqs,
    label: `${largest.item.label} ${times}`,
    toolName: largest.item.toolName,
    ...spanOf(outputs),
    tokens: sumTokens(outputs),
    confidence: isSame ? 1 : 0.6,
    lastUsed: lastUseOf(outputs),
    fix: fixOf(`Ask it to use what call ${firstCall} read`),
    cure: isSame ? { do: "omit", seqs } : { do: "trim", seqs, keep: newPartsOf(group) },
  };
}

/** Tokens of each that had not been there. */
export const newPartsOf = (group: readonly Again[]): number[] =>
  group.map(({ output, share }) => Math.round(output.tokens * (1 - share)));
