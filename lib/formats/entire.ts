// Entire's own transcripts: what it makes of any agent's file for a checkpoint, one message a line. docs/formats/entire.md says what is
// read. Where the agent's file is beside it, that one is read instead.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { entireDrafts, isEntireRow, startEntire, type EntireState } from "./entire/entire-rows.ts";
import { areRecordsOf } from "./first-records.ts";
import { readValues } from "./json-lines.ts";
import { isObject } from "./json.ts";

export const entire: Format<EntireState> = {
  id: "entire",
  label: "Entire",
  signs: "lines with v, agent, cli_version and content",
  version: 1,
  reader: "lines",
  sources: () => [],
  wants: (path) => /(?:^|[\\/])transcript\.jsonl$/.test(path),
  repeats: (path) =>
    /(?:^|[\\/])transcript\.jsonl$/.test(path) ? path.replace(/transcript\.jsonl$/, "full.jsonl") : null,
  detect: ({ head }) => areRecordsOf(head, isEntireRow, isEntireRow),
  start: startEntire,
  parse,
  identify: ({ id }) => id,
};

const isRecord = (value: unknown): boolean => isObject(value) && isEntireRow(value);

function parse(source: SourceRecord, state: EntireState): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(source, isRecord);
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values)
    drafts.push(...entireDrafts(value, { byteStart, byteEnd }, state));
  return drafts;
}
