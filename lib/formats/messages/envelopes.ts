// Lines of batches: OpenAI's have the answer as the body of a response, Anthropic's as the message of a result. Both name the request.
import { asObject, asText, clip, isObject, type Json } from "../json.ts";

const RESULTS: ReadonlySet<unknown> = new Set(["succeeded", "errored", "canceled", "expired"]);

/** A line of what came of a batch, whether it was answered or not. */
export function isEnvelope(value: Json): boolean {
  if (asText(value["custom_id"]) === null) return false;
  if (RESULTS.has(asObject(value["result"])["type"])) return true;
  const { response } = value;
  return isObject(response) ? "body" in response || isObject(response["error"]) : isObject(value["error"]);
}

/** The same with the answer where a log has it. OpenAI's does not say that it was billed as one of a batch. */
export function opened(value: Json): Json {
  if (!isEnvelope(value)) return value;
  const { body } = asObject(value["response"]);
  return {
    ...value,
    response: isObject(body) ? { ...body, service_tier: "batch" } : (asObject(value["result"])["message"] ?? null),
  };
}

/** Why a request of a batch has no answer; null for another record. */
export function failureOf(header: Json): string | null {
  if (!isEnvelope({ ...header, error: header["error"] ?? asObject(header["response"])["error"] })) return null;
  const result = asObject(header["result"]);
  const told = [
    asObject(result["error"])["error"],
    result["error"],
    asObject(header["response"])["error"],
    header["error"],
  ];
  const said = told.map((one) => asText(one) ?? asText(asObject(one)["message"])).find((one) => one !== null);
  return clip(said ?? asText(result["type"]) ?? "The request has no answer.", 2000);
}
