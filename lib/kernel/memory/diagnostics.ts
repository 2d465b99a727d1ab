// What a summary must not lose, whoever wrote it: which tools failed and how, which files were read and changed. It
// stands behind the summary, and when room is short the summary is cut, not this.
import { jsonText } from "../json-text.ts";
import { LIMITS } from "../limits.ts";
import { buildToolInteractions } from "./tool-interactions.ts";
import type { RawTrace, ToolInteraction } from "./memory-types.ts";

export type ToolFailure = {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly status: string | null;
  readonly exitCode: number | null;
  readonly text: string;
};

export const DIAGNOSTICS = {
  failures: LIMITS.diagnosticFailures,
  failureChars: LIMITS.diagnosticFailureChars,
  files: LIMITS.diagnosticFiles,
  summaryChars: LIMITS.diagnosedSummaryChars,
} as const;

/** Stands where no summary could be made at all. */
export const NO_SUMMARY = "Summary unavailable due to context limits. Older messages were truncated.";

/** Failures, and files that were read and changed; empty where there is nothing to tell. */
export function diagnosticsOf(traces: readonly RawTrace[]): string {
  const interactions = buildToolInteractions(traces);
  const failures = interactions.flatMap((one) => failureOf(one) ?? []);
  return [failureLines(failures), ...fileLists(interactions)].filter((part) => part !== "").join("\n\n");
}

/** One line each, the first 8 of them; a call that is told twice is one failure. */
export function failureLines(failures: readonly ToolFailure[]): string {
  const seen = new Set<string>();
  const own = failures.filter(({ toolCallId }) => !seen.has(toolCallId) && seen.add(toolCallId));
  if (own.length === 0) return "";
  const rest = own.length - DIAGNOSTICS.failures;
  return [
    "## Tool Failures",
    ...own.slice(0, DIAGNOSTICS.failures).map((failure) => `- ${failureLine(failure)}`),
    ...(rest > 0 ? [`...and ${rest} more`] : []),
  ].join("\n");
}

function failureLine({ toolName, status, exitCode, text }: ToolFailure): string {
  const facts = [
    ...(status === null ? [] : [`status=${oneLine(status, 40)}`]),
    ...(exitCode === null ? [] : [`exitCode=${exitCode}`]),
  ];
  const how = facts.length === 0 ? "" : ` (${facts.join(" ")})`;
  return `${oneLine(toolName, 64)}${how}: ${oneLine(text, DIAGNOSTICS.failureChars) || "failed"}`;
}

/** Summary and diagnostics as one text of at most `maxChars`. */
export function withDiagnostics(
  summary: string,
  diagnostics: string,
  maxChars: number = DIAGNOSTICS.summaryChars,
): string {
  const body = summary.trim() || NO_SUMMARY;
  if (diagnostics === "") return cut(body, maxChars);
  const suffix = cut(`\n\n${diagnostics}`, maxChars);
  return `${cut(body, maxChars - suffix.length)}${suffix}`;
}

function failureOf(one: ToolInteraction): ToolFailure | null {
  const { result, error, status, toolName, key } = one;
  const fields = isObject(result) ? result : {};
  const exit = fields.exitCode ?? fields.exit_code;
  const exitCode = typeof exit === "number" && Number.isInteger(exit) && exit !== 0 ? exit : null;
  const said = typeof fields.status === "string" ? fields.status : null;
  const hasFailed = said !== null && /^(failed|error|failure)$/i.test(said);
  if (status !== "error" && exitCode === null && !hasFailed && fields.isError !== true && fields.is_error !== true)
    return null;
  const text = error ?? textOf(fields.error ?? fields.stderr ?? fields.content ?? fields.output ?? fields.stdout ?? "");
  return { toolCallId: key, toolName: toolName ?? "tool", status: hasFailed ? said : null, exitCode, text };
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : jsonText(value));

const CHANGES = /write|edit|patch|create|replace|insert|append|delete|remove|rename|move|apply|save|update/i;
const READS = /read|view|open|cat|show|get/i;
const PATH_KEYS = ["path", "file_path", "filePath", "filename", "file"] as const;

/** Files by what the tools that named them are called; a file that was changed is not told as read, too. */
function fileLists(interactions: readonly ToolInteraction[]): string[] {
  const read = new Set<string>();
  const modified = new Set<string>();
  for (const { toolName, arguments: args, status } of interactions) {
    if (toolName === null || !isObject(args) || status === "error") continue;
    const path = PATH_KEYS.map((key) => args[key]).find((value) => typeof value === "string" && value !== "");
    if (path === undefined) continue;
    if (CHANGES.test(toolName)) modified.add(oneLine(path as string, 300));
    else if (READS.test(toolName)) read.add(oneLine(path as string, 300));
  }
  return [
    listOf(
      "read-files",
      [...read].filter((path) => !modified.has(path)),
    ),
    listOf("modified-files", [...modified]),
  ];
}

function listOf(tag: string, paths: readonly string[]): string {
  if (paths.length === 0) return "";
  const rest = paths.length - DIAGNOSTICS.files;
  // The last ones are what the work was about when it was cut.
  const shown = paths.slice(-DIAGNOSTICS.files).map((path) => path.replaceAll("<", "&lt;"));
  return [`<${tag}>`, ...(rest > 0 ? [`...and ${rest} earlier`] : []), ...shown, `</${tag}>`].join("\n");
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const oneLine = (text: string, chars: number): string =>
  cut(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim(), chars);

const cut = (text: string, chars: number): string =>
  text.length <= chars
    ? text
    : `${text.slice(0, Math.max(0, chars - 1)).replace(/[\uD800-\uDBFF]$/, "")}${chars > 0 ? "…" : ""}`;
