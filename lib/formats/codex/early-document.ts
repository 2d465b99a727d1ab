// Rollouts of the first Codex CLI (spring 2025): one document with the session and its items, written anew into a file of another name
// at each pause. Nothing in it tells tokens; the items of the model have the provider's ids, by which the later copies are known.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { parsedJson, partsOfDocument } from "../document-parts.ts";
import { asObject, asTime, clip, isObject } from "../json.ts";
import { headValue } from "../json-parts.ts";
import type { CodexState } from "./codex-state.ts";
import { event } from "./event-drafts.ts";
import { item } from "./response-items.ts";
import { sessionMeta } from "./session.ts";

export function* earlyPieces(source: SourceRecord, state: CodexState): Generator<readonly Draft[]> {
  const { bytes, byteStart, byteEnd, line } = source;
  const { records, header, end } = partsOfDocument(bytes, "items");
  const session = asObject((header ?? asObject(headValue(bytes.subarray(0, 65_536))))["session"]);
  yield [
    { kind: "session", lane: "", patch: { agentName: "Codex" } },
    ...sessionMeta(session, asTime(session["timestamp"]), state),
  ];
  for (const [from, to] of records) {
    const range = { byteStart: byteStart + from, byteEnd: byteStart + to };
    const value = parsedJson(bytes.subarray(from, to));
    const drafts = isObject(value) ? item(value, asTime(value["timestamp"]), state) : [unknownItem(value)];
    yield drafts.map((draft) => (draft.kind === "event" ? { ...draft, ...range } : draft));
  }
  if (header !== null || end >= bytes.length) return;
  const reason = "The document ends too early or is damaged. What was before is read.";
  yield [{ kind: "problem", line, byteStart: byteStart + end, byteEnd, reason }];
}

const unknownItem = (value: unknown): Draft =>
  event(
    { ts: null, key: null },
    { type: "unknown", reason: "An item that is not an object.", text: clip(jsonText(value ?? null), 4000) },
  );
