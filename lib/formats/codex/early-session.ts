// What the rollouts of the first Codex CLI are known by: early-document.ts reads them.
import { asObject, asText } from "../json.ts";
import { headValue } from "../json-parts.ts";
import { asName } from "./read.ts";

/** The session that a document names; null for a file that is none. */
export function earlySession(head: Uint8Array): string | null {
  const value = asObject(headValue(head));
  const session = asObject(value["session"]);
  const isRollout = Array.isArray(value["items"]) && asText(session["timestamp"]) !== null;
  return isRollout ? asName(session["id"]) : null;
}
