// Many calls of one tool in a short span, each small, together large: searches file by file, pages one by one, agents side
// by side. Outputs that are large by themselves are oversized-output's.
import {
  ENVELOPE,
  fixOf,
  isRead,
  isSearch,
  isShell,
  lastUseOf,
  largestOf,
  outputsOf,
  oversizedFrom,
  spanOf,
  sumTokens,
  type Output,
} from "./outputs.ts";
import type { Detector, Suspect } from "./culprit-types.ts";

/** An agent at work calls one tool about once a call; three a call over four calls is a fan. */
const LEAST_OUTPUTS = 12;
const WITHIN_CALLS = 4;
/** A fan of one-line answers is not what fills a context. */
const LEAST_TOKENS = 8000;

export const fanOut: Detector = (session) => {
  const limit = oversizedFrom(session.loadLine);
  const byTool = Map.groupBy(
    outputsOf(session).filter(({ tokens, isError }) => tokens <= limit && !isError),
    ({ item }) => item.toolName,
  );
  return [...byTool].flatMap(([tool, outputs]) =>
    tool === null ? [] : fansOf(outputs).map((fan) => suspectOf(tool, fan)),
  );
};

/** Spans in which at least LEAST_OUTPUTS came within WITHIN_CALLS calls; spans that touch are one. */
function fansOf(outputs: readonly Output[]): Output[][] {
  const isIn = outputs.map(() => false);
  let start = 0;
  let marked = 0;
  outputs.forEach(({ from }, end) => {
    while (outputs[start]!.from <= from - WITHIN_CALLS) start++;
    if (end - start + 1 < LEAST_OUTPUTS) return;
    isIn.fill(true, Math.max(start, marked), end + 1);
    marked = end + 1;
  });
  const fans: Output[][] = [];
  outputs.forEach((output, i) => {
    if (!isIn[i]) return;
    const open = fans.at(-1);
    if (isIn[i - 1] && open?.at(-1)?.to === output.to) open.push(output);
    else fans.push([output]);
  });
  return fans.filter((fan) => fan.length >= LEAST_OUTPUTS && sumTokens(fan) >= LEAST_TOKENS);
}

function suspectOf(tool: string, fan: readonly Output[]): Suspect {
  return {
    detector: "fan-out",
    seq: largestOf(fan).seq,
    seqs: fan.map(({ seq }) => seq),
    label: `${tool} ${fan.length}× at once`,
    toolName: tool,
    ...spanOf(fan),
    tokens: sumTokens(fan),
    confidence: 0.7,
    lastUsed: lastUseOf(fan),
    fix: fixFor(tool, fan.length),
    cure: { do: "shrink", seqs: fan.map(({ seq }) => seq), keep: ENVELOPE },
  };
}

function fixFor(tool: string, times: number): string {
  if (isSearch(tool)) return `Ask once with one pattern, not ${times} times`;
  if (isRead(tool)) return `Grep first, then read the few of ${times} that match`;
  if (isShell(tool)) return `Cut what these ${times} commands print, or offload it`;
  return fixOf(`Offload what ${tool} answers, then grep`);
}
