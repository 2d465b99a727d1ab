// The name of an answer's call: the provider's ids of the answer and of its request. Behind relays the request has none, and some give
// each answer the same id. An answer does not go on behind a prompt: an id that does is no answer's own. Of such an id a new prompt tells a
// new answer: of 2631 records that go on with an answer none has another one.
import { promptTokens } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import { usageIn } from "./answers.ts";
import { shortOf, type ClaudeState, type RelayedAnswer } from "./claude-state.ts";

const ANSWERS = 6;
const RECORDS = 8;
const IDS = 12;
const SHARED = 4;
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
  const answer = { id, lane, key, prompt, records: [record], isOver: false };
  state.relayed = [...state.relayed, answer].slice(-ANSWERS);
  return key;
}

/** Words of a person end the answers before them. */
export function endAnswers(value: Json, lane: string, state: ClaudeState): void {
  if (state.relayed.length === 0 || value["type"] !== "user" || value["isMeta"] === true) return;
  const blocks = asArray(asObject(value["message"])["content"]).map(asObject);
  if (blocks.some((block) => block["type"] === "tool_result")) return;
  for (const one of state.relayed) if (one.lane === lane) one.isOver = true;
}

/** The answer that a record goes on with: its parent is one of it, or it was sent the same prompt. */
function answerOf(
  value: Json,
  { id, lane, prompt }: Pick<RelayedAnswer, "id" | "lane" | "prompt">,
  state: ClaudeState,
): RelayedAnswer | undefined {
  const parentId = asText(value["parentUuid"]);
  const parent = parentId === null ? null : shortOf(parentId);
  const own = state.relayed.filter((one) => one.id === id && one.lane === lane && !one.isOver);
  if (!isShared(id, state)) return own.at(-1);
  return (
    own.find(({ records }) => parent !== null && records.includes(parent)) ??
    own.findLast((one) => prompt === 0 || one.prompt === 0 || one.prompt === prompt)
  );
}

/** Short ids are a relay's own; others have shown that they are. */
const isShared = (id: string, { shared }: ClaudeState): boolean => id.length < ID_CHARS || shared.includes(id);

/** True for the answer that its id was first seen with, there or in a copy. */
function isFirstOf(id: string, record: string, state: ClaudeState): boolean {
  if (id.length < ID_CHARS) return false;
  const first = state.firstOf.find(([one]) => one === id)?.[1] ?? record;
  state.firstOf = [...state.firstOf.filter(([one]) => one !== id), [id, first] as [string, string]].slice(-IDS);
  if (first !== record && !state.shared.includes(id)) state.shared = [...state.shared, id].slice(-SHARED);
  return first === record;
}
