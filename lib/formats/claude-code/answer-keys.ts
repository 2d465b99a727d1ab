// The name of an answer's call: the provider's ids of the answer and of its request. Behind relays the request has none, and some give
// each answer the same id. An answer does not go on behind a prompt: an id that does is no answer's own. Of such an id a new prompt tells a
// new answer: of 2631 records that go on with an answer none has another one.
import { promptTokens } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import { usageIn } from "./answers.ts";
import { shortOf, type ClaudeState, type FirstRecord, type RelayedAnswer } from "./claude-state.ts";

const ANSWERS = 16;
/** Agents write side by side: those of one lane crowd out no other's. */
const ANSWERS_OF_LANE = 3;
const RECORDS = 8;
const IDS = 24;
const SHARED = 4;
/** What is shorter may be the relay's own name for any answer. */
const ID_CHARS = 16;

export function answerKey(value: Json, lane: string, ts: number | null, state: ClaudeState): string {
  const message = asObject(value["message"]);
  const [id, request, uuid] = [asText(message["id"]), asText(value["requestId"]), asText(value["uuid"])];
  const plain = `${id ?? uuid ?? ts ?? ""}:${request ?? ""}`;
  if (id === null || uuid === null || (request !== null && request !== "")) return plain;
  const record = shortOf(uuid);
  const usage = usageIn(message["usage"]);
  const prompt = usage === null ? 0 : promptTokens(usage);
  const isFirst = isFirstOf(id, { record, lane, prompt }, state);
  if (!isShared(id, state)) return plain;
  const known = answerOf(value, { id, lane, prompt }, state);
  if (known !== undefined) {
    known.records = [...known.records, record].slice(-RECORDS);
    known.prompt = Math.max(known.prompt, prompt);
    return known.key;
  }
  const key = isFirst ? plain : `${id}/${uuid}:`;
  const answer = { id, lane, key, prompt, records: [record], isOver: false };
  const [own, others] = [true, false].map((is) => state.relayed.filter((one) => (one.lane === lane) === is));
  state.relayed = [...others!, ...own!.slice(1 - ANSWERS_OF_LANE), answer].slice(-ANSWERS);
  return key;
}

/** Words of a person end the answers before them. */
export function endAnswers(value: Json, lane: string, state: ClaudeState): void {
  if (value["type"] !== "user" || value["isMeta"] === true) return;
  const blocks = asArray(asObject(value["message"])["content"]).map(asObject);
  if (blocks.some((block) => block["type"] === "tool_result")) return;
  for (const one of [...state.relayed, ...state.firstOf]) if (one.lane === lane) one.isOver = true;
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
  return (
    own.find(({ records }) => parent !== null && records.includes(parent)) ??
    own.findLast((one) => prompt === 0 || one.prompt === 0 || one.prompt === prompt)
  );
}

/** Short ids are a relay's own; others have shown that they are. */
const isShared = (id: string, { shared }: ClaudeState): boolean => id.length < ID_CHARS || shared.includes(id);

/** True for the answer that its id was first seen with, there or in a copy. Another one of that id shows that it is shared. */
function isFirstOf(
  id: string,
  { record, lane, prompt }: Omit<FirstRecord, "id" | "isOver">,
  state: ClaudeState,
): boolean {
  if (id.length < ID_CHARS) return false;
  const known = state.firstOf.find((one) => one.id === id) ?? { id, record, lane, prompt, isOver: false };
  const isFirst = known.record === record;
  // Commands that are typed while an answer is written look like a person's words: the same prompt is the same answer's.
  const goesOn = known.lane === lane && (!known.isOver || (prompt > 0 && prompt === known.prompt));
  if (isFirst) known.isOver = false;
  else if (!goesOn && !state.shared.includes(id)) state.shared = [...state.shared, id].slice(-SHARED);
  if (isFirst || goesOn) known.prompt = Math.max(known.prompt, prompt);
  state.firstOf = [...state.firstOf.filter((one) => one !== known), known].slice(-IDS);
  return isFirst;
}
