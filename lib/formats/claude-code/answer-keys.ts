// The name of an answer's call: the provider's ids of the answer and of its request. Behind relays the request has none, and some give
// each answer the same id: of 2631 records that go on with an answer none has another prompt, so a new prompt tells a new answer.
import { promptTokens } from "#lib/kernel/draft.ts";
import { asObject, asText, type Json } from "../json.ts";
import { usageIn } from "./answers.ts";
import { shortOf, type ClaudeState, type RelayedAnswer } from "./claude-state.ts";

const ANSWERS = 6;
const RECORDS = 8;
const IDS = 12;
/** What is shorter may be the relay's own name for any answer. */
const ID_CHARS = 16;

export function answerKey(value: Json, lane: string, ts: number | null, state: ClaudeState): string {
  const message = asObject(value["message"]);
  const [id, request, uuid] = [asText(message["id"]), asText(value["requestId"]), asText(value["uuid"])];
  const plain = `${id ?? uuid ?? ts ?? ""}:${request ?? ""}`;
  if (id === null || uuid === null || (request !== null && request !== "")) return plain;
  const usage = usageIn(message["usage"]);
  const prompt = usage === null ? 0 : promptTokens(usage);
  const record = shortOf(uuid);
  const known = answerOf(value, { id, lane, prompt }, state);
  if (known !== undefined) {
    known.records = [...known.records, record].slice(-RECORDS);
    known.prompt = Math.max(known.prompt, prompt);
    return known.key;
  }
  const key = isFirstOf(id, record, state) ? plain : `${id}/${uuid}:`;
  state.relayed = [...state.relayed, { id, lane, key, prompt, records: [record] }].slice(-ANSWERS);
  return key;
}

/** The answer that a record goes on with: its parent is one of it, or it was sent the same prompt. */
function answerOf(
  value: Json,
  { id, lane, prompt }: Pick<RelayedAnswer, "id" | "lane" | "prompt">,
  state: ClaudeState,
): RelayedAnswer | undefined {
  const parentId = asText(value["parentUuid"]);
  const parent = parentId === null ? null : shortOf(parentId);
  const own = state.relayed.filter((one) => one.id === id && one.lane === lane);
  return (
    own.find(({ records }) => parent !== null && records.includes(parent)) ??
    own.findLast((one) => prompt === 0 || one.prompt === 0 || one.prompt === prompt)
  );
}

/** True for the answer that its id was first seen with, there or in a copy. */
function isFirstOf(id: string, record: string, state: ClaudeState): boolean {
  if (id.length < ID_CHARS) return false;
  const first = state.firstOf.find(([one]) => one === id) ?? ([id, record] as const);
  state.firstOf = [...state.firstOf.filter(([one]) => one !== id), [first[0], first[1]] as [string, string]].slice(
    -IDS,
  );
  return first[1] === record;
}
