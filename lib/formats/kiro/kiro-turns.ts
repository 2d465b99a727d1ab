// Turns of a conversation in the database: what was sent, what came back, and what the request was.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { TableRow } from "../database-rows.ts";
import { disjointUsage } from "../disjoint-usage.ts";
import { asArray, asObject, asText, asTime, asWhole, isObject, type Json } from "../json.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { patchOf } from "../placed-drafts.ts";
import { callOf, NO_TOKENS, summaryDrafts, titleDrafts } from "./kiro-drafts.ts";
import { thoughtOf } from "./kiro-log.ts";
import { creditsIn, creditsText, type KiroState } from "./kiro-state.ts";
import { TURNS_OF } from "./kiro-database.ts";
import { unknownLine } from "../unknown-line.ts";

export function kiroRowDrafts({ table, row }: TableRow, state: KiroState): Draft[] | null {
  if (table === TURNS_OF) return conversationDrafts(row, state);
  return table === "turn" ? turnDrafts(row, state) : null;
}

function conversationDrafts(row: Json, state: KiroState): Draft[] {
  state.id ??= asText(row["id"]);
  const model = asText(row["model"]) ?? asText(row["named"]);
  const startedAt = asTime(row["created"]);
  const cwd = asText(row["cwd"]) ?? "";
  const patch = {
    ...(cwd !== "" && { cwd }),
    ...(startedAt !== null && { startedAt }),
    ...(model !== null && { model }),
  };
  const credits = creditsIn(row["meters"]);
  const window = asWhole(row["context_window"]);
  state.about = { patch, model, window, usage: {}, credits };
  const entry: Entry = { ts: startedAt, key: null };
  // The summary and the request that it came of.
  const summary = asText(row["summary"]) ?? asText(asArray(row["summary"])[0]) ?? "";
  return [
    patchOf("", { agentName: "Kiro", quality: NO_TOKENS, ...patch }),
    noteOf(entry, "conversation", [cwd, credits > 0 ? `last turn ${creditsText(credits)}` : ""].join(" ").trim()),
    ...(summary === "" ? [] : summaryDrafts(summary, entry)),
  ];
}

function turnDrafts(row: Json, state: KiroState): Draft[] {
  const { turn } = row;
  // Before 2025's autumn a turn was a pair.
  const pair = Array.isArray(turn) ? { user: turn[0] as unknown, assistant: turn[1] as unknown } : asObject(turn);
  const id = asText(row["id"]) ?? "";
  const [user, assistant] = [asObject(pair["user"]), asObject(pair["assistant"])];
  if (!isObject(pair["user"]) && !isObject(pair["assistant"])) return [unknownLine(turn)];
  const about = asObject(asObject(pair)["request_metadata"]);
  const sentAt = asTime(user["timestamp"]) ?? asTime(about["request_start_timestamp_ms"]);
  const drafts = sentDrafts(user, { ts: sentAt, key: `${id}/sent` }, state);
  const at: Entry = { ts: asTime(about["stream_end_timestamp_ms"]) ?? sentAt, key: id };
  const answer = answerDrafts(assistant, at);
  if (answer.length === 0) return drafts;
  const model = asText(about["model_id"]) ?? state.about?.model ?? null;
  return [...drafts, ...answer, callOf(id, at.ts, state, usageOf(about), model)];
}

function sentDrafts(user: Json, at: Entry, state: KiroState): Draft[] {
  const [kind, value] = Object.entries(asObject(user["content"]))[0] ?? ["", null];
  const said = asObject(value);
  const prompt = asText(said["prompt"]) ?? "";
  const results = asArray(said["tool_use_results"]).map((one) => resultDraft(asObject(one), at));
  const context = asText(user["additional_context"]) ?? "";
  const drafts: Draft[] = [
    ...results,
    ...(prompt === "" ? [] : titleDrafts(prompt, state)),
    ...(prompt === "" ? [] : [eventOf(at, { type: "user", text: prompt }, { startsTurn: true })]),
    ...(context === "" ? [] : [eventOf(at, { type: "user", text: context, injected: "context" })]),
  ];
  return drafts.length > 0 ? drafts : [noteOf(at, kind === "" ? "user message" : kind)];
}

function resultDraft(result: Json, at: Entry): Draft {
  const texts = asArray(result["content"]).map((part) => {
    const block = asObject(part);
    return asText(block["Text"]) ?? asText(part) ?? jsonText(block["Json"] ?? part ?? null);
  });
  const body: EventBody = {
    type: "tool_result",
    toolCallId: asText(result["tool_use_id"]),
    text: texts.join("\n"),
    isError: /^error$/i.test(asText(result["status"]) ?? ""),
    saw: "full",
  };
  return eventOf(at, body);
}

function answerDrafts(assistant: Json, at: Entry): Draft[] {
  const [kind, value] = Object.entries(assistant)[0] ?? ["", null];
  if (kind === "") return [];
  const answer = asObject(value);
  const own = { callKey: at.key };
  const thought = thoughtOf("thinking", answer["thinking"]);
  const text = asText(answer["content"]) ?? "";
  const drafts: Draft[] = [
    ...(thought === null ? [] : [eventOf(at, thought, own)]),
    ...(text === "" ? [] : [eventOf(at, { type: "assistant", text }, own)]),
    ...asArray(answer["tool_uses"])
      .map(asObject)
      .map((use) => {
        const toolName = asText(use["name"]) ?? "unnamed";
        const input = use["args"] ?? {};
        return eventOf(at, { type: "tool_call", toolCallId: asText(use["id"]), toolName, input }, own);
      }),
  ];
  return drafts.length > 0 ? drafts : [noteOf(at, kind, "", at.key)];
}

/** Fields that its service leaves empty today. */
const usageOf = (about: Json): Usage | null =>
  disjointUsage({
    uncached: about["uncached_input_tokens"],
    read: about["cache_read_input_tokens"],
    write: about["cache_write_input_tokens"],
    output: about["output_tokens"],
  });
