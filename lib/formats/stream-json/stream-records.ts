// One record of a printed session as drafts.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { variantOf } from "#lib/kernel/load/model-variants.ts";
import { answerBlock, usageIn } from "../claude-code/answers.ts";
import { modelSums } from "../claude-code/cost-state.ts";
import { sampledCalls, sampledEvents, type CallDraft } from "../claude-code/iterations.ts";
import { readContent, readResult } from "../claude-code/results.ts";
import { asArray, asCost, asObject, asText, asTime, asWhole, clip, isObject, ownEntry, type Json } from "../json.ts";
import { eventAt, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { splitPrompt } from "../prompt-counts.ts";
import { modelDrafts, titleDrafts } from "./lane-patches.ts";
import { plainDrafts } from "./plain-records.ts";
import { printedCall } from "./printed-calls.ts";
import { LANES, remember, streamLane, type StreamState } from "./stream-state.ts";

export function streamDrafts(
  record: Json,
  range: Pick<Position, "byteStart" | "byteEnd">,
  state: StreamState,
): Draft[] {
  const lane = streamLane(record, state);
  const position: Position = { lane, ts: asTime(record["timestamp"]), key: asText(record["uuid"]), ...range };
  return [...introduction(lane, record, state), ...recordDrafts(record, position, state)];
}

export const PRINTED = "Read from what the agent printed, not from a file of its own.";

const NAMES = {
  ...{ "claude-code": "Claude Code", qwen: "Qwen Code", droid: "Droid", gemini: "Gemini CLI" },
  "stream-json": null,
} as const;

/** Of a lane that is new: what it is, and who started it. */
function introduction(lane: string, record: Json, state: StreamState): Draft[] {
  if (state.introduced.includes(lane)) return [];
  state.introduced = [...state.introduced, lane].slice(-LANES);
  const agentName = NAMES[state.agent];
  const about = { ...(agentName !== null && { agentName }), quality: PRINTED };
  if (lane === "") return [patchOf("", about)];
  if (record["parent_tool_use_id"] !== lane) return [patchOf(lane, { ...about, relation: "root" })];
  const [, parent = "", kind = null] = state.starters.find(([toolCallId]) => toolCallId === lane) ?? [];
  return [
    patchOf(lane, { relation: "subagent", parentToolCallId: lane, ...(kind !== null && { agentName: kind }) }),
    { kind: "link", lane: parent, toolCallId: lane, agentId: lane },
  ];
}

function recordDrafts(record: Json, position: Position, state: StreamState): Draft[] {
  const type = asText(record["type"]) ?? "";
  const plain = plainDrafts(type, record, position, state);
  if (plain !== null) return plain;
  switch (type) {
    case "assistant":
      return answerDrafts(record, position, state);
    case "user":
      return userDrafts(record, position, state);
    case "system":
      return systemDrafts(record, position, state);
    case "result":
      return resultDrafts(record, position);
    case "tool_call":
      return [printedCall(record, position)];
    case "stream_event":
      return pieceDrafts(asObject(record["event"]), position, state);
    case "":
      break;
    default:
      // Progress, limits, what the client asked for: known by their type, and no conversation.
      return [noteAt(position, type, clip(jsonText(record), 1000))];
  }
  const text = clip(jsonText(record), 1000);
  return [eventAt(position, { type: "unknown", reason: "A record without a type.", text })];
}

const AGENT_TOOLS: ReadonlySet<string> = new Set(["Task", "Agent", "task", "agent"]);

function answerDrafts(record: Json, position: Position, state: StreamState): Draft[] {
  const { lane } = position;
  const message = asObject(record["message"]);
  const model = asText(message["model"]);
  const isClient = model === "<synthetic>";
  const usage = message["usage"];
  const isError = isClient || asText(record["error"]) !== null;
  // An answer whose usage is not there is a call all the same; pieces that name no message are none.
  const isCall = isObject(usage) || (!isError && asText(message["id"]) !== null);
  const callKey = isClient || !isCall ? null : callKeyOf(record, message, position);
  const content = message["content"];
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : asArray(content).map(asObject);
  const drafts = blocks.flatMap((block): Draft[] => {
    const sampled = sampledEvents(block, lane, callKey, usage);
    if (sampled.length > 0)
      return sampled.map((one) =>
        eventAt({ ...position, lane: one.lane, ...(one.lane !== lane && { key: null }) }, one.body, {
          callKey: one.callKey,
        }),
      );
    const { body, attachments } = answerBlock(block, isError);
    if (body.type === "tool_call" && body.toolCallId !== null && AGENT_TOOLS.has(body.toolName))
      state.starters = [...state.starters, [body.toolCallId, lane, kindOf(body.input)] as const].slice(-LANES);
    return [eventAt(position, body, { callKey, ...(attachments && { attachments }) })];
  });
  if (blocks.length === 0) drafts.push(noteAt(position, "empty answer", "", { callKey }));
  const words = blocks.find(({ type }) => type === "text");
  drafts.unshift(...titleDrafts(lane, asText(words?.["text"]) ?? "", state));
  if (callKey === null) return drafts;
  remember(state.open, lane, callKey);
  return [...modelDrafts(lane, model, state), ...drafts, ...callDrafts(callKey, message, position, state)];
}

const kindOf = (input: unknown): string | null => asText(asObject(input)["subagent_type"]);

/** As the agent's own file names the call. */
const callKeyOf = (record: Json, message: Json, position: Position): string =>
  `${asText(message["id"]) ?? position.key ?? position.byteStart}:${asText(record["request_id"]) ?? ""}`;

const callDrafts = (key: string, message: Json, position: Position, state: StreamState): Draft[] =>
  sampledCalls(callDraft(key, message, position, state), asObject(message["usage"]));

const callDraft = (key: string, message: Json, { lane, ts }: Position, state: StreamState): CallDraft => ({
  kind: "call",
  lane,
  key,
  ts,
  model: variantOf(asText(message["model"]) ?? ownEntry(state.models, lane) ?? null, asObject(message["usage"])),
  usage: usageOf(message["usage"], state),
  // A message is printed while the rest of its answer still comes: its count is that of the start.
  outputLowerBound:
    state.agent === "claude-code" && isObject(message["usage"]) && asText(message["stop_reason"]) === null,
});

/** Qwen Code counts what was cached as input. */
function usageOf(usage: unknown, { agent }: StreamState): Usage | null {
  if (agent !== "qwen") return usageIn(usage);
  const { input_tokens: prompt, output_tokens: output, cache_read_input_tokens: cached } = asObject(usage);
  return splitPrompt({ prompt, output, cached });
}

/** Pieces of an answer, as they come. Their texts are printed as a whole too; behind them comes what the answer was charged. */
function pieceDrafts(event: Json, position: Position, state: StreamState): Draft[] {
  const { lane } = position;
  if (event["type"] === "message_start") delete state.open[lane];
  const open = state.open[lane];
  const usage = event["type"] === "message_delta" ? event["usage"] : undefined;
  if (open === undefined || !isObject(usage)) return [patchOf(lane, {})];
  const { stop_reason } = asObject(event["delta"]);
  return callDrafts(open, { usage, stop_reason: stop_reason ?? "end" }, position, state);
}

/** Why the client wrote this in the person's place; null for a prompt. */
function injectedOf(record: Json, text: string): string | null {
  if (text.startsWith("This session is being continued from a previous conversation")) return "summary";
  if (text.startsWith("[Request interrupted")) return "interrupted";
  if (/^<(?:command|local-command|bash)-/.test(text)) return "command";
  return record["isSynthetic"] === true ? "meta" : null;
}

function userDrafts(record: Json, position: Position, state: StreamState): Draft[] {
  const content = asObject(record["message"])["content"];
  const blocks = asArray(content).map(asObject);
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length > 0)
    return blocks.map((block) => {
      if (block["type"] !== "tool_result") return saidDraft([block], "beside a result", position);
      const richer = record["tool_use_result"] ?? record["toolUseResult"];
      const { body, ...rest } = readResult(block, results.length === 1 ? richer : undefined);
      return eventAt(position, body, rest);
    });
  const { words } = readContent(content);
  const injected = injectedOf(record, words);
  const draft = saidDraft(content, injected, position);
  return injected === null ? [...titleDrafts(position.lane, words, state), draft] : [draft];
}

