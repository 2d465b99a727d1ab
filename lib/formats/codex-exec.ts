// What `codex exec --json` prints, saved to a file: one event a line. The session's own file has more and is read where it is here.
// docs/formats/codex-exec.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { areRecordsOf } from "./first-records.ts";
import { asObject, asText, clip, isObject, type Json } from "./json.ts";
import { firstRecordName } from "./first-record-name.ts";
import { readValues } from "./json-lines.ts";
import { eventAt, type Position } from "./placed-drafts.ts";
import { execDrafts, type ExecState } from "./codex-exec/exec-events.ts";

export const codexExec: Format<ExecState> = {
  id: "codex-exec",
  label: "Codex exec",
  signs: "a first line of type thread.started, or events of items and turns",
  // 2: counts that stand as texts of digits.
  version: 2,
  reader: "lines",
  secondHand: "stream",
  sources: () => [],
  wants: () => false,
  detect: ({ head }) => firstThread(head) !== null || areRecordsOf(head, isNamed, isOwnEvent),
  start: ({ head }) => ({
    id: firstThread(head) ?? firstRecordName(head),
    lane: "",
    run: 0,
    isTitled: false,
    open: [],
  }),
  parse,
  identify: ({ id }) => id,
  owner: () => "codex",
};

/** Lines before the first event: warnings that stood on the same output. */
const WARNINGS = 20;

function firstThread(head: Uint8Array): string | null {
  for (const line of new TextDecoder().decode(head).split("\n").slice(0, WARNINGS)) {
    if (!line.includes('"thread.started"')) continue;
    try {
      const value: unknown = JSON.parse(line);
      if (isObject(value) && value["type"] === "thread.started") return asText(value["thread_id"]);
    } catch {
      // Another program's words.
    }
  }
  return null;
}

const EVENT = /^(?:thread|turn|item)\.\w+$|^error$/;
const isEvent = (value: unknown): boolean => isObject(value) && isNamed(value);
const isNamed = ({ type }: Json): boolean => EVENT.test(asText(type) ?? "");

/** Of a file whose first line is gone. */
const isOwnEvent = ({ type, item, usage, error }: Json): boolean =>
  /^item\./.test(asText(type) ?? "")
    ? asText(asObject(item)["type"]) !== null && asText(asObject(item)["id"]) !== null
    : type === "turn.completed"
      ? isObject(usage)
      : type === "turn.failed" && isObject(error);

function parse(source: SourceRecord, state: ExecState): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(source, isEvent);
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values) {
    if (isObject(value)) drafts.push(...execDrafts(value, { byteStart, byteEnd }, state));
    else {
      const position: Position = { lane: state.lane, ts: null, key: null, byteStart, byteEnd };
      const text = clip(jsonText(value ?? null), 1000);
      drafts.push(eventAt(position, { type: "unknown", reason: "A value that is not a JSON object.", text }));
    }
  }
  return drafts;
}
