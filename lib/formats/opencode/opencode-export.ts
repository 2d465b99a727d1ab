// What `opencode export` writes: one document, in which each message holds its parts. They are read as the rows of the database are.
import { CONTINUES } from "#lib/kernel/continuation.ts";
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import type { TableRow } from "../database-rows.ts";
import { asObject, asText, isObject, type Json } from "../json.ts";
import { elementsOf, headValue, restOfDocument, scanJson } from "../json-parts.ts";
import { eventAt } from "../placed-drafts.ts";
import { CONTINUATION_ROWS } from "./opencode-copies.ts";

/** The session of such a document; null for another file. */
export function exportedSession(head: Uint8Array): Json | null {
  const document = headValue(head);
  if (!isObject(document) || !isObject(document["info"])) return null;
  const { info } = document;
  return /^ses_/.test(asText(info["id"]) ?? "") ? info : null;
}

type Rows = (row: TableRow) => readonly Draft[] | null;
type Range = { readonly byteStart: number; readonly byteEnd: number };

export function exportDrafts(record: SourceRecord, rows: Rows): Draft[] {
  const { bytes, byteStart, line } = record;
  const scanned = scanJson(bytes, ["messages"]);
  const { header, lists, end } = scanned;
  const info = asObject(header?.["info"] ?? exportedSession(bytes.subarray(0, 65_536)));
  const ranges = lists.get("messages") ?? [];
  const about = { byteStart, byteEnd: byteStart + (ranges[0]?.from ?? end) };
  const drafts = placed(rows({ table: "session", row: sessionRow(info) }), about);
  const { of, as } = asObject(asObject(info["metadata"])[CONTINUES]);
  if (typeof of === "string" && as === info["id"])
    drafts.push(...placed(rows({ table: CONTINUATION_ROWS, row: { of } }), about));
  for (const { value, range } of elementsOf(bytes, ranges)) {
    const own: Range = { byteStart: byteStart + range.from, byteEnd: byteStart + range.to };
    if (isObject(value)) drafts.push(...messageDrafts(bytes.subarray(range.from, range.to), value, own, rows));
    else drafts.push({ kind: "problem", line, ...own, reason: "A message that is not a JSON object." });
  }
  return [...drafts, ...restOfDocument(record, scanned)];
}

function messageDrafts(bytes: Uint8Array, value: Json, own: Range, rows: Rows): Draft[] {
  const info = asObject(value["info"]);
  const parts = elementsOf(bytes, scanJson(bytes, ["parts"]).lists.get("parts"));
  const from = own.byteStart;
  const drafts = placed(
    rows({ table: "message", row: { id: info["id"], time_created: asObject(info["time"])["created"], data: info } }),
    { byteStart: from, byteEnd: parts[0] === undefined ? own.byteEnd : from + parts[0].range.from },
  );
  for (const { value: part, range } of parts)
    drafts.push(
      ...placed(rows({ table: "part", row: { id: asObject(part)["id"], data: part } }), {
        byteStart: from + range.from,
        byteEnd: from + range.to,
      }),
    );
  return drafts;
}

/** As a row of the database has it. */
const sessionRow = (info: Json): Json => ({
  ...info,
  parent_id: info["parentID"],
  time_created: asObject(info["time"])["created"],
});

/** Each event with the bytes that it was read from. What lies between them is the document's own. */
function placed(drafts: readonly Draft[] | null, range: Range): Draft[] {
  const own = drafts ?? [eventAt({ lane: "", ts: null, key: null, ...range }, UNKNOWN)];
  return [
    { kind: "session", lane: "", patch: {} },
    ...own.map((draft): Draft => (draft.kind === "event" ? { ...draft, ...range } : draft)),
  ];
}

const UNKNOWN = { type: "unknown", reason: "A part that is not known.", text: "" } as const;
