// A search through one artifact, for somebody who reads along while it runs.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { GrepAnswer } from "#lib/jobs/job-types.ts";
import type { GrepPiece, GrepRun, GrepRunEnd } from "#lib/wire/playground-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { noteRead } from "../artifacts/note-read.ts";
import { checkedPath } from "../artifacts/query-artifact.ts";
import { keepRun } from "./history.ts";
import { liveArtifact, type RunAsker } from "./inputs.ts";

type Lines = Extract<GrepPiece, { type: "lines" }>["lines"];

/** Fails with `not_found` before it begins; what is wrong with the pattern is an end, not an exception. */
export async function runGrepPattern(
  archive: Archive,
  run: GrepRun,
  asker: RunAsker,
  { onStart, onLines }: { onStart(): void; onLines(lines: Lines): unknown },
): Promise<GrepRunEnd> {
  const row = liveArtifact(archive, run.artifact, asker);
  const path = await checkedPath(archive, row.digest);
  onStart();
  const answer = await archive.jobs.grep({
    path,
    pattern: run.pattern,
    options: run.options,
    limits: {
      deadlineMs: run.deadlineMs,
      lines: run.lines,
      bytes: LIMITS.grepPersonBytes,
      lineChars: LIMITS.grepLineChars,
    },
    onLines: (lines) => void onLines([...lines]),
    ...(asker.signal !== undefined && { signal: asker.signal }),
  });
  const runId = await keep(archive, run, asker, row.pointer, answer);
  const { ms } = answer;
  const { deadlineMs } = run;
  if (answer.ok) {
    const { matches, isCounted, omitted } = answer;
    return { type: "end", ok: true, failure: null, matches, isCounted, omitted, ms, deadlineMs, runId };
  }
  const failure = { kind: answer.kind, message: answer.message };
  return { type: "end", ok: false, failure, matches: 0, isCounted: false, omitted: 0, ms, deadlineMs, runId };
}

async function keep(
  archive: Archive,
  run: GrepRun,
  { who, isPerson }: RunAsker,
  pointer: string,
  answer: GrepAnswer,
): Promise<string | null> {
  if (!isPerson || run.isKept)
    noteRead(archive, {
      pointer,
      who,
      tool: "grep",
      request: { pattern: run.pattern, options: run.options },
      bytes: answer.ok ? answer.lines.reduce((sum, line) => sum + Buffer.byteLength(line.text), 0) : 0,
      isError: !answer.ok,
    });
  if (!isPerson || !run.isKept) return null;
  return keepRun(archive, {
    kind: "grep",
    program: run.pattern,
    options: run.options,
    artifacts: [pointer],
    pasted: 0,
    results: answer.ok ? answer.matches : null,
    ms: answer.ms,
    failure: answer.ok ? null : answer.kind,
  });
}
