// Requests that the proxy recorded: a header, then an exchange a line. A session that an agent writes itself gets from them what
// its own file does not say: system prompt, tools, and calls that are in no record. A program that names no session gets one.
import {
  CAPTURE_ENDING,
  capturedExchange,
  capturedHeader,
  type CapturedExchange,
} from "#lib/kernel/captured-record.ts";
import { promptTokens, type Draft, type Format, type SourceRecord, type Usage } from "#lib/kernel/draft.ts";
import { eventText, type EventBody } from "#lib/kernel/event.ts";
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import { SYSTEM_PART, TOOL_PART } from "#lib/kernel/request-records.ts";
import { sampledCalls, sampledEvents } from "./claude-code/iterations.ts";
import { SHAPE } from "./claude-code/request-subtypes.ts";
import { answerBodies, messageBodies } from "./captured/captured-messages.ts";
import { providerUsage } from "./messages/provider-usage.ts";
import { asArray, asObject, asText, clip, isObject } from "./json.ts";
import { readValues } from "./json-lines.ts";
import { firstLineValue } from "./json-parts.ts";

/** Subtype of the event of an exchange; `name` is the key of the call that it was answered with. */
export const EXCHANGE = "captured-request";

export type CapturedState = {
  readonly id: string | null;
  readonly owner: { readonly format: string; readonly id: string } | null;
  /** The parts of the last request. */
  parts: string;
  /** Codex numbers the calls of a turn. */
  turn: string | null;
  turnCall: number;
  /** Ids that calls got here, in order, until their results come: Gemini's answers name none, and its agents give their own. */
  unnamed: readonly string[];
  /** The conversation is told although its session has a file of its own: that may be gone. */
  readonly isTold?: true;
};

export const captured: Format<CapturedState> = {
  id: "captured",
  label: "Captured requests",
  signs: "a first line with captured, id and agent",
  // 2: a call comes behind what it was sent. 3: results find calls that have no id.
  // 4: fast mode is part of a call's model. 5: so are inference in the United States and batches; what the provider
  // sampled beside an answer has calls of its own. 6: what any tool of the provider gave back is a result.
  // 7: a block that is not known is no title.
  // 8: OpenAI's tiers are part of a call's model, and what its chat wrote to a cache is counted.
  // 9: so is its ultrafast tier.
  version: 9,
  reader: "lines",
  sources: () => [],
  wants: (path) => path.endsWith(CAPTURE_ENDING),
  detect: (file) => headerIn(file.head) !== null,
  start: (file) => {
    const header = headerIn(file.head);
    return { id: header?.id ?? null, owner: header?.session ?? null, parts: "", turn: null, turnCall: 1, unnamed: [] };
  },
  parse,
  identify: ({ id, owner }) => (owner === null ? id : `${owner.id}/${captured.id}`),
  owner: ({ owner }) => owner?.format ?? null,
};

function headerIn(head: Uint8Array) {
  const value = firstLineValue(head);
  return capturedHeader.safeParse(value).data ?? null;
}

const isRecord = (value: unknown): boolean =>
  isObject(value) && (Object.hasOwn(value, "exchange") || Object.hasOwn(value, "captured"));

function parse(source: SourceRecord, state: CapturedState): Draft[] {
  if (source.oversized === true) return [];
  const { values, problems } = readValues(source, isRecord);
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  const isAlone = values.length === 1 && problems.length === 0;
  for (const { value, byteStart, byteEnd } of values)
    for (const draft of valueDrafts(value, state))
      drafts.push(draft.kind === "event" && !isAlone ? { ...draft, byteStart, byteEnd } : draft);
  return drafts;
}

function valueDrafts(value: unknown, state: CapturedState): Draft[] {
  const header = capturedHeader.safeParse(value).data;
  if (header !== undefined) return headerDrafts(header.agent, header.at, state);
  const read = capturedExchange.safeParse(value);
  if (read.success) return exchangeDrafts(read.data, state);
  const reason = `Not a captured request: ${clip(read.error.issues[0]?.message ?? "", 200)}`;
  return [event(null, { type: "unknown", reason, text: clip(JSON.stringify(value), 4096) })];
}

function headerDrafts(agent: string | null, at: number, { owner }: CapturedState): Draft[] {
  const [, name, version] = /^([\w.-]+)\/v?([\w.-]+)/.exec(agent ?? "") ?? [];
  return [
    {
      kind: "session",
      lane: "",
      patch: {
        startedAt: at,
        ...(name !== undefined && { agentName: name, agentVersion: version! }),
        ...(owner !== null && { parent: owner.id, relation: "subagent" as const, title: "Captured requests" }),
      },
    },
  ];
}

type EventDraft = Extract<Draft, { kind: "event" }>;

const event = (ts: number | null, body: EventBody, callKey: string | null = null): EventDraft => ({
  kind: "event",
  lane: "",
  ts,
  body,
  recordKey: null,
  callKey,
  startsTurn: false,
});

