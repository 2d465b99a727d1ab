// What a message says of the request that it came from: its model, and what was counted.
import type { Usage } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";
import { providerUsage } from "./provider-usage.ts";

export function messageRequest(message: Json): { readonly model: string | null; readonly usage: Usage | null } {
  const [meta, beside] = [asObject(message["response_metadata"]), asObject(message["metadata"])];
  const told =
    message["usage"] ??
    message["usage_metadata"] ??
    meta["token_usage"] ??
    meta["usage"] ??
    beside["usage"] ??
    beside["totalUsage"] ??
    asObject(message["providerMetadata"])["usage"] ??
    annotated(message["annotations"]);
  const model =
    asText(message["model"]) ??
    asText(meta["model_name"]) ??
    asText(meta["model"]) ??
    asText(beside["model"]) ??
    asText(asObject(told)["model"]);
  return { model, usage: providerUsage(told) };
}

/** Before its messages had metadata, programs with the AI SDK annotated them. */
const annotated = (annotations: unknown): unknown =>
  asArray(annotations)
    .map(asObject)
    .find(({ type }) => type === "usage")?.["value"];
