// Records of Kimi Code's log: what was put into the context, step by step, and what each request used.
import type { Draft } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, asTime, asWhole, clip, type Json } from "../json.ts";
import { inputOf } from "../messages/message-parts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { unknownBody } from "../unknown-body.ts";
import {
  askedOf,
  callOf,
  partDraft,
  rememberPrompt,
  resultDraft,
  saidIn,
  summaryDrafts,
  takenBack,
  usageOf,
  userDrafts,
} from "./kimi-about.ts";
import { beginStep, modelIn, stepOf, type KimiState } from "./kimi-state.ts";

/** Who put a message into the context, and what it is then. Whoever is not here is named as it is. */
const INJECTED: Readonly<Record<string, string>> = {
  ...{ injection: "reminder", system_trigger: "reminder", compaction_summary: "summary", hook_result: "hook" },
  ...{ skill_activation: "command", plugin_command: "command", shell_command: "command" },
};

/** Records about the program, not the conversation. */
const NOTES =
  /^(?:metadata$|turn\.|config\.|llm\.|usage\.|permission|approval|mcp\.|goal|plan|todo|tools?\.|session\.|agent\.|subagent|swarm|background|cron|skill|hook|question|step\.|micro_compaction\.|full_compaction\.)/;

export function codeDrafts(record: Json, key: string, state: KimiState): Draft[] {
  const entry: Entry = { ts: asTime(record["time"] ?? record["created_at"]), key };
  const type = asText(record["type"]) ?? "";
  switch (type) {
    case "config.update":
      return [...modelDrafts(modelIn(record["modelAlias"] ?? record["model"]), state), noteOf(entry, type)];
    case "llm.request":
      return requestDrafts(record, entry, state);
    case "usage.record":
      return recordDrafts(record, entry, state);
    case "context.append_message":
      return messageDrafts(asObject(record["message"]), entry, state);
    case "context.append_loop_event":
      return loopDrafts(asObject(record["event"]), entry, state);
    case "context.apply_compaction": {
      state.tail = key;
      const tokens = [asWhole(record["tokensBefore"]), asWhole(record["tokensAfter"])] as const;
      return summaryDrafts(asText(record["summary"]) ?? "", tokens, entry);
    }
    case "context.clear":
      Object.assign(state, { tail: null, prompts: [], count: 0 });
      return [eventOf(entry, { type: "rewind", text: "", after: null })];
    case "context.undo":
      return [takenBack(asWhole(record["count"]) ?? 1, entry, state)];
  }
  if (NOTES.test(type)) return [noteOf(entry, clip(type, 60))];
  return [eventOf(entry, unknownBody("event", type, record))];
}

function modelDrafts(model: string | null, state: KimiState): Draft[] {
  if (model === null || model === state.model) return [];
  state.model = model;
  return [{ kind: "session", lane: "", patch: { model } }];
}

function requestDrafts(record: Json, entry: Entry, state: KimiState): Draft[] {
  const drafts = modelDrafts(modelIn(record["model"]) ?? modelIn(record["modelAlias"]), state);
  const kind = asText(record["kind"]) ?? "loop";
  const step = kind === "loop" ? stepOf(state, "") : null;
  const note = noteOf(entry, "llm.request", kind, step?.key ?? null);
  return [...drafts, note, ...askedOf(step, entry.ts, state.model)];
}

/** Within a turn it repeats what the step says; outside it is of a request of its own, such as a compaction's. */
function recordDrafts(record: Json, entry: Entry, state: KimiState): Draft[] {
  const usage = usageOf(asObject(record["usage"]));
  const note = noteOf(entry, "usage.record", asText(record["usageScope"]) ?? "");
  if (usage === null) return [note];
  const model = modelIn(record["model"]) ?? state.model;
  if (record["usageScope"] === "session") {
    const callKey = `usage/${entry.key}`;
    return [noteOf(entry, "usage.record", "session", callKey), callOf(callKey, entry.ts, model, usage)];
  }
  const step = stepOf(state, "");
  if (step === null || step.hasUsage) return [note];
  return [note, callOf(step.key, entry.ts, state.model ?? model, usage)];
}

function messageDrafts(message: Json, entry: Entry, state: KimiState): Draft[] {
  const kind = asText(asObject(message["origin"])["kind"]) ?? "user";
  const [role, content] = [asText(message["role"]) ?? "", message["content"]];
  const drafts = ((): Draft[] => {
    if (role === "tool")
      return [resultDraft(asText(message["toolCallId"]), content, message["isError"] === true, entry)];
    if (role === "system") return [eventOf(entry, { type: "user", text: wordsOf(content), injected: "system" })];
    if (role !== "assistant") {
      if (kind === "user") rememberPrompt(state);
      return userDrafts(content, kind === "user" ? null : (INJECTED[kind] ?? clip(kind, 60)), entry, state);
    }
    const parts = typeof content === "string" ? [{ type: "text", text: content }] : asArray(content).map(asObject);
    const said = parts.map((part) => partDraft(part, entry, null));
    const called = asArray(message["toolCalls"]).map((one) => toolDraft(asObject(one), entry, null));
    return said.length + called.length > 0 ? [...said, ...called] : [noteOf(entry, "assistant message")];
  })();
  state.tail = entry.key;
  return drafts;
}

const wordsOf = (content: unknown): string => saidIn(content).texts.join("\n");

function loopDrafts(event: Json, entry: Entry, state: KimiState): Draft[] {
  const type = asText(event["type"]) ?? "";
  if (type === "step.begin") {
    beginStep(state, "", asText(event["uuid"]) ?? entry.key!);
    return [noteOf(entry, type)];
  }
  const uuid = asText(event["stepUuid"]) ?? (type === "step.end" ? asText(event["uuid"]) : null);
  // A part of the log may begin inside a step.
  if (uuid !== null && type !== "tool.result" && stepOf(state, "")?.key !== uuid) beginStep(state, "", uuid);
  const step = stepOf(state, "");
  const callKey = step?.key ?? null;
  switch (type) {
    case "content.part":
      state.tail = entry.key;
      return [partDraft(asObject(event["part"]), entry, callKey), ...askedOf(step, entry.ts, state.model)];
    case "tool.call":
      state.tail = entry.key;
      return [toolDraft(event, entry, callKey), ...askedOf(step, entry.ts, state.model)];
    case "tool.result": {
      state.tail = entry.key;
      const result = asObject(event["result"]);
      const note = asText(result["note"]) ?? "";
      return [resultDraft(asText(event["toolCallId"]), result["output"], result["isError"] === true, entry, note)];
    }
    case "step.end": {
      const usage = usageOf(asObject(event["usage"]));
      const note = noteOf(entry, type, asText(event["finishReason"]) ?? "", callKey);
      if (step === null || (usage === null && !step.isAsked)) return [noteOf(entry, type)];
      step.hasUsage ||= usage !== null;
      step.isAsked = true;
      return [note, callOf(step.key, entry.ts, state.model, usage)];
    }
  }
  return [eventOf(entry, unknownBody("event", type, event))];
}

/** Arguments are a value, or its JSON as a model wrote it. */
function toolDraft(call: Json, entry: Entry, callKey: string | null): Draft {
  const made = asObject(call["function"]);
  const args = call["args"] ?? call["arguments"] ?? made["arguments"] ?? {};
  const toolName = asText(call["name"]) ?? asText(made["name"]) ?? "unnamed";
  return eventOf(
    entry,
    { type: "tool_call", toolCallId: asText(call["toolCallId"] ?? call["id"]), toolName, input: inputOf(args) },
    { callKey },
  );
}
