// Names in a history without turns (before 0.100). A fork begins with a copy of its parent's records, stamped anew and with nothing that
// names them: a record is known by the session where the history began and by all that was said before it. Once two histories differ
// they never meet again, also where the same prompt follows.
import { asText, type Json } from "../json.ts";
import { printOf } from "../placed-drafts.ts";
import { asName, markOf } from "./read.ts";

/** The beginning of a session's history. */
export const firstStep = (sessionId: string): string => `s:${printOf(sessionId)}`;

export const stepAfter = (step: string, record: string): string => `s:${printOf(`${step} ${record}`)}`;

/** What a history is made of in every version; other items may be left out of a copy. */
const OF_HISTORY: ReadonlySet<string> = new Set([
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
]);

/** By what an item moves the history on; null for one that does not. `words`: mark of a message's. */
export function stepOf(type: string, payload: Json, words: () => string): string | null {
  if (!OF_HISTORY.has(type)) return null;
  if (type === "message") return `${type} ${asText(payload["role"]) ?? ""} ${words()}`;
  const own = type === "reasoning" ? asText(payload["encrypted_content"]) : asName(payload["call_id"]);
  return `${type} ${markOf(own ?? JSON.stringify([payload["summary"], payload["name"], payload["arguments"]]))}`;
}
