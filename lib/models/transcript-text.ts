// What a model is shown of a transcript: a line of JSON for each trace, so that no text of a trace can pass for another
// trace; secrets masked before anything is cut, so that no half of one is left; the whole within a budget.
import { fail } from "#lib/kernel/errors.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { RawTrace } from "#lib/kernel/memory/memory-types.ts";
import { withoutSteering } from "./short-text.ts";
import { exactly } from "#lib/kernel/exactly.ts";

export type TranscriptText = {
  readonly text: string;
  /** Characters of traces that were not shown. */
  readonly leftOut: number;
};

/** Under this a shortened trace says nothing any more (characters). */
const LEAST_CHARS = 120;
/** What says that something is missing takes up to this. */
const MARK_CHARS = 48;
const NAME_CHARS = 100;

/** `masked` takes secrets out. Fails with `too_large` when there are more traces than can be shown. */
export function transcriptText(
  traces: readonly RawTrace[],
  masked: (text: string) => string,
  budget: number = LIMITS.modelInputChars,
): TranscriptText {
  const texts = traces.map((trace) => withoutSteering(masked(textOf(trace))));
  const cap = capFor(
    texts.map((text) => text.length),
    budget,
  );
  if (cap < LEAST_CHARS)
    fail(
      "too_large",
      `A model is shown ${exactly(budget)} characters at most; ${exactly(traces.length)} events do not fit. Compact fewer turns, or use the extractive summarizer.`,
    );
  let leftOut = 0;
  const lines = traces.map((trace, i) => {
    const whole = texts[i]!;
    const missing = whole.length <= cap ? 0 : whole.length - (cap - MARK_CHARS);
    leftOut += missing;
    return JSON.stringify({ ...headOf(trace, masked), text: missing === 0 ? whole : shortened(whole, missing) });
  });
  return { text: lines.join("\n"), leftOut };
}

function headOf(trace: RawTrace, masked: (text: string) => string): Record<string, unknown> {
  const name = (text: string): string => withoutSteering(masked(text)).slice(0, NAME_CHARS);
  const { turnId, traceType, toolName, toolError, toolResultRef, media } = trace;
  const files = (media?.images?.length ?? 0) + (media?.audio?.length ?? 0) + (media?.video?.length ?? 0);
  return {
    turn: turnId === null ? null : name(turnId),
    type: name(traceType),
    ...(toolName == null ? {} : { tool: name(toolName) }),
    ...(toolError == null ? {} : { failed: true }),
    ...(toolResultRef == null ? {} : { artifact: name(toolResultRef) }),
    ...(files === 0 ? {} : { media: files }),
  };
}

function textOf({ content, toolArgs, toolResult, toolError, traceType }: RawTrace): string {
  const parts = [
    content,
    traceType === "tool_call" && toolArgs != null ? plain(toolArgs) : "",
    toolError ?? "",
    toolResult != null ? plain(toolResult) : "",
  ];
  return [...new Set(parts.filter((part) => part !== ""))].join("\n");
}

const plain = (value: unknown): string => (typeof value === "string" ? value : jsonText(value));

/** The largest length that every text may have so that all of them fit: short ones stay whole, long ones give way. */
function capFor(lengths: readonly number[], budget: number): number {
  const sorted = lengths.toSorted((a, b) => a - b);
  let left = budget;
  for (const [i, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - i));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

/** Two thirds of its beginning and a third of its end, and how much is missing. */
function shortened(text: string, missing: number): string {
  const room = text.length - missing;
  const tail = Math.floor(room / 3);
  const mark = ` … [${missing} characters left out] … `;
  return (text.slice(0, room - tail) + mark + text.slice(text.length - tail)).toWellFormed();
}
