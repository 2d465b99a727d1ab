// A jq program over artifacts and pasted text, for somebody who reads along while it runs.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { JqAnswer, JqOptions } from "#lib/jobs/job-types.ts";
import type { JqRun, JqRunEnd, PlaygroundOptions } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { jqNote } from "../artifacts/ask-artifact.ts";
import { noteRead } from "../artifacts/note-read.ts";
import { keepRun } from "./history.ts";
import { inputsOf, type RunAsker, type RunInputs } from "./inputs.ts";

/**
 * Looks up what it reads, then runs it: the inputs are known to be there before the first piece. Fails as inputsOf does; what
 * the program does wrong is an end, not an exception. When the asker goes away it rejects with the signal's reason.
 */
export async function runJqProgram(
  archive: Archive,
  run: JqRun,
  asker: RunAsker,
  { onStart, onPiece }: { onStart(): void; onPiece(text: string): void | Promise<void> },
): Promise<JqRunEnd> {
  const inputs = await inputsOf(archive, run.inputs, asker);
  onStart();
  const answer = await archive.jobs.jq({
    inputs: inputs.sources,
    program: run.program,
    options: jqOptionsOf(run.options),
    limits: {
      deadlineMs: run.deadlineMs,
      memoryBytes: LIMITS.jqPersonMemoryBytes,
      outputBytes: run.outputBytes,
    },
    onPiece,
    ...(asker.signal !== undefined && { signal: asker.signal }),
  });
  const runId = await keep(archive, run, asker, inputs, answer);
  return endOf(run, inputs, answer, runId);
}

export const jqOptionsOf = (options: PlaygroundOptions): JqOptions => ({
  raw_output: options.raw,
  slurp: options.slurp,
  null_input: options.nullInput,
  compact: options.compact,
  sort_keys: options.sortKeys,
  args: options.args,
  json_args: options.jsonArgs,
});

async function keep(
  archive: Archive,
  run: JqRun,
  { who, isPerson }: RunAsker,
  { pointers, pasted }: RunInputs,
  answer: JqAnswer,
): Promise<string | null> {
  const isRead = !isPerson || run.isKept;
  // What a person types is not a reading at each key.
  for (const pointer of isRead ? pointers : [])
    noteRead(archive, {
      pointer,
      who,
      tool: "jq",
      request: jqNote({ program: run.program, ...run.options }),
      bytes: Math.min(answer.outputBytes, run.outputBytes),
      isError: !answer.ok,
    });
  if (!isPerson || !run.isKept) return null;
  return keepRun(archive, {
    kind: "jq",
    program: run.program,
    options: run.options,
    artifacts: pointers,
    pasted,
    results: answer.ok ? answer.values : null,
    ms: answer.ms,
    failure: answer.ok ? null : answer.kind,
  });
}

function endOf(run: JqRun, inputs: RunInputs, answer: JqAnswer, runId: string | null): JqRunEnd {
  return {
    type: "end",
    ok: answer.ok,
    failure: answer.ok
      ? null
      : {
          kind: answer.kind,
          message: answer.message,
          line: answer.position?.line ?? null,
          column: answer.position?.column ?? null,
        },
    outputBytes: answer.outputBytes,
    isCut: answer.truncated,
    values: answer.values,
    inputValues: run.options.nullInput ? null : inputs.values,
    messages: answer.messages,
    ms: answer.ms,
    deadlineMs: run.deadlineMs,
    runId,
  };
}
