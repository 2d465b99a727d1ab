// One step of an ATIF trajectory. Only fields that the schema of 1.7 names are written; readers refuse others.
import { query } from "#db/statement.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { RESULT_ALONE } from "#lib/formats/atif/atif-steps.ts";
import { promptTokens } from "#lib/kernel/draft.ts";
import type { Outputs } from "#lib/wire/export-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import {
  readCall,
  readExported,
  type ExportedCall,
  type ExportedEvent,
  type ExportedStep,
  type ExportPlan,
  type SubAgent,
} from "./exported-events.ts";

type Extra = Record<string, unknown>;

type ToolCall = { tool_call_id: string; function_name: string; arguments: Record<string, unknown>; extra?: Extra };
type Result = {
  source_call_id?: string;
  content?: string;
  subagent_trajectory_ref?: { trajectory_id: string; extra: Extra }[];
  extra?: Extra;
};
type Metrics = {
  prompt_tokens?: number;
  completion_tokens?: number;
  cached_tokens?: number;
  cost_usd?: number;
  extra?: Extra;
};

export type AtifStep = {
  timestamp?: string;
  source: "system" | "user" | "agent";
  message: string;
  model_name?: string;
  reasoning_content?: string;
  tool_calls?: ToolCall[];
  observation?: { results: Result[] };
  metrics?: Metrics;
  llm_call_count?: number;
  is_copied_context?: true;
  extra?: Extra;
};

type StepContext = { readonly plan: ExportPlan; readonly agents: readonly SubAgent[]; readonly outputs: Outputs };

export async function atifStep(
  archive: Archive,
  pk: number,
  step: ExportedStep,
  context: StepContext,
): Promise<AtifStep> {
  const events: ExportedEvent[] = [];
  for (const seq of step.seqs) events.push(await readExported(archive, pk, seq, context.outputs));
  if (step.kind === "answer") return answerStep(archive, pk, step, events, context);
  const [event] = events as [ExportedEvent];
  return step.kind === "orphan" ? orphanStep(event) : plainStep(event);
}

