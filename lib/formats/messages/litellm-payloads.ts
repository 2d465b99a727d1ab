// What LiteLLM logs of a request beside its messages and response: when it was sent, what it cost, why it failed.
import type { Draft } from "#lib/kernel/draft.ts";
import { asObject, asText, clip, type Json } from "../json.ts";
import { eventAt, noteAt, type Position } from "../placed-drafts.ts";
import { failureOf } from "./envelopes.ts";
import { providerUsage } from "./provider-usage.ts";

/** Its own words beside messages and response, which is no answer where the request failed. */
export const isLoggingPayload = (header: Json): boolean =>
  asText(header["call_type"]) !== null && "startTime" in header && "response" in header;

/** An answer whose words were kept out of the log: its counts stand beside it. Null for another record. */
export function countedAnswer(header: Json): Json | null {
  // What is embedded or drawn is no answer.
  const isOther = Array.isArray(asObject(header["response"])["data"]);
  if (!isLoggingPayload(header) || header["status"] === "failure" || isOther) return null;
  const counts = [asObject(header["metadata"])["usage_object"], header].find((one) => providerUsage(one) !== null);
  if (counts === undefined) return null;
  const { id, model, response } = header;
  return { id, model, usage: counts, content: asText(asObject(response)["text"]) ?? asText(response) ?? "" };
}

export function failureDraft(header: Json, position: Position): Draft {
  const { error_message: message } = asObject(header["error_information"]);
  const said = asText(header["error_str"]) ?? asText(message) ?? failureOf(header);
  if (header["status"] === "failure" || said !== null)
    return eventAt(position, { type: "error", text: said ?? "The request failed." });
  return noteAt(position, "response", clip(asText(header["response"]) ?? "", 2000));
}
