// What a span of an application is about: a model call, a tool, an agent. Three conventions say it in their own attributes: GenAI of
// OpenTelemetry, OpenInference, and the AI SDK; OpenLLMetry in a fourth, older one.
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import { NO_USAGE, type Usage } from "#lib/kernel/draft.ts";
import { ownEntry } from "../json.ts";
import type { PlacedRecord } from "./otlp-lines.ts";
import { countOf, textOf, type Attributes } from "./otlp-values.ts";

export type SpanKind = "model" | "tool" | "agent" | "compaction" | null;

/** Attributes that other formats set: messages that no model was called for, and what is noted of a call. */
export const NO_CALL = "plimsoll.no_call";
export const CALL_NOTE = "plimsoll.call_note";
/** An operation, and what is known of it. `edit`: results were blanked, and the rest stays. */
export const COMPACTION = "plimsoll.compaction";
export const COMPACTED = {
  how: "plimsoll.compaction.type",
  by: "plimsoll.compaction.source",
  before: "plimsoll.compaction.tokens_before",
  after: "plimsoll.compaction.tokens_after",
} as const;

const KINDS: Readonly<Record<string, SpanKind>> = {
  chat: "model",
  generate_content: "model",
  text_completion: "model",
  completion: "model",
  llm_call: "model",
  llm: "model",
  execute_tool: "tool",
  tool_call: "tool",
  tool: "tool",
  invoke_agent: "agent",
  agent: "agent",
  [COMPACTION]: "compaction",
};

export function spanKind({ attributes, name, kind }: PlacedRecord): SpanKind {
  // The event that carries a call's messages where its span does not.
  if (kind === "log") return name === "gen_ai.client.inference.operation.details" ? "model" : null;
  const said = textOf(
    attributes,
    "gen_ai.operation.name",
    "openinference.span.kind",
    "traceloop.span.kind",
    "llm.request.type",
  );
  const found = ownEntry(KINDS, said?.toLowerCase() ?? null);
  if (found !== undefined) return found;
  const operation = textOf(attributes, "ai.operationId") ?? (name.startsWith("ai.") ? name : "");
  if (/\.do(?:Generate|Stream)$/.test(operation)) return "model";
  if (operation === "ai.toolCall") return "tool";
  if (/^ai\.(?:generate|stream)(?:Text|Object)$/.test(operation)) return "agent";
  return attributes.has("gen_ai.request.model") && usageOf(attributes) !== null ? "model" : null;
}

export function modelOf(attributes: Attributes): string | null {
  const names = ["gen_ai.response.model", "ai.response.model", "gen_ai.request.model", "llm.model_name", "ai.model.id"];
  const tiers = ["openai.response.service_tier", "gen_ai.openai.response.service_tier"];
  return variantOf(textOf(attributes, ...names), {}, { service_tier: textOf(attributes, ...tiers) });
}

export const toolCallIdOf = (attributes: Attributes): string | null =>
  textOf(attributes, "gen_ai.tool.call.id", "gen_ai.tool.call_id", "ai.toolCall.id", "tool_call.id", "tool.call_id");

export const toolNameOf = ({ attributes, name }: PlacedRecord): string =>
  textOf(
    attributes,
    "gen_ai.tool.name",
    "ai.toolCall.name",
    "tool.name",
    "tool_call.function.name",
    "traceloop.entity.name",
  ) ??
  (name || "unknown");

export const agentNameOf = ({ attributes, name }: PlacedRecord): string =>
  textOf(attributes, "gen_ai.agent.name", "agent.name", "ai.telemetry.functionId", "traceloop.entity.name") ?? name;

/** Tokens of a model call; null where its span names none. All conventions count what was cached as input. */
export function usageOf(attributes: Attributes): Usage | null {
  const input = countOf(
    attributes,
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "ai.usage.inputTokens",
    "ai.usage.promptTokens",
  );
  const output = countOf(
    attributes,
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "ai.usage.outputTokens",
    "ai.usage.completionTokens",
  );
  if (input === null && output === null) return null;
  const read = countOf(
    attributes,
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_read_input_tokens",
    "llm.token_count.prompt_details.cache_read",
    "ai.usage.inputTokenDetails.cacheReadTokens",
    "ai.usage.cachedInputTokens",
  );
  const written = countOf(
    attributes,
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation_input_tokens",
    "llm.token_count.prompt_details.cache_write",
    "ai.usage.inputTokenDetails.cacheWriteTokens",
  );
  const reasoning = countOf(
    attributes,
    "gen_ai.usage.reasoning.output_tokens",
    "llm.token_count.completion_details.reasoning",
    "ai.usage.outputTokenDetails.reasoningTokens",
    "ai.usage.reasoningTokens",
  );
  const all = input ?? 0;
  const cacheRead = read ?? 0;
  const cacheWrite = written ?? 0;
  return {
    ...NO_USAGE,
    // Some count as Anthropic does, without what was cached: then the parts are larger than what should hold them.
    inputUncached: cacheRead + cacheWrite > all ? all : all - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: output ?? 0,
    reasoning: Math.min(reasoning ?? 0, output ?? 0),
  };
}
