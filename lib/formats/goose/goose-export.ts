// What `goose session export` writes, and `goose run` prints as JSON: one document, with what is known of the session and its messages in
// one list.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asObject, asText, asTime, isObject, type Json } from "../json.ts";
import { elementsIn, headValue, restOfDocument, scanJson } from "../json-parts.ts";
import { printOf } from "../placed-drafts.ts";
import { gooseMessage, type GooseState } from "./goose-messages.ts";
import { printedGoose } from "./goose-printed.ts";

/** The session of such a document; null for another file. */
export function exportedGoose(head: Uint8Array): Json | null {
  const value = headValue(head);
  if (!isObject(value) || typeof value["id"] !== "string" || typeof value["working_dir"] !== "string")
    return printedGoose(head);
  return Array.isArray(value["conversation"]) || "extension_data" in value ? value : null;
}

/** The sums of a session under one name, as a row has them. */
function sumsOf(header: Json): Json {
  const sums = asObject(header["accumulated_usage"]);
  const named = Object.entries(sums).map(([name, value]) => [`accumulated_${name}`, value] as const);
  return { ...header, ...Object.fromEntries(named) };
}

export function exportDrafts(record: SourceRecord, state: GooseState, session: (row: Json) => Draft[]): Draft[] {
  const { bytes, byteStart, line } = record;
  if (record.oversized === true) return [];
  const scanned = scanJson(bytes, ["conversation", "messages"]);
  const { header, lists, end } = scanned;
  const ranges = lists.get("conversation") ?? lists.get("messages") ?? [];
  const about = { byteStart, byteEnd: byteStart + (ranges[0]?.from ?? end) };
  const drafts: Draft[] = session(sumsOf(header ?? exportedGoose(bytes.subarray(0, 65_536)) ?? {})).map((draft) =>
    draft.kind === "event" ? { ...draft, ...about } : draft,
  );
  const totals = drafts.filter(({ kind }) => kind === "reported");
  for (const { value, range } of elementsIn(bytes, ranges)) {
    const own = { byteStart: byteStart + range.from, byteEnd: byteStart + range.to };
    if (!isObject(value)) {
      drafts.push({ kind: "problem", line, ...own, reason: "A message that is not a JSON object." });
      continue;
    }
    const entry = { ts: asTime(value["created"]), key: asText(value["id"]) ?? printOf(jsonText(value)) };
    for (const draft of gooseMessage(value, entry, state))
      drafts.push(draft.kind === "event" ? { ...draft, ...own } : draft);
  }
  // The sums are of the whole session.
  return [...drafts, ...restOfDocument(record, scanned), ...totals];
}
