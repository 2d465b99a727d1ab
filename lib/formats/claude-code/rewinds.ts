// Rewinds in the terminal: a person goes back to before an earlier prompt and writes another one. No record says so. The new
// prompt names the record before the earlier one as its parent: two prompts behind one record, of which the later holds.
// Tool results of parallel calls branch too, and so do notes of the client: they are no prompts.
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import { shortOf, type ClaudeState } from "./claude-state.ts";

/** Prompts of the branch that are remembered, 16 characters each: a rewind over more of them, the start aside, is not seen. */
const PROMPTS = 64;
/** Enough to tell a prompt from its own copy. */
const OWN_CHARS = 4;

type Rewind = Extract<EventBody, { type: "rewind" }>;

/** The rewind that this record of the file's own conversation tells of, or null. */
export function rewindOf(value: Json, state: ClaudeState): Rewind | null {
  const uuid = asText(value["uuid"]);
  const parent = value["parentUuid"];
  const isOwn = value["isSidechain"] !== true && state.agentId === null;
  if (!isOwn || uuid === null || (parent !== null && typeof parent !== "string")) return null;
  const { prompts } = state;
  prompts.isChained ||= parent !== null;
  if (value["type"] !== "user" || hasResult(value)) return null;
  const before = prompts.note !== null && parent !== null && prompts.note.id === shortOf(parent) ? prompts.note : null;
  if (value["isMeta"] === true) {
    prompts.note = { id: shortOf(uuid), parent: before === null ? parent : before.parent };
    return null;
  }
  if (value["isCompactSummary"] === true) return null;
  const own = shortOf(uuid).slice(0, OWN_CHARS);
  const parents = before === null ? [parent] : [before.parent, parent];
  const found = parents.findLast((one) => indexIn(state, one) >= 0);
  const at = found === undefined ? -1 : indexIn(state, found);
  if (at >= 0 && prompts.path[at]!.endsWith(` ${own}`)) return null;
  if (at >= 0) prompts.path.length = at;
  prompts.path.push(...parents.map((one) => `${keyOf(one)} ${own}`));
  // The first stays: the start is gone back to from anywhere.
  while (prompts.path.length > PROMPTS) prompts.path.splice(1, 1);
  return at < 0 ? null : { type: "rewind", text: "", after: found ?? null };
}

const keyOf = (parent: string | null): string => (parent === null ? "-" : shortOf(parent));

function indexIn({ prompts }: ClaudeState, parent: string | null): number {
  if (parent === null && !prompts.isChained) return -1;
  return prompts.path.findIndex((one) => one.startsWith(`${keyOf(parent)} `));
}

const hasResult = (value: Json): boolean =>
  asArray(asObject(value["message"])["content"]).some((block) => asObject(block)["type"] === "tool_result");
