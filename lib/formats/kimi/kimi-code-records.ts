// Records of Kimi Code's log: what was put into the context, step by step, and what each request used.
import type { Draft } from "#lib/kernel/draft.ts";
import { asArray, asObject, asText, asTime, asWhole, clip, ownEntry, type Json } from "../json.ts";
import { inputOf } from "../messages/message-parts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { unknownBody } from "../unknown-body.ts";
import {
  askedOf,
  callOf,
  partDraft,
  rememberPrompt,
  rememberSaid,
  resultDraft,
  saidIn,
  summaryDrafts,
  takenBack,
  usageOf,
  userDrafts,
} from "./kimi-about.ts";
import { agentName, beginStep, modelIn, stepOf, type KimiState } from "./kimi-state.ts";

/** Who put a message into the context, and what it is then. Whoever is not here is named as it is. */
const INJECTED: Readonly<Record<string, string>> = {
  ...{ injection: "reminder", system_trigger: "reminder", compaction_summary: "summary", hook_result: "hook" },
  ...{ skill_activation: "command", plugin_command: "command", shell_command: "command" },
};

/** Records about the program, not the conversation. */
const NOTES =
  /^(?:metadata$|turn\.|config\.|profile\.|llm\.|usage\.|permission|approval|mcp\.|goal|plan|todo|tools?\.|session\.|agent\.|subagent|swarm|background|task\.|cron|skill|hook|question|interaction\.|prompt\.|reminder|file_history\.|context\.size|step\.|micro_compaction\.|full_compaction\.)/;

export function codeDrafts(record: Json, key: string, state: KimiState): Draft[] {
  const entry: Entry = { ts: asTime(record["time"] ?? record["created_at"]), key };
  const type = asText(record["type"]) ?? "";
  switch (type) {
    case "config.update":
    case "profile.bind":
      return [...settingDrafts(record, state), noteOf(entry, type)];
    case "task.started":
      return [...startedDrafts(asObject(record["info"]), state), noteOf(entry, type)];
    case "turn.ended":
      return endDrafts(record, entry);
    case "llm.request":
      return requestDrafts(record, entry, state);
    case "usage.record":
      return recordDrafts(record, entry, state);
    case "context.append_message":
      return messageDrafts(asObject(record["message"]), entry, state);
    case "context.append_loop_event":
      return loopDrafts(asObject(record["event"]), entry, state);
    case "full_compaction.begin":
      state.trigger = asText(record["source"]);
      return [noteOf(entry, type, state.trigger ?? "")];
    case "context.apply_compaction":
      state.tail = key;
      return compactionDrafts(record, entry, state);
    case "context.clear":
      Object.assign(state, { tail: null, prompts: [], count: 0, said: [] });
      return [eventOf(entry, { type: "rewind", text: "", after: null })];
    case "context.undo":
      return [takenBack(asWhole(record["count"]) ?? 1, entry, state)];
  }
  if (NOTES.test(type)) return [noteOf(entry, clip(type, 60))];
  return [eventOf(entry, unknownBody("event", type, record))];
}

/** The folder stands in the settings of a sub-agent, and beside its profile in newer releases. */
function settingDrafts(record: Json, state: KimiState): Draft[] {
  const cwd = asText(record["cwd"]) ?? asText(asObject(record["environmentDisclosure"])["cwd"]) ?? "";
  const isNews = cwd !== "" && state.about.cwd === undefined && cwd !== state.cwd;
  if (isNews) state.cwd = cwd;
  return [
    ...(isNews ? [{ kind: "session", lane: "", patch: { cwd } } as const] : []),
    ...modelDrafts(modelIn(record["modelAlias"] ?? record["model"]), state),
  ];
}

/** Work in the background names the call that began it; a sub-agent's log does not. */
function startedDrafts(info: Json, state: KimiState): Draft[] {
  const [toolCallId, agent] = [asText(info["parentToolCallId"]), asText(info["agentId"])];
  const agentId = agent === null ? null : agentName(agent, state);
  return toolCallId === null || agentId === null ? [] : [{ kind: "link", lane: "", toolCallId, agentId }];
}

/** Agents that a call began, as its result names them: one at its head, or each of a swarm. One that went on began with another call. */
function agentsIn(output: unknown): string[] {
  const text = wordsOf(output);
  const one = /^agent_id: ([\w-]{1,60})\n/.exec(text)?.[1];
  if (one !== undefined) return [one];
  if (!text.startsWith("<agent_swarm_result>")) return [];
  return [...text.matchAll(/^<subagent agent_id="([\w-]{1,60})"/gm)].map(([, agentId]) => agentId!);
}

function endDrafts(record: Json, entry: Entry): Draft[] {
  const reason = asText(record["reason"]) ?? "";
  if (reason !== "failed" && reason !== "blocked") return [noteOf(entry, "turn.ended", reason)];
  const error = asObject(record["error"]);
  const text = asText(error["message"]) ?? asText(record["error"]) ?? `The turn ended: ${reason}`;
  return [eventOf(entry, { type: "error", text, code: clip(asText(error["code"]) ?? reason, 60) })];
}

/** Since messages of the person stay, the record counts them: the last ones, or the first and the last. They stand before the summary. */
function compactionDrafts(record: Json, entry: Entry, state: KimiState): Draft[] {
  const tokens = [asWhole(record["tokensBefore"]), asWhole(record["tokensAfter"])] as const;
  const summary = asText(record["summary"]) ?? "";
  const kept = asWhole(record["keptUserMessageCount"]) ?? 0;
  const head = Math.min(asWhole(record["keptHeadUserMessageCount"]) ?? 0, kept);
  const last = Math.max(head, state.said.length - (kept - head));
  state.said = [...state.said.slice(0, head), ...state.said.slice(last)];
  const { trigger } = state;
  state.trigger = null;
  const about = { trigger, sent: asText(record["contextSummary"]) ?? summary, kept: state.said };
  return summaryDrafts(summary, tokens, entry, about);
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
  const origin = asObject(message["origin"]);
  const kind = asText(origin["kind"]) ?? "user";
  const [role, content] = [asText(message["role"]) ?? "", message["content"]];
  const drafts = ((): Draft[] => {
    if (role === "tool")
      return [resultDraft(asText(message["toolCallId"]), content, message["isError"] === true, entry)];
    if (role === "system") return [eventOf(entry, { type: "user", text: wordsOf(content), injected: "system" })];
    if (role !== "assistant") {
      // What a sub-agent was sent to do is its prompt; a compaction keeps none but a person's.
      const isTask = kind === "system_trigger" && origin["name"] === "subagent";
      if (kind === "user") rememberPrompt(state);
      if (kind === "user" || origin["trigger"] === "user-slash") rememberSaid(entry.key, state);
      return userDrafts(
        content,
        kind === "user" || isTask ? null : (ownEntry(INJECTED, kind) ?? clip(kind, 60)),
        entry,
        state,
      );
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
      const { output } = result;
      return [
        resultDraft(asText(event["toolCallId"]), output, result["isError"] === true, entry, note),
        ...agentsIn(output).flatMap((agentId) =>
          startedDrafts({ parentToolCallId: event["toolCallId"], agentId }, state),
        ),
      ];
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