async function answerStep(
  archive: Archive,
  pk: number,
  { call, results }: ExportedStep,
  events: readonly ExportedEvent[],
  { plan, agents, outputs }: StepContext,
): Promise<AtifStep> {
  const made = call === null ? null : readCall(archive, pk, call);
  const calls = new Map<number, ToolCall>();
  for (const { seq, body } of events) if (body.type === "tool_call") calls.set(seq, named(toolCall(seq, body), calls));
  const seen: Result[] = [];
  for (const seq of results) {
    const event = await readExported(archive, pk, seq, outputs);
    const callSeq = plan.interactions.get(seq)?.callSeq ?? null;
    const started = agents.filter((agent) => agent.callSeq !== null && agent.callSeq === callSeq);
    seen.push({
      ...(calls.has(callSeq ?? 0) && { source_call_id: calls.get(callSeq!)!.tool_call_id }),
      ...resultOf(event, plan.interactions.get(seq)?.durationMs ?? null),
      ...(started.length > 0 && {
        subagent_trajectory_ref: started.map(({ id, title }) => ({ trajectory_id: id, extra: { title } })),
      }),
    });
  }
  const reasoning = textsOf(events, "reasoning");
  const ts = events.find((one) => one.ts !== null)?.ts ?? made?.ts ?? null;
  const copied = made?.inherited === true || (events.length > 0 && events.every(({ inherited }) => inherited));
  const extra = answerExtra(events, call);
  return {
    ...(ts !== null && { timestamp: ts }),
    source: "agent",
    message: textsOf(events, "assistant"),
    ...(made?.model != null && { model_name: made.model }),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.size > 0 && { tool_calls: [...calls.values()] }),
    ...(seen.length > 0 && { observation: { results: seen } }),
    ...(made !== null && !copied && metricsOf(made)),
    ...(call !== null && { llm_call_count: 1 }),
    ...(call === null && events.every(({ synthetic }) => synthetic) && { llm_call_count: 0 }),
    ...(copied && { is_copied_context: true as const }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

/** Within a step an id names one call: where the log has it twice, the later one gets a number. */
function named(call: ToolCall, before: ReadonlyMap<number, ToolCall>): ToolCall {
  const taken = new Set(Array.from(before.values(), ({ tool_call_id: id }) => id));
  let id = call.tool_call_id;
  for (let copy = 2; taken.has(id); copy++) id = `${call.tool_call_id}#${copy}`;
  return { ...call, tool_call_id: id };
}

const textsOf = (events: readonly ExportedEvent[], type: EventBody["type"]): string =>
  events.flatMap(({ body, text }) => (body.type === type && text !== "" ? [text] : [])).join("\n\n");

function answerExtra(events: readonly ExportedEvent[], call: number | null): Extra {
  const sealed = events.reduce(
    (sum, { body }) => sum + (body.type === "reasoning" ? (body.signatureChars ?? 0) : 0),
    0,
  );
  return {
    ...(call !== null && { call }),
    ...(events.some(({ synthetic }) => synthetic) && { synthetic: true }),
    ...(sealed > 0 && { encrypted_reasoning_chars: sealed }),
    ...imagesOf(events.flatMap(({ body }) => (body.type === "assistant" ? (body.images ?? []) : []))),
  };
}

const imagesOf = (images: readonly { mediaType: string }[]): Extra =>
  images.length === 0 ? {} : { images: images.map(({ mediaType }) => ({ media_type: mediaType })) };

function toolCall(seq: number, body: Extract<EventBody, { type: "tool_call" }>): ToolCall {
  const { input } = body;
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  const extra = { ...(!isObject && { plain_input: true }), ...(body.hosted === true && { hosted: true }) };
  return {
    tool_call_id: body.toolCallId ?? `event_${seq}`,
    function_name: body.toolName,
    arguments: isObject ? (input as Record<string, unknown>) : { input: input ?? null },
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function resultOf({ body, text, isCut, bytes, storedBytes, ts }: ExportedEvent, durationMs: number | null): Result {
  const result = body as Extract<EventBody, { type: "tool_result" }>;
  const extra = {
    ...(ts !== null && { timestamp: ts }),
    ...(result.isError && { is_error: true }),
    ...(durationMs !== null && { duration_ms: durationMs }),
    ...(result.saw === "preview" && { saw: "preview" }),
    ...(isCut && { shown_chars: text.length }),
    ...((isCut || storedBytes !== null) && { bytes: storedBytes ?? bytes }),
    ...imagesOf(result.images ?? []),
  };
  return { content: text, ...(Object.keys(extra).length > 0 && { extra }) };
}

function metricsOf({ usage, usd }: ExportedCall): { metrics?: Metrics } {
  if (usage === null) return {};
  const extra = {
    ...(usage.cacheWrite > 0 && { cache_write_tokens: usage.cacheWrite }),
    ...(usage.cacheWrite1h > 0 && { cache_write_1h_tokens: usage.cacheWrite1h }),
    ...(usage.reasoning > 0 && { reasoning_tokens: usage.reasoning }),
    ...(usage.webSearches > 0 && { web_searches: usage.webSearches }),
  };
  return {
    metrics: {
      prompt_tokens: promptTokens(usage),
      completion_tokens: usage.output,
      cached_tokens: usage.cacheRead,
      ...(usd !== null && { cost_usd: usd }),
      ...(Object.keys(extra).length > 0 && { extra }),
    },
  };
}

/** The result of a call that is not in the log. */
function orphanStep(event: ExportedEvent): AtifStep {
  const { toolCallId } = event.body as Extract<EventBody, { type: "tool_result" }>;
  return {
    ...stamped(event),
    source: "system",
    message: RESULT_ALONE,
    observation: { results: [resultOf(event, null)] },
    ...(toolCallId !== null && { extra: { tool_call_id: toolCallId } }),
  };
}

const stamped = ({ ts, inherited }: ExportedEvent): Pick<AtifStep, "timestamp" | "is_copied_context"> => ({
  ...(ts !== null && { timestamp: ts }),
  ...(inherited && { is_copied_context: true }),
});

function plainStep(event: ExportedEvent): AtifStep {
  const { body, text } = event;
  const head = stamped(event);
  if (body.type === "user") {
    const extra = {
      ...(body.injected !== undefined && { injected: body.injected }),
      ...(event.startsTurn && { starts_turn: true }),
      ...imagesOf(body.images ?? []),
    };
    return { ...head, source: "user", message: text, ...(Object.keys(extra).length > 0 && { extra }) };
  }
  if (body.type === "compaction") return { ...head, ...compactionStep(body, text) };
  if (body.type === "rewind")
    return {
      ...head,
      source: "system",
      message: text === "" ? "The conversation went on from an earlier message." : text,
      extra: { context_management: { type: "rewind", after: body.after } },
    };
  const kind =
    body.type === "system" || body.type === "meta" ? body.subtype : body.type === "error" ? (body.code ?? "error") : "";
  return { ...head, source: "system", message: text, extra: { type: body.type, ...(kind !== "" && { kind }) } };
}

function compactionStep(body: Extract<EventBody, { type: "compaction" }>, text: string): AtifStep {
  const { kind, trigger, tokensBefore, tokensAfter, cleared } = body;
  return {
    source: "system",
    message: kind === "full" ? "Context compaction performed." : "Earlier tool results cleared.",
    ...(text !== "" && { observation: { results: [{ content: text }] } }),
    extra: {
      context_management: {
        type: "compaction",
        boundary: kind === "full" ? "replace" : "clear",
        ...(trigger !== null && { trigger }),
        ...(tokensBefore !== null && { tokens_before: tokensBefore }),
        ...(tokensAfter !== null && { tokens_after: tokensAfter }),
        ...(cleared !== undefined && { cleared_calls: cleared }),
      },
    },
  };
}

/** The tools that the log says were offered, as their requests had them; the last of each name. They are no steps. */
export function toolDefinitions(
  archive: Archive,
  pk: number,
): { readonly tools: readonly object[]; readonly seqs: ReadonlySet<number> } {
  const rows = query(
    archive.sqlite,
    { id: "events.id", body: "events.body" },
    "FROM events WHERE id BETWEEN ? AND ? AND type = 'meta' AND json_extract(body, '$.sent') = 'tools' ORDER BY id",
  ).all(...rowRange(pk));
  const found = new Map<string, object>();
  const seqs = new Set<number>();
  for (const { id, body } of rows) {
    const tool = parsed((JSON.parse(body) as { text: string }).text) as Extra;
    // Chat completions, and so ATIF, have what says it inside.
    const said = tool["type"] === "function" && typeof tool["function"] === "object" ? tool["function"] : tool;
    const { name, description = "", input_schema: schema, parameters = schema } = (said ?? {}) as Extra;
    if (typeof name !== "string" || typeof parameters !== "object" || parameters === null) continue;
    found.set(name, { type: "function", function: { name, description, parameters } });
    seqs.add(seqOfRow(id));
  }
  return { tools: [...found.values()], seqs };
}

function parsed(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? {};
  } catch {
    return {};
  }
}
