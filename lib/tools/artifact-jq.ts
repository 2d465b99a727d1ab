// Asking a JSON output a question instead of reading it.
import { z } from "zod";
import { JQ_LIMITS, jqArtifact, type JqAsk } from "#lib/archive/artifacts/query-artifact.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { jqArguments } from "#lib/wire/tools-schema.ts";
import { defineTool, refusal, type ToolContext, type ToolResult } from "./define-tool.ts";
import { findRef, ref } from "./find-ref.ts";

/** jq repeats what it was given in its messages. */
const MESSAGE_CHARS = 2000;
const NOTE_BYTES = 128;

export const artifactJq = defineTool({
  name: "artifact_jq",
  title: "Run jq on an artifact",
  description:
    "Runs a jq 1.8 program over a stored JSON or JSONL artifact, for example '.results[0]' or '.[] | select(.score > 0.5)'. One result a line.",
  maxBytes: LIMITS.jqShownBytes,
  input: z.strictObject({
    artifact_id: ref,
    expression: z.string().min(1).max(LIMITS.jqProgramChars).describe("jq program"),
    raw_output: z.boolean().default(false).describe("Strings without quotes"),
    slurp: z.boolean().default(false).describe("All values of a JSONL artifact as one array"),
    null_input: z.boolean().default(false).describe("null as input; values by input and inputs"),
    sort_keys: z.boolean().default(false).describe("Keys of objects in order"),
    compact: z.boolean().default(true).describe("One result a line; else indented"),
    args: jqArguments.default({}).describe("$name in the program: a string each"),
    json_args: jqArguments.default({}).describe("$name in the program: a JSON text each"),
  }),
  run: (context, { artifact_id, expression, raw_output, slurp, ...more }) =>
    runJq({ ...context, patience: "agent" }, artifact_id, {
      program: expression,
      rawOutput: raw_output,
      slurp,
      nullInput: more.null_input,
      sortKeys: more.sort_keys,
      compact: more.compact,
      args: more.args,
      jsonArgs: more.json_args,
    }),
});

/** A program over an artifact, for as long as the asker has patience. */
export async function runJq(context: ToolContext, artifactId: string, ask: JqAsk): Promise<ToolResult> {
  const { row, none } = findRef(context, artifactId);
  if (none !== undefined) return none;
  const { archive, patience, signal } = context;
  const limits = JQ_LIMITS[patience];
  const room = { ...limits, outputBytes: limits.outputBytes - NOTE_BYTES };
  const answer = await jqArtifact(archive, row, { ...ask, ...(signal !== undefined && { signal }) }, room);
  const { pointer } = row;
  if (answer === null) return refusal(`artifact_jq: artifact is not JSON (content type ${row.content_type})`, pointer);
  const output = answer.output.replace(/\n$/, "");
  if (answer.ok) {
    const more = answer.outputBytes - Buffer.byteLength(answer.output);
    const note = answer.truncated ? `[output truncated: ${more} more bytes]` : output === "" ? "[no results]" : null;
    return { text: joined(output, note), isError: false, pointer };
  }
  const isLate = answer.kind === "timeout" && answer.ms >= limits.deadlineMs - TIMER_MS;
  const result = isLate
    ? `jq: timed out after ${limits.deadlineMs / 1000} s`
    : `jq: ${answer.message.slice(0, MESSAGE_CHARS).toWellFormed()}`;
  return refusal(joined(output, result), pointer);
}

/** A timer may end a little early by the clock that measures. */
const TIMER_MS = 20;

const joined = (output: string, note: string | null): string =>
  [output, note].filter((part) => part !== null && part !== "").join("\n");
