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
  if (!isPrompt(value)) return null;
  const own = shortOf(uuid).slice(0, OWN_CHARS);
  const at = indexIn(state, parent);
  if (at >= 0 && prompts.path[at]!.endsWith(` ${own}`)) return null;
  if (at >= 0) prompts.path.length = at;
  prompts.path.push(`${keyOf(parent)} ${own}`);
  // The first stays: the start is gone back to from anywhere.
  if (prompts.path.length > PROMPTS) prompts.path.splice(1, 1);
  return at < 0 ? null : { type: "rewind", text: "", after: parent };
}

const keyOf = (parent: string | null): string => (parent === null ? "-" : shortOf(parent));

function indexIn({ prompts }: ClaudeState, parent: string | null): number {
  if (parent === null && !prompts.isChained) return -1;
  return prompts.path.findIndex((one) => one.startsWith(`${keyOf(parent)} `));
}

/** Words of a person, or the note that stands before a command that one typed; no result of a tool, no summary, no other note. */
function isPrompt(value: Json): boolean {
  const content = asObject(value["message"])["content"];
  if (value["type"] !== "user" || value["isCompactSummary"] === true) return false;
  const first = asObject(asArray(content)[0])["text"];
  if (value["isMeta"] === true) return COMMAND.test(asText(content) ?? asText(first) ?? "");
  return !asArray(content).some((block) => asObject(block)["type"] === "tool_result");
}

const COMMAND = /^(?:<local-command-caveat>|Caveat: The messages below)/;
