// One raw trace: what was said, a tool's call or its result, or a boundary.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { AutobyteusState } from "./autobyteus-state.ts";
import { asArray, asNumber, asObject, asText, clip, isObject, type Json } from "../json.ts";

const NO_USAGE_NOTE = "Autobyteus keeps token counts in a database of its server, not in these files.";

/** What the files beside say of the run, before its first trace. */
export function startDrafts(record: Json, state: AutobyteusState): Draft[] {
  if (state.hasStarted) return [];
  state.hasStarted = true;
  const startedAt = timeOf(record);
  const drafts: Draft[] = [
    {
      kind: "session",
      lane: "",
      patch: {
        quality: NO_USAGE_NOTE,
        ...(state.agent !== null && { agentName: state.agent }),
        ...(state.cwd !== null && { cwd: state.cwd }),
        ...(state.title !== null && { title: clip(state.title, 300), titleRank: 1 }),
        ...(startedAt !== null && { startedAt }),
      },
    },
  ];
  if (state.prompt !== null) {
    const body: EventBody = { type: "system", subtype: "prompt", text: state.prompt };
    // Of the same record as the trace that follows it.
    drafts.push(eventOf(record, body));
  }
  return drafts;
}

export function traceDrafts(value: unknown, state: AutobyteusState): Draft[] {
  if (!isObject(value)) return [eventOf({}, unknown("Not a JSON object.", value))];
  const text = textOf(value["content"]);
  switch (value["trace_type"]) {
    case "user":
      return userDrafts(value, text, state);
    case "assistant":
      return answered(value, [answerBody(value, text, state)], state);
    case "reasoning":
      return answered(value, [{ type: "reasoning", text }], state);
    case "tool_call":
      state.lastTool = asText(value["tool_name"]);
      return answered(
        value,
        [
          {
            type: "tool_call",
            toolCallId: asText(value["tool_call_id"]),
            toolName: asText(value["tool_name"]) ?? "unnamed",
            input: value["tool_args"] ?? {},
          },
        ],
        state,
      );
    case "tool_result":
      state.isAnswering = false;
      return [eventOf(value, resultBody(value, text))];
    case "system_instruction":
      // What stands beside the traces says the same again.
      return text === state.prompt
        ? [eventOf(value, { type: "meta", subtype: "system_instruction", text: "" })]
        : [eventOf(value, { type: "system", subtype: "prompt", text })];
    case "tool_continuation":
    case "operation_boundary":
      state.isAnswering = false;
      return [eventOf(value, { type: "meta", subtype: String(value["trace_type"]), text })];
    case "provider_compaction_boundary":
    case "native_compaction_boundary":
      state.isAnswering = false;
      return [eventOf(value, compaction(value, text))];
  }
  const type = clip(asText(value["trace_type"]) ?? "", 60);
  return [eventOf(value, unknown(`A trace of the type "${type}", which is not known.`, value))];
}

function userDrafts(record: Json, text: string, state: AutobyteusState): Draft[] {
  state.isAnswering = false;
  state.lastTool = null;
  const media = asObject(record["media"]);
  const files = ["images", "audio", "video"].flatMap((kind) =>
    asArray(media[kind]).flatMap((one) => asText(one) ?? []),
  );
  const shown = [text, ...files.map((file) => `[${clip(file, 200)}]`)].filter((one) => one !== "").join("\n");
  const drafts: Draft[] = [];
  const title = text.trim();
  if (!state.hasTitle && title !== "") {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(title, 300), titleRank: 0 } });
  }
  return [...drafts, eventOf(record, { type: "user", text: shown }, { startsTurn: true })];
}

/** In XML mode the text repeats the call that stands above it, and a native call has no text: both are shown once. */
function answerBody(record: Json, text: string, state: AutobyteusState): EventBody {
  if (text === "") return { type: "meta", subtype: "empty answer", text: "" };
  const named = /^\s*<tool name="([^"]*)"/.exec(text)?.[1];
  const repeats = named !== undefined && named === state.lastTool;
  return repeats ? { type: "meta", subtype: "tool_call_text", text: clip(text, 4000) } : { type: "assistant", text };
}

/** What the model answered between two inputs is one call; these files have no count of its tokens. */
function answered(record: Json, bodies: readonly EventBody[], state: AutobyteusState): Draft[] {
  const isNew = !state.isAnswering;
  if (isNew) state.answer++;
  state.isAnswering = true;
  const callKey = `${asText(record["turn_id"]) ?? ""}#${state.answer}`;
  const drafts: Draft[] = bodies.map((body) => eventOf(record, body, { callKey }));
  if (!isNew) return drafts;
  const ts = timeOf(record);
  return [...drafts, { kind: "call", lane: "", key: callKey, ts, model: null, usage: null, outputLowerBound: false }];
}

function resultBody(record: Json, content: string): EventBody {
  const error = textOf(record["tool_error"]);
  const result = record["tool_result"];
  const text = [content, isObject(result) ? jsonText(result) : textOf(result), error].filter((one) => one !== "");
  const exitCode = asNumber(asObject(result)["exitCode"] ?? asObject(result)["exit_code"]);
  return {
    type: "tool_result",
    toolCallId: asText(record["tool_call_id"]),
    text: text.join("\n"),
    isError: error !== "" || record["source_event"] === "TOOL_EXECUTION_FAILED",
    saw: "full",
    ...(exitCode !== null && { detail: { exitCode: Math.trunc(exitCode) } }),
  };
}

const compaction = (record: Json, text: string): EventBody => ({
  type: "compaction",
  kind: "full",
  trigger: record["trace_type"] === "provider_compaction_boundary" ? "provider" : "auto",
  tokensBefore: null,
  tokensAfter: null,
  text,
});

const unknown = (reason: string, value: unknown): EventBody => ({
  type: "unknown",
  reason,
  text: clip(jsonText(value), 1000),
});

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === null || value === undefined ? "" : jsonText(value);

/** Seconds with a fraction, as Python and Node write them. */
function timeOf(record: Json): number | null {
  const seconds = asNumber(record["ts"]);
  return seconds === null || seconds <= 0 ? null : Math.round(seconds * 1000);
}

/** Ids of generation 1 are a time in milliseconds, and collide. */
function keyOf(record: Json): string | null {
  const parts = [record["turn_id"], record["seq"], record["trace_type"], record["id"]];
  return record["id"] === undefined ? null : parts.map((part) => String(part ?? "")).join(" ");
}

type Options = { readonly callKey?: string; readonly startsTurn?: boolean };

function eventOf(record: Json, body: EventBody, { callKey, startsTurn = false }: Options = {}): Draft {
  return {
    kind: "event",
    lane: "",
    ts: timeOf(record),
    body,
    recordKey: keyOf(record),
    callKey: callKey ?? null,
    startsTurn,
  };
}
