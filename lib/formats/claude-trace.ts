// Logs of claude-trace: a request of Claude Code with its answer a line, as they were on the wire. They are read as requests that our own
// proxy recorded. docs/formats/claude-trace.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { clip, isObject } from "./json.ts";
import { readValues } from "./json-lines.ts";
import { headValue } from "./json-parts.ts";
import { eventAt, type Position } from "./placed-drafts.ts";
import { isPair } from "./claude-trace/trace-pairs.ts";
import { pairDrafts, startTrace, type TraceState } from "./claude-trace/traced-sessions.ts";

export const claudeTrace: Format<TraceState> = {
  id: "claude-trace",
  label: "claude-trace",
  signs: "lines with a request and its response, each with timestamp and headers",
  // 4: a block that is not known is no title.
  // 5: streamed calls without an index, names that come again.
  version: 5,
  reader: "lines",
  sources: () => [],
  wants: (path) => /[\\/]\.claude-trace[\\/][^\\/]+\.jsonl$/.test(path),
  detect: ({ head }) => isPair(headValue(head)),
  start: ({ head }) => startTrace(headValue(head)),
  parse,
  identify: ({ id, owner }) => (owner === null ? id : `${owner}/claude-trace`),
  owner: ({ owner }) => (owner === null ? null : "claude-code"),
};

function parse(source: SourceRecord, state: TraceState): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(source, isPair);
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values) {
    const own = isObject(value) && isPair(value) ? pairDrafts(value, state) : [unknown(value, { byteStart, byteEnd })];
    for (const draft of own) drafts.push(draft.kind === "event" ? { ...draft, byteStart, byteEnd } : draft);
  }
  return drafts;
}

function unknown(value: unknown, range: Pick<Position, "byteStart" | "byteEnd">): Draft {
  const reason = "A line that is not a request with its response.";
  const text = clip(jsonText(value ?? null), 1000);
  return eventAt({ lane: "", ts: null, key: null, ...range }, { type: "unknown", reason, text });
}
