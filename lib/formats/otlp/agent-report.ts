// What an agent reports of its model calls over OpenTelemetry, call by call: the token counts and dollars that it worked out itself.
import { NO_USAGE, USAGE_FIELDS, type Usage } from "#lib/kernel/draft.ts";
import { asTime, ownEntry } from "../json.ts";
import type { OtlpRecord } from "./otlp-records.ts";
import { countOf, numberOf, textOf } from "./otlp-values.ts";
import { usageOf } from "./span-kinds.ts";
import { agentOf } from "./telemetry-owner.ts";

/** One model call as its agent reports it. */
export type ReportedRequest = {
  /** The provider's id of the request, which the session file has too; null where the agent does not say it. */
  readonly id: string | null;
  readonly ts: number | null;
  readonly model: string | null;
  readonly usage: Usage;
  readonly usd: number | null;
  /** What the agent asked for: `main`, `compact`, …; null where it does not say. */
  readonly purpose: string | null;
};

/** Its totals, where it sends metrics alone: by model. */
export type ReportedTotals = { readonly usd: number | null; readonly usage: Readonly<Record<string, Usage>> };

/** Each request once, in the order of time: a log event holds before the span of the same request. */
export function reportedRequests(records: readonly OtlpRecord[]): ReportedRequest[] {
  const found = new Map<string, ReportedRequest>();
  for (const kind of ["log", "span"] as const)
    for (const record of records) {
      const request = record.kind === kind ? requestOf(record) : null;
      const key = request === null ? null : (request.id ?? `${request.ts} ${JSON.stringify(request.usage)}`);
      if (request !== null && !found.has(key!)) found.set(key!, request);
    }
  return [...found.values()].toSorted((a, b) => (a.ts ?? 0) - (b.ts ?? 0) || ((a.id ?? "") < (b.id ?? "") ? -1 : 1));
}

/** The request that a record is about; null for any other record. */
export function requestOf(record: OtlpRecord): ReportedRequest | null {
  const { kind, name, attributes } = record;
  const agent = agentOf(record);
  if (agent === "copilot" || agent === "copilot-chat" || agent === "antigravity") return spanRequest(record);
  const isRequest =
    agent === "claude-code"
      ? kind === "log"
        ? /^(?:claude_code\.)?api_request$/.test(name)
        : kind === "span" && name === "claude_code.llm_request" && attributes.has("request_id")
      : kind === "log" && (agent === "codex" ? name === "codex.sse_event" : /\.api_response$/.test(name));
  if (!isRequest) return null;
  const usage = agent === "claude-code" ? claudeUsage(record) : inclusiveUsage(record);
  return usage === null
    ? null
    : {
        id: textOf(attributes, "request_id", "response_id"),
        ts: asTime(attributes.get("event.timestamp")) ?? record.endMs ?? record.startMs,
        model: textOf(attributes, "model")?.replace(/\[\d+m\]$/i, "") ?? null,
        usage,
        usd: numberOf(attributes.get("cost_usd")),
        purpose: textOf(attributes, "query_source"),
      };
}

/** Of these agents there are spans of the GenAI conventions alone. */
function spanRequest({ kind, attributes, startMs, endMs }: OtlpRecord): ReportedRequest | null {
  const usage = kind === "span" && attributes.get("gen_ai.operation.name") === "chat" ? usageOf(attributes) : null;
  const model = textOf(attributes, "gen_ai.response.model", "gen_ai.request.model");
  const id = textOf(attributes, "gen_ai.response.id");
  return usage === null ? null : { id, ts: endMs ?? startMs, model, usage, usd: null, purpose: null };
}

function claudeUsage({ attributes }: OtlpRecord): Usage | null {
  const input = countOf(attributes, "input_tokens");
  if (input === null) return null;
  const cacheWrite = countOf(attributes, "cache_creation_tokens") ?? 0;
  return {
    ...NO_USAGE,
    inputUncached: input,
    cacheRead: countOf(attributes, "cache_read_tokens") ?? 0,
    cacheWrite,
    cacheWrite1h: Math.min(cacheWrite, countOf(attributes, "cache_creation_1h_tokens") ?? 0),
    output: countOf(attributes, "output_tokens") ?? 0,
  };
}

