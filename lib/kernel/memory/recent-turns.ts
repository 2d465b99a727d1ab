// The raw tail as text, in the two ways that there are: turn by turn, as the design has it, or trace by trace, as its
// original code writes it. Arguments and results are compact JSON.
import { jsonText } from "../json-text.ts";
import { byTurn } from "./message-blocks.ts";
import type { RecentTurnsStyle } from "./compaction-policy.ts";
import { clampLine, item } from "./snapshot-text.ts";
import { buildToolInteractions } from "./tool-interactions.ts";
import type { RawTrace } from "./memory-types.ts";

export type TailOptions = {
  readonly style: RecentTurnsStyle;
  /** Characters of arguments and results; more can be had from the archive. */
  readonly maxItemChars: number;
  /** What users and agents said is clamped, too: as the second generation does. */
  readonly clampsWords?: boolean;
};

/** Lines of the tail. What models thought, and marks that agents set for themselves, are not told again. */
export function recentTurns(traces: readonly RawTrace[], options: TailOptions): string[] {
  const result = traces.filter(({ traceType }) => !LEFT_OUT.has(traceType));
  return options.style === "turns" ? turnLines(result, options) : traceLines(result, options);
}

const LEFT_OUT = new Set<string>([
  "reasoning",
  "tool_continuation",
  "operation_boundary",
  "provider_compaction_boundary",
]);

function turnLines(traces: readonly RawTrace[], options: TailOptions): string[] {
  const lines = [...byTurn(traces)].flatMap(([turnId, own]) => [
    `Turn ${turnLabel(turnId)}:`,
    ...own.map((trace) => traceOfTurn(trace, options)),
  ]);
  const outside = traces.filter(({ turnId }) => turnId === null);
  return outside.length === 0
    ? lines
    : [...lines, "Outside of any turn:", ...outside.map((trace) => traceOfTurn(trace, options))];
}

/** `turn_0012` is turn 12; other names stand as they are, on one line. */
const turnLabel = (turnId: string): string =>
  /^turn_0*(\d+)$/.exec(turnId)?.[1] ?? clampLine(turnId.replace(/\s+/g, " "), 100);

const NAMES: ReadonlyMap<string, string> = new Map([
  ["user", "User"],
  ["assistant", "Assistant"],
]);

function traceOfTurn(trace: RawTrace, { maxItemChars, clampsWords }: TailOptions): string {
  const words = clampsWords === true ? maxItemChars : Infinity;
  if (trace.traceType === "tool_call")
    return item("  Tool call: ", `${trace.toolName ?? "tool"} ${valueText(trace.toolArgs ?? {})}`, maxItemChars);
  if (trace.traceType === "tool_result")
    return trace.toolError
      ? item("  Tool error: ", trace.toolError, maxItemChars)
      : item("  Tool result: ", resultText(trace), maxItemChars);
  const name = NAMES.get(trace.traceType) ?? clampLine(trace.traceType, 40);
  return item(`  ${name}: `, `${trace.content}${mediaNote(trace)}`, words);
}

/** Interactions first, by seq, then everything else. */
function traceLines(traces: readonly RawTrace[], { maxItemChars, clampsWords }: TailOptions): string[] {
  const words = clampsWords === true ? maxItemChars : Infinity;
  // Calls without an id are plain lines in the original; paired by order they say more.
  const interactions = buildToolInteractions(traces)
    .map((one) => ({ ...one, of: (one.callTrace ?? one.resultTrace)! }))
    .toSorted((a, b) => a.of.seq - b.of.seq);
  return [
    ...interactions.map(({ of, toolName, arguments: args, status, resultTrace, error }) => {
      const query = `(${positionOf(of)}) TOOL: ${toolName ?? "tool"} ${valueText(args ?? {})}`;
      const came = status === "pending" ? "pending" : status === "error" ? error! : resultText(resultTrace!);
      return item("", `${clampLine(query, maxItemChars)} -> ${clampLine(came, maxItemChars)}`, Infinity);
    }),
    ...traces
      .filter(({ traceType }) => traceType !== "tool_call" && traceType !== "tool_result")
      .map((trace) =>
        item(`(${positionOf(trace)}) ${trace.traceType.toUpperCase()}: `, `${trace.content}${mediaNote(trace)}`, words),
      ),
  ];
}

const positionOf = ({ turnId, seq }: RawTrace): string => `${(turnId ?? "-").replace(/\s+/g, " ")}:${seq}`;

const resultText = (trace: RawTrace): string => valueText(trace.toolResult ?? trace.content);

/** Text as it is, anything else as compact JSON. */
const valueText = (value: unknown): string => (typeof value === "string" ? value : jsonText(value));

function mediaNote({ media }: RawTrace): string {
  const count = (media?.images?.length ?? 0) + (media?.audio?.length ?? 0) + (media?.video?.length ?? 0);
  return count === 0 ? "" : ` [${count} ${count === 1 ? "attachment" : "attachments"}]`;
}