export function exchangeDrafts(exchange: CapturedExchange, state: CapturedState): Draft[] {
  const { at, api, answer } = exchange;
  const answered = at + Math.round(exchange.totalMs);
  const usage = api === null ? null : providerUsage(answer.message?.["usage"] ?? answer.message?.["usageMetadata"]);
  const key = callKeyOf(exchange, usage, state);
  const model = variantOf(exchange.model, asObject(answer.message?.["usage"]), answer.message ?? {});
  const sent = [...shapeDrafts(exchange, state), ...conversationDrafts(exchange, state)];
  const beside = besideDrafts(exchange, answered, key);
  const compacted = isTold(state) ? beside.filter(({ lane }) => lane === "") : [];
  const follows = sent.filter(({ kind }) => kind === "event").length + compacted.length;
  return [
    ...(model === null ? [] : [{ kind: "session", lane: "", patch: { model } } as const]),
    ...sent,
    ...compacted,
    event(
      answered,
      { type: "meta", subtype: EXCHANGE, ...(key !== null && { name: key }), text: labelOf(exchange) },
      key,
    ),
    ...(key === null
      ? []
      : sampledCalls(
          { kind: "call", lane: "", key, ts: answered, model, usage, outputLowerBound: false, follows },
          asObject(answer.message?.["usage"]),
        )),
    ...(isTold(state) && api !== null && answer.message !== null && !isRefused(exchange)
      ? answerBodies(answer.message, api).map((body, n) =>
          event(answered, namedCall(body, `${exchange.exchange}.${n}`, state), key),
        )
      : []),
    ...beside.filter(({ lane }) => lane !== ""),
    ...(isTold(state) && isRefused(exchange) ? [event(answered, refusal(exchange))] : []),
  ];
}

/** A compaction, ahead of what the answer's call was sent, and what an advisor said in its own session. */
function besideDrafts({ answer }: CapturedExchange, ts: number, key: string | null): EventDraft[] {
  const { content, usage } = asObject(answer.message);
  return asArray(content)
    .flatMap((block) => sampledEvents(asObject(block), "", key, usage))
    .filter(({ body }) => body.type !== "tool_result")
    .map(({ lane, body, callKey }) => ({ ...event(ts, body, callKey), lane }));
}

function namedCall(body: EventBody, id: string, state: CapturedState): EventBody {
  if (body.type !== "tool_call" || body.toolCallId !== null) return body;
  state.unnamed = [...state.unnamed, id];
  return { ...body, toolCallId: id };
}

/** Results come in the order of their calls. */
function namedResult(body: EventBody, state: CapturedState): EventBody {
  if (body.type !== "tool_result") return body;
  const [id, ...rest] = state.unnamed;
  if (id === undefined) return body;
  state.unnamed = rest;
  return { ...body, toolCallId: id };
}

const isTold = ({ owner, isTold: told }: CapturedState): boolean => owner === null || told === true;

const isRefused = ({ answer: { status } }: CapturedExchange): boolean => status !== null && status >= 400;

function labelOf({ method, path, answer: { status }, request, notes }: CapturedExchange): string {
  const size = request === null ? "" : ` ${request.size} bytes`;
  return [`${method} ${path} ${status ?? "no answer"}${size}`, ...notes].join("\n");
}

/** As the agent's own file names the call; null where the two cannot be told to be one. */
function callKeyOf({ answer, headers, exchange, turn }: CapturedExchange, usage: Usage | null, state: CapturedState) {
  if (answer.message === null || usage === null) return null;
  const id = asText(answer.message["id"]) ?? asText(answer.message["responseId"]);
  switch (state.owner?.format) {
    case undefined:
      return id ?? `n:${exchange}`;
    case "claude-code":
      return id === null ? null : `${id}:${answer.headers["request-id"] ?? ""}`;
    case "codex": {
      if (turn !== state.turn) [state.turn, state.turnCall] = [turn, 1];
      if (turn === null || promptTokens(usage) === 0) return null;
      return `g:${turn}:${state.turnCall++}`;
    }
    default:
      return headers["user-agent"] === undefined ? null : id;
  }
}

/** Which parts stand before the conversation from here on, and those that are new. */
function shapeDrafts({ at, parts, newParts }: CapturedExchange, state: CapturedState): Draft[] {
  if (parts === null) return [];
  const list = parts.join(" ");
  const isSame = list === state.parts;
  state.parts = list;
  return [
    ...(isSame ? [] : [event(at, { type: "meta", subtype: SHAPE, text: `${parts.length} parts`, parts: [...parts] })]),
    ...newParts.map(({ key, tool, text }) =>
      event(at, {
        type: "meta",
        text,
        part: key,
        rendered: "system",
        ...(tool === null
          ? { subtype: SYSTEM_PART, sent: "prefix" as const }
          : { subtype: TOOL_PART, name: tool, sent: "tools" as const }),
      }),
    ),
  ];
}

function conversationDrafts({ at, api, messages }: CapturedExchange, state: CapturedState): Draft[] {
  if (api === null || !isTold(state)) return [];
  const bodies = messages.flatMap((message) => messageBodies(message, api)).map((body) => namedResult(body, state));
  const said = bodies.filter(({ type }) => type === "user");
  // What a program puts before the first prompt stands in tags.
  const first = said.find((body) => !/^\s*</.test(eventText(body))) ?? said[0];
  return [
    ...bodies.map((body) => ({ ...event(at, body), startsTurn: body.type === "user" })),
    // The first one stays.
    ...(first === undefined
      ? []
      : [{ kind: "session", lane: "", patch: { title: clip(eventText(first), 200) } } as const]),
  ];
}

function refusal({ answer }: CapturedExchange): EventBody {
  const error = asObject(answer.message?.["error"]);
  const text = asText(error["message"]) ?? clip(answer.text ?? "", 2000);
  return { type: "error", text: `${answer.status}: ${text}` };
}
