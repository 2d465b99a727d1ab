// The tool results of a session that one of them is likely to be compared with: the obvious ones first. Pure.
import { briefLabel } from "#lib/kernel/log/tool-summary.ts";
import { kindOfTool } from "#lib/kernel/log/tool-kinds.ts";
import type { InteractionRow } from "#lib/wire/events-schema.ts";

/** `call`: the same tool with the same input; `file`: the same file read; `command`: the same program and its first word. */
export type LikelyWhy = "call" | "file" | "command";

export type LikelyResult = {
  readonly row: InteractionRow & { readonly resultSeq: number };
  readonly why: LikelyWhy;
  readonly isLater: boolean;
};

/** What a row is of, beside its whole input. */
type Subject = { readonly why: "file" | "command"; readonly name: string };

/**
 * Of the result at `seq`: first of the same call, then of the same file, then of the same command; of each the earlier ones
 * before the later, the nearest first. Rows without a result, and the one itself, are left out.
 */
export function likelyResults(rows: readonly InteractionRow[], seq: number): LikelyResult[] {
  const own = rows.find((row) => row.resultSeq === seq || row.callSeq === seq);
  if (own === undefined || own.resultSeq === null) return [];
  const { resultSeq } = own;
  const subject = subjectOf(own);
  const likely = rows.flatMap((row): LikelyResult[] => {
    if (row === own || row.resultSeq === null) return [];
    const why = isSameCall(row, own) ? "call" : isSameSubject(subjectOf(row), subject) ? subject!.why : null;
    return why === null ? [] : [{ row: { ...row, resultSeq: row.resultSeq }, why, isLater: row.resultSeq > resultSeq }];
  });
  const order = ({ why, isLater }: LikelyResult): number => (why === "call" ? 0 : 2) + (isLater ? 1 : 0);
  const distance = ({ row }: LikelyResult): number => Math.abs(row.resultSeq - resultSeq);
  return likely.toSorted((a, b) => order(a) - order(b) || distance(a) - distance(b));
}

/** `repeats` counts the calls of one tool with one input: labels are cut, and may be the same for two inputs. */
const isSameCall = (row: InteractionRow, own: InteractionRow): boolean =>
  own.repeats > 1 && row.repeats === own.repeats && row.toolName === own.toolName && row.label === own.label;

const isSameSubject = (a: Subject | null, b: Subject | null): boolean =>
  a !== null && b !== null && a.why === b.why && a.name === b.name;

function subjectOf({ toolName, label }: InteractionRow): Subject | null {
  const kind = kindOfTool(toolName);
  if (kind === "read") {
    const path = withoutName(label, toolName).replace(/ from line \S+(?:, \S+ lines)?$/u, "");
    return path === "" ? null : { why: "file", name: path };
  }
  if (kind !== "shell") return null;
  // Two words name what runs: `go test`, `npm run`; what follows is what changes between two runs.
  const words = withoutName(briefLabel(label), toolName).split(" ").slice(0, 2);
  return words[0] === "" ? null : { why: "command", name: words.join(" ") };
}

const withoutName = (label: string, toolName: string): string =>
  label.startsWith(`${toolName} `) ? label.slice(toolName.length + 1) : label === toolName ? "" : label;
