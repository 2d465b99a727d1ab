// What `opencode run --format json` prints, saved to a file: parts of answers as they end, an event a line. The session's own rows are
// read where they are here. docs/formats/opencode.md says what is read, and how.
import type { Draft, Format } from "#lib/kernel/draft.ts";
import { areRecordsOf, firstRecords } from "./first-records.ts";
import { asText, isObject, type Json } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { printedDrafts } from "./opencode/opencode-printed.ts";
import { startOpenCode, type OpenCodeState } from "./opencode/opencode-state.ts";

const EVENTS: ReadonlySet<unknown> = new Set([
  ...["step_start", "step_finish", "text", "reasoning", "tool_use", "error", "done"],
]);

/** Its sessions have names that begin so. */
const isOwn = (event: Json): boolean => /^ses_\w/.test(asText(event["sessionID"]) ?? "");

const isEvent = (value: unknown): boolean =>
  isObject(value) && isOwn(value) && typeof value["timestamp"] === "number" && typeof value["type"] === "string";

const isSign = (event: Json): boolean =>
  EVENTS.has(event["type"]) && isEvent(event) && (isObject(event["part"]) || event["part"] === undefined);

export const opencodeRun: Format<OpenCodeState> = {
  id: "opencode-run",
  label: "OpenCode run",
  signs: "events with sessionID, timestamp and part",
  version: 1,
  reader: "lines",
  secondHand: "stream",
  sources: () => [],
  wants: () => false,
  detect: ({ head }) => areRecordsOf(head, isEvent, isSign),
  start(file) {
    const first = firstRecords(file.head).find(isOwn);
    return { ...startOpenCode(file), id: asText(first?.["sessionID"]) };
  },
  parse: (record, state): Draft[] => draftsOfLine(record, isEvent, (value) => printedDrafts(value, state)),
  identify: ({ id }) => id,
  owner: () => "opencode",
};
