// Answers that were kept as they were streamed, as a list of events or chunks.
import type { CapturedApi } from "#lib/kernel/captured-record.ts";
import { joinedAnswer } from "#lib/kernel/joined-answer.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";

/** The whole answer of a list of chunks; null for a list of something else. */
export function streamedAnswer(given: unknown): Json | null {
  const chunks = asArray(given).filter(isObject);
  const api = chunks.length === 0 ? null : apiOf(chunks);
  return api === null ? null : joinedAnswer(api, chunks);
}

function apiOf(chunks: readonly Json[]): CapturedApi | null {
  if (chunks.some(({ type }) => (asText(type) ?? "").startsWith("response."))) return "responses";
  if (chunks.some(({ type }) => type === "message_start")) return "messages";
  if (chunks.some(({ choices }) => isObject(asObject(asArray(choices)[0])["delta"]))) return "chat";
  return chunks.every((chunk) => Array.isArray(chunk["candidates"])) ? "gemini" : null;
}