function saidDraft(content: unknown, injected: string | null, position: Position): Draft {
  const { text, images, attachments } = readContent(content);
  const body: EventBody = {
    type: "user",
    text,
    ...(images.length > 0 && { images }),
    ...(injected !== null && { injected }),
  };
  return eventAt(position, body, { startsTurn: injected === null, attachments });
}

function systemDrafts(record: Json, position: Position, state: StreamState): Draft[] {
  const { lane } = position;
  const subtype = asText(record["subtype"]) ?? "system";
  switch (subtype) {
    case "init": {
      const [cwd, version] = [
        asText(record["cwd"]),
        asText(record["claude_code_version"]) ?? asText(record["qwen_code_version"]),
      ];
      const tools = asArray(record["tools"]).filter((tool) => typeof tool === "string");
      return [
        patchOf(lane, { ...(cwd !== null && { cwd }), ...(version !== null && { agentVersion: version }) }),
        ...modelDrafts(lane, asText(record["model"]), state),
        noteAt(position, subtype, clip(tools.join("\n"), 20_000)),
      ];
    }
    case "compact_boundary": {
      const meta = asObject(record["compact_metadata"]);
      const preserved = asArray(asObject(meta["preserved_messages"])["uuids"]).filter((id) => typeof id === "string");
      const keptFrom = preserved.length > 0 ? null : asText(asObject(meta["preserved_segment"])["head_uuid"]);
      const body: EventBody = {
        type: "compaction",
        kind: "full",
        trigger: asText(meta["trigger"]),
        tokensBefore: asWhole(meta["pre_tokens"]),
        tokensAfter: asWhole(meta["post_tokens"]),
        text: "",
        ...(preserved.length > 0 && { preserved }),
        ...(keptFrom !== null && { keptFrom }),
      };
      return [eventAt(position, body)];
    }
  }
  const text = ["content", "message", "status", "description", "summary"].map((name) => asText(record[name]));
  return [noteAt(position, subtype, clip(text.find((one) => one) ?? "", 4000))];
}

/** How the run ended, with the agent's own sums. */
function resultDrafts(record: Json, position: Position): Draft[] {
  const { lane } = position;
  const subtype = asText(record["subtype"]) ?? "result";
  const turns = asWhole(record["num_turns"]);
  const ms = asWhole(record["duration_ms"]);
  const text = [subtype, turns !== null && `${turns} turns`, ms !== null && `${ms} ms`].filter(Boolean).join(", ");
  const usage = modelSums(record["modelUsage"]);
  const usd = asCost(record["total_cost_usd"]);
  const errors = asArray(record["errors"]).filter((one) => typeof one === "string");
  const failure = asText(record["result"]) ?? asText(asObject(record["error"])["message"]) ?? errors.join("\n");
  return [
    noteAt(position, "result", text),
    ...(record["is_error"] === true
      ? [eventAt(position, { type: "error" as const, text: failure === "" ? subtype : failure, code: subtype })]
      : []),
    ...(usd !== null || Object.keys(usage).length > 0
      ? [{ kind: "reported" as const, lane, usd: usd === 0 ? null : usd, usage }]
      : []),
  ];
}