/** Codex, Gemini and Qwen: the input has what was cached in it. Where a total is told, what is not input is output. */
function inclusiveUsage({ attributes }: OtlpRecord): Usage | null {
  const input = countOf(attributes, "input_token_count");
  if (input === null) return null;
  const cacheRead = Math.min(input, countOf(attributes, "cached_token_count", "cached_content_token_count") ?? 0);
  const cacheWrite = Math.min(input - cacheRead, countOf(attributes, "cache_write_token_count") ?? 0);
  const total = countOf(attributes, "total_token_count");
  const output = Math.max(countOf(attributes, "output_token_count") ?? 0, total === null ? 0 : total - input);
  const reasoning = countOf(attributes, "reasoning_token_count", "thoughts_token_count") ?? 0;
  return {
    ...NO_USAGE,
    inputUncached: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(reasoning, output),
  };
}

/** What a type of tokens counts as, with its sign. */
type TokenType = readonly (readonly [field: keyof Usage, sign: 1 | -1])[];

const CLAUDE_TOKENS: Readonly<Record<string, TokenType>> = {
  input: [["inputUncached", 1]],
  output: [["output", 1]],
  cacheRead: [["cacheRead", 1]],
  cacheCreation: [["cacheWrite", 1]],
};

/** Gemini and Qwen: the input has what was cached in it, and the output is without the thoughts. */
const INCLUSIVE_TOKENS: Readonly<Record<string, TokenType>> = {
  input: [["inputUncached", 1]],
  cache: [
    ["cacheRead", 1],
    ["inputUncached", -1],
  ],
  output: [["output", 1]],
  thought: [
    ["output", 1],
    ["reasoning", 1],
  ],
};

/** The totals of metrics; null when there are none. Points of a running sum: the last of each series holds. */
export function reportedTotals(records: readonly OtlpRecord[]): ReportedTotals | null {
  const series = new Map<string, Map<string, OtlpRecord>>();
  for (const record of records) {
    if (record.kind !== "metric") continue;
    const name = JSON.stringify([record.name, [...record.attributes].toSorted()]);
    const points = series.get(name) ?? new Map<string, OtlpRecord>();
    // A point that was sent twice is one: its span of time is its name.
    points.set(`${record.startMs} ${record.isDelta ? record.endMs : ""}`, latest(points, record));
    series.set(name, points);
  }
  if (series.size === 0) return null;
  let usd: number | null = null;
  const usage = new Map<string, Usage>();
  for (const points of series.values())
    for (const { name, attributes, body } of points.values()) {
      const value = numberOf(body) ?? 0;
      const model = textOf(attributes, "model")?.replace(/\[\d+m\]$/i, "") ?? "unknown";
      if (name.endsWith(".cost.usage")) usd = (usd ?? 0) + value;
      const types = name.startsWith("claude_code.") ? CLAUDE_TOKENS : INCLUSIVE_TOKENS;
      const fields = name.endsWith(".token.usage") ? ownEntry(types, textOf(attributes, "type")) : undefined;
      if (fields === undefined) continue;
      const sum = usage.get(model) ?? { ...NO_USAGE };
      usage.set(model, sum);
      for (const [field, sign] of fields) sum[field] += sign * Math.round(value);
    }
  return { usd, usage: Object.fromEntries(usage) };
}

function latest(points: ReadonlyMap<string, OtlpRecord>, record: OtlpRecord): OtlpRecord {
  const known = points.get(`${record.startMs} ${record.isDelta ? record.endMs : ""}`);
  return known !== undefined && (known.endMs ?? 0) > (record.endMs ?? 0) ? known : record;
}

/** What single requests add up to; null when there are none. */
export function totalsOfRequests(requests: readonly ReportedRequest[]): ReportedTotals | null {
  if (requests.length === 0) return null;
  const usage: Record<string, Usage> = {};
  for (const request of requests) {
    const sum = (usage[request.model ?? "unknown"] ??= { ...NO_USAGE });
    for (const field of USAGE_FIELDS) sum[field] += request.usage[field];
  }
  const usd = requests.map((request) => request.usd);
  return { usd: usd.includes(null) ? null : usd.reduce<number>((sum, one) => sum + one!, 0), usage };
}
