// One record of a Droid session as drafts.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { blockDrafts } from "../anthropic-blocks.ts";
import { asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { headerOf, isDroidStart, type DroidState } from "./droid-state.ts";

/** Known, and no conversation. */
const NOTES: ReadonlySet<string> = new Set(["todo_state", "agent_turn_outcome", "session_settings", "session_end"]);

export function droidDrafts(value: unknown, state: DroidState): Draft[] {
  if (!isObject(value)) {
    const text = clip(jsonText(value ?? null), 1000);
    return [
      eventOf({ ts: null, key: null }, { type: "unknown", reason: "The line is JSON, but not an object.", text }),
    ];
  }
  if (isDroidStart(value)) return startDrafts(headerOf(value), state);
  const type = asText(value["type"]) ?? "";
  const entry: Entry = { ts: asTime(value["timestamp"]), key: asText(value["id"]) };
  if (type === "message") return [...messageDrafts(asObject(value["message"]), entry, state), ...sums(state)];
  if (type === "compaction_state") return [eventOf(entry, compaction(value)), ...sums(state)];
  if (NOTES.has(type)) return [noteOf(entry, type, clip(noteText(type, value), 4000))];
  const reason = `A record of type "${clip(type, 60)}", which is not known.`;
  return [eventOf(entry, { type: "unknown", reason, text: clip(jsonText(value), 1000) })];
}

function startDrafts(header: Json, state: DroidState): Draft[] {
  const id = asText(header["id"]);
  state.id ??= id;
  const [cwd, title] = [asText(header["cwd"]), asText(header["sessionTitle"]) ?? asText(header["title"])];
  const [caller, fork] = [asText(header["callingSessionId"]), asText(header["parent"])];
  const isOwn = header["isSessionTitleManuallySet"] === true;
  const parent = caller ?? fork;
  return [
    {
      kind: "session",
      lane: "",
      patch: {
        agentName: "Droid",
        ...(cwd !== null && cwd !== "" && { cwd }),
        ...(title !== null &&
          titleOf(title) !== "" && {
            title: clip(titleOf(title), 300),
            titleRank: isOwn ? (2 as const) : (1 as const),
          }),
        ...(parent !== null &&
          parent !== id && {
            parent,
            relation: caller === null ? ("fork" as const) : ("subagent" as const),
            ...(caller !== null && { parentToolCallId: asText(header["callingToolUseId"]) }),
          }),
      },
    },
    noteOf({ ts: asTime(header["timestamp"]), key: null }, "session_start", cwd ?? ""),
  ];
}

function messageDrafts(message: Json, entry: Entry, state: DroidState): Draft[] {
  const role = asText(message["role"]) ?? "";
  // Shown to the person, and not sent.
  if (message["visibility"] === "user_only") return [noteOf(entry, "notice", clip(wordsOf(message["content"]), 4000))];
  const hook = asText(message["hookEventName"]);
  if (hook !== null) return [noteOf(entry, "hook", clip(`${hook} ${jsonText(message["hookResults"] ?? [])}`, 4000))];
  if (role === "assistant") return answerDrafts(message, entry, state);
  if (role === "system") {
    const text = wordsOf(message["content"]);
    return [eventOf(entry, { type: "system", subtype: "message", text })];
  }
  if (role !== "user") {
    const reason = `A message of role "${clip(role, 60)}", which is not known.`;
    return [eventOf(entry, { type: "unknown", reason, text: clip(jsonText(message), 4000) })];
  }
  const injectedOf = (text: string): string | null =>
    message["visibility"] === "llm_only" || (/^\s*<system-reminder>/.test(text) && ownWords(text) === "")
      ? "reminder"
      : message["userMessageSource"] === "automation"
        ? "automation"
        : null;
  const drafts = blockDrafts("user", message["content"], entry, { callKey: null, injectedOf });
  const prompt = drafts.find((draft) => draft.kind === "event" && draft.startsTurn);
  if (prompt?.kind === "event" && prompt.body.type === "user" && !state.hasTitle && titleOf(prompt.body.text) !== "") {
    state.hasTitle = true;
    drafts.unshift({
      kind: "session",
      lane: "",
      patch: { title: clip(titleOf(prompt.body.text), 300), titleRank: 0 },
    });
  }
  return drafts.length > 0 ? drafts : [noteOf(entry, "empty message")];
}

/** What a person wrote: a reminder of the client's may stand before it. One that does not end holds all. */
const ownWords = (text: string): string =>
  text.replaceAll(/<system-reminder>[^]*?(?:<\/system-reminder>|$)/g, "").trim();

/** Every sub-agent's prompt has the same heading. */
const titleOf = (text: string): string =>
  ownWords(text)
    .replace(/^# Task Tool Invocation\s*/, "")
    .trim();

function answerDrafts(message: Json, entry: Entry, state: DroidState): Draft[] {
  const callKey = entry.key;
  const model = asText(message["modelId"]) ?? asText(message["model"]) ?? state.settings?.model ?? state.model;
  const drafts = blockDrafts("assistant", message["content"], entry, { callKey });
  if (drafts.length === 0) drafts.push(noteOf(entry, "empty answer", "", callKey));
  if (model !== null && model !== state.model) {
    state.model = model;
    drafts.unshift({ kind: "session", lane: "", patch: { model } });
  }
  if (callKey !== null)
    drafts.push({
      kind: "call",
      lane: "",
      key: callKey,
      ts: entry.ts,
      model,
      usage: null,
      outputLowerBound: false,
    });
  return drafts;
}

/** The sums of the session, which stand beside it: told again whenever they have grown. */
function sums(state: DroidState): Draft[] {
  const { settings } = state;
  if (settings === null || settings.usage === null) return [];
  const told = jsonText([settings.model, settings.usage]);
  const isNews = told !== state.told;
  state.told = told;
  if (!isNews) return [];
  return [{ kind: "reported", lane: "", usd: null, usage: { [settings.model ?? ""]: settings.usage } }];
}

function compaction(value: Json): EventBody {
  const { summary } = value;
  return {
    type: "compaction",
    kind: "full",
    trigger: asText(value["summaryKind"]),
    tokensBefore: null,
    tokensAfter: null,
    text: asText(value["summaryText"]) ?? asText(asObject(summary)["body"]) ?? asText(summary) ?? "",
  };
}

function noteText(type: string, value: Json): string {
  if (type === "todo_state")
    return typeof value["todos"] === "string" ? value["todos"] : jsonText(value["todos"] ?? []);
  return [asText(value["reason"]), asText(value["resultKind"])].filter(Boolean).join(" ");
}

const wordsOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((block) => asText(asObject(block)["text"]) ?? "").join("\n")
      : "";
