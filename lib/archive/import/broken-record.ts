// What stands in the log for bytes that no format could read: a broken piece of a line, or a line over the limit.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** Characters of a broken piece that its event shows. */
const BROKEN_CHARS = 500;

/** A piece that is no record stands in the log at its position; a note about a record that was read, or on an oversized line, does not. */
export function brokenEvent(
  problem: Extract<Draft, { kind: "problem" }>,
  record: SourceRecord,
): Exclude<Draft, { kind: "problem" }> | null {
  const isWholeRecord = problem.byteStart === record.byteStart && problem.byteEnd === record.byteEnd;
  if (
    record.oversized === true ||
    (isWholeRecord && !/^(An unfinished|Not JSON|Not UTF-8|A run of NUL)/.test(problem.reason))
  )
    return null;
  const bytes = record.bytes.subarray(problem.byteStart - record.byteStart, problem.byteEnd - record.byteStart);
  const text = new TextDecoder().decode(bytes.subarray(0, BROKEN_CHARS * 4)).slice(0, BROKEN_CHARS);
  const { byteStart, byteEnd, reason } = problem;
  return {
    kind: "event",
    lane: "",
    ts: null,
    body: { type: "unknown", reason, text },
    recordKey: null,
    callKey: null,
    startsTurn: false,
    byteStart,
    byteEnd,
    isRecord: false,
  };
}

/** The problem and the event of a line that is too long to be parsed. */
export function oversizedDrafts(record: SourceRecord): readonly Draft[] {
  const reason = `A line of ${exactly(record.byteEnd - record.byteStart)} bytes is over the limit of ${exactly(LIMITS.lineBytes)}. It is stored, not parsed.`;
  const text = new TextDecoder().decode(record.bytes);
  return [
    { kind: "problem", line: record.line, byteStart: record.byteStart, byteEnd: record.byteEnd, reason },
    {
      kind: "event",
      lane: "",
      ts: null,
      body: { type: "unknown", reason, text },
      recordKey: null,
      callKey: null,
      startsTurn: false,
    },
  ];
}
