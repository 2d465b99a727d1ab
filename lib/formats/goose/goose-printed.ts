// What `goose run` prints: with `--output-format json` one document of messages, with `stream-json` an event a line, in which an answer
// comes in pieces. Both are read whole.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { areRecordsOf } from "../first-records.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { readValues } from "../json-lines.ts";
import { headValue } from "../json-parts.ts";
import { printOf } from "../placed-drafts.ts";
import { eventOf, noteOf } from "../qwen/qwen-drafts.ts";
import { gooseMessage, type GooseState } from "./goose-messages.ts";

/** Blocks of no other agent. */
const BLOCKS: ReadonlySet<unknown> = new Set([
  ...["toolRequest", "toolResponse", "frontendToolRequest", "redactedThinking"],
  ...["toolConfirmationRequest", "actionRequired", "systemNotification"],
]);

const isMessage = (value: unknown): value is Json =>
  isObject(value) && typeof value["role"] === "string" && Array.isArray(value["content"]);

/** A message with what no other agent writes: whom it is for, or a block of Goose's. */
export function isGooseMessage(value: unknown): boolean {
  if (!isMessage(value)) return false;
  const { userVisible, agentVisible } = asObject(value["metadata"]);
  return (
    (typeof userVisible === "boolean" && typeof agentVisible === "boolean") ||
    asArray(value["content"]).some((block) => BLOCKS.has(asObject(block)["type"]))
  );
}

/** The document's head as that of a session; null for another file. */
export function printedGoose(head: Uint8Array): Json | null {
  const { messages, metadata } = asObject(headValue(head));
  const first = asArray(messages).filter((one) => !isObject(one) || Object.keys(one).length > 0);
  if (first.length === 0 || !first.every(isMessage) || !first.some(isGooseMessage)) return null;
  return asTime(first[0]!["created"]) === null ? null : { ...asObject(metadata), id: printOf(jsonText(first[0]!)) };
}

const ENDS: ReadonlySet<unknown> = new Set(["complete", "error", "notification", "model_change"]);

const isEvent = (one: Json): boolean =>
  (one["type"] === "message" && isMessage(one["message"])) || ENDS.has(one["type"]);

export const isGooseStream = (head: Uint8Array): boolean =>
  areRecordsOf(head, isEvent, (one) => one["type"] === "message" && isGooseMessage(one["message"]));

type Piece = { message: Json; byteStart: number; byteEnd: number };

export function streamedGoose(record: SourceRecord, state: GooseState): Draft[] {
  if (record.oversized === true) return [];
  const { values, problems } = readValues(record, isObject);
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: record.line, ...problem }));
  let open: Piece | null = null;
  const flush = (): void => {
    if (open !== null) drafts.push(...placed(messageDrafts(open.message, state), open));
    open = null;
  };
  for (const { value, byteStart, byteEnd } of values) {
    const message = asObject(value)["type"] === "message" ? asObject(asObject(value)["message"]) : null;
    if (message === null) {
      flush();
      drafts.push(...placed([eventDraft(asObject(value))], { byteStart, byteEnd }));
    } else if (open !== null && isSame(open.message, message))
      open = { message: joinedMessage(open.message, message), byteStart: open.byteStart, byteEnd };
    else {
      flush();
      open = { message, byteStart, byteEnd };
    }
  }
  flush();
  return drafts;
}

const messageDrafts = (message: Json, state: GooseState): Draft[] =>
  gooseMessage(message, { ts: asTime(message["created"]), key: printOf(jsonText(message)) }, state);

const placed = (drafts: readonly Draft[], { byteStart, byteEnd }: Omit<Piece, "message">): Draft[] =>
  drafts.map((draft) => (draft.kind === "event" ? { ...draft, byteStart, byteEnd } : draft));

function eventDraft(event: Json): Draft {
  const type = clip(asText(event["type"]) ?? "event", 60);
  const entry = { ts: null, key: null };
  const said = asText(event["error"]) ?? asText(event["message"]);
  if (type === "error" && said !== null) return eventOf(entry, { type: "error", text: said });
  return noteOf(entry, type, clip(jsonText(event), 300));
}

const isSame = (one: Json, next: Json): boolean =>
  asText(one["id"]) !== null && one["id"] === next["id"] && one["role"] === next["role"];

/** Texts and thoughts that go on are one. */
function joinedMessage(one: Json, next: Json): Json {
  const blocks = asArray(one["content"]).map(asObject);
  for (const block of asArray(next["content"]).map(asObject)) {
    const last = blocks.at(-1) ?? {};
    const key = block["type"] === "text" ? "text" : block["type"] === "thinking" ? "thinking" : null;
    const [before, more] = key === null ? [null, null] : [asText(last[key]), asText(block[key])];
    if (last["type"] === block["type"] && key !== null && before !== null && more !== null)
      blocks[blocks.length - 1] = { ...last, ...block, [key]: before + more };
    else blocks.push(block);
  }
  return { ...one, content: blocks };
}
