// Messages of a chat of Qwen Code: what a person said, what the model answered, what tools gave back.
import { promptTokens, type Draft } from "#lib/kernel/draft.ts";
import { toldBy } from "#lib/kernel/told-call.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { answerBody, exitCodeOf, partsInside, responseOf, usageOfMetadata, wordsOf } from "../google-content.ts";
import { asArray, asNumber, asObject, asText, asWhole, clip, type Json } from "../json.ts";
import { eventOf, noteOf, type Entry } from "./qwen-drafts.ts";
import { partsIn, type QwenState } from "./qwen-state.ts";

/** Records in the user's place that a program wrote. */
const INJECTED = new Set(["notification", "cron", "goal_runtime"]);
/** Messages that a compaction may keep. */
const RECENT = 40;

export function userDrafts(record: Json, entry: Entry, state: QwenState): Draft[] {
  const subtype = asText(record["subtype"]) ?? "";
  const parts = partsIn(record);
  const { text, words, images, attachments } = wordsOf(parts);
  remember(parts, entry, state);
  state.call = null;
  const isInjected = INJECTED.has(subtype);
  const title = (asText(asObject(record["systemPayload"])["displayText"]) ?? words).trim();
  const drafts: Draft[] = [];
  if (!isInjected && !state.hasTitle && title !== "") {
    state.hasTitle = true;
    drafts.push({ kind: "session", lane: "", patch: { title: clip(title, 300), titleRank: 0 } });
  }
  const body: EventBody = {
    type: "user",
    text,
    ...(images.length > 0 && { images }),
    ...(isInjected && { injected: subtype }),
  };
  return [...drafts, eventOf(entry, body, { startsTurn: !isInjected, attachments })];
}

export function answerDrafts(record: Json, entry: Entry, state: QwenState): Draft[] {
  const parts = partsIn(record);
  const usage = usageOfMetadata(asObject(record["usageMetadata"]));
  const key = callKeyOf(record, entry, state);
  remember(parts, entry, state);
  const model = asText(record["model"]) ?? state.model;
  const drafts: Draft[] = [];
  if (model !== null && model !== state.model) {
    state.model = model;
    drafts.push({ kind: "session", lane: "", patch: { model } });
  }
  const bodies = parts.flatMap((part) => answerBody(part) ?? []);
  for (const body of bodies) drafts.push(eventOf(entry, body, { callKey: key }));
  if (bodies.length === 0) drafts.push(noteOf(entry, "empty answer", "", key));
  const window = asWhole(record["contextWindowSize"]);
  return [
    ...drafts,
    {
      kind: "call",
      lane: "",
      key,
      ts: entry.ts,
      model,
      usage,
      outputLowerBound: false,
      ...(window !== null && window > 0 && { window }),
    },
  ];
}

/** The answer's own id, where the note before it told of one with these counts; else the record's. */
function callKeyOf(record: Json, entry: Entry, state: QwenState): string {
  const usage = usageOfMetadata(asObject(record["usageMetadata"]));
  // A sub-agent's calls stand in records of their own behind the one that has the counts.
  if (usage === null && state.agentId !== null && state.call !== null) return state.call;
  // A copied answer has no counts: then the note stands directly before it.
  const told = state.told.findLast(([, sent, answered, note]) =>
    usage === null ? note === record["parentUuid"] : sent === promptTokens(usage) && answered === usage.output,
  );
  state.told = told === undefined ? state.told : state.told.filter((one) => one !== told);
  // A part of a file may begin behind the note.
  const cut = usage === null || state.before === null ? null : toldBy(state.before);
  state.call = told?.[0] ?? cut ?? entry.key ?? `${entry.ts ?? ""}`;
  return state.call;
}

export function resultDrafts(record: Json, entry: Entry, state: QwenState): Draft[] {
  const parts = partsIn(record);
  const told = asObject(record["toolCallResult"]);
  remember(parts, entry, state);
  state.call = null;
  const responses = parts.filter((part) => responseOf(part) !== null);
  if (responses.length === 0) {
    const { text, images, attachments } = wordsOf(parts);
    const id = asText(told["callId"]);
    const body: EventBody = { type: "tool_result", toolCallId: id, text, isError: isFailed(told), saw: "full" };
    return [eventOf(entry, { ...body, ...(images.length > 0 && { images }) }, { attachments })];
  }
  // Images that a tool read stand inside its response, or behind it.
  const others = wordsOf(parts.filter((part) => !responses.includes(part)));
  return responses.map((part, i) => {
    const { toolCallId, text, isError } = responseOf(part)!;
    const { images, attachments, text: inside } = wordsOf(partsInside(part));
    const isLast = i === responses.length - 1;
    const all = isLast ? [...attachments, ...others.attachments] : attachments;
    const shown = [text, inside, isLast ? others.text : ""].filter((one) => one !== "").join("\n");
    const count = isLast ? images.length + others.images.length : images.length;
    return eventOf(
      entry,
      {
        type: "tool_result",
        toolCallId: toolCallId ?? asText(told["callId"]),
        text: shown,
        isError: isError || isFailed(told),
        ...storedOf(shown, told),
        ...(count > 0 && {
          images: all.map(({ mediaType }, attachment) => ({
            mediaType,
            attachment,
            artifact: null,
            width: null,
            height: null,
          })),
        }),
        ...detailOf(shown, told),
      },
      { attachments: all },
    );
  });
}

const isFailed = (told: Json): boolean => told["status"] === "error" || told["status"] === "cancelled";

/** Of a long output the model is shown both ends, and the path of a file that has all of it. */
const STORED = /(?:^|\n)The full output has been saved to: ([^\n]+)\n/;

function storedOf(text: string, told: Json): { saw: "full" | "preview"; storedPath?: string; offloadedBy?: "agent" } {
  const listed = asText(asArray(asObject(told["resultDisplay"])["outputFiles"])[0]);
  const path = STORED.exec(text.slice(0, 2000))?.[1] ?? listed;
  return path == null ? { saw: "full" } : { saw: "preview", storedPath: path.trim(), offloadedBy: "agent" };
}

function detailOf(text: string, told: Json): { detail?: ResultDetail } {
  const display = asObject(told["resultDisplay"]);
  const exitCode = asNumber(display["exitCode"]) ?? exitCodeOf(text);
  const durationMs = asWhole(told["durationMs"]);
  const filePath = asText(display["fileName"]);
  const detail: ResultDetail = {
    ...(exitCode !== undefined && exitCode !== null && { exitCode: Math.trunc(exitCode) }),
    ...(told["status"] === "cancelled" && { interrupted: true }),
    ...(durationMs !== null && { durationMs }),
    ...(filePath !== null && { filePath }),
  };
  return Object.keys(detail).length === 0 ? {} : { detail };
}

/** What a part says, short: a compaction repeats parts and names no records. */
export function printOf(part: Json): string {
  const call = asText(asObject(part["functionCall"])["id"]);
  const result = asText(asObject(part["functionResponse"])["id"]);
  if (call !== null) return `c${call.slice(-24)}`;
  return result !== null ? `r${result.slice(-24)}` : textPrint(jsonText(part));
}

/** Two sums of the text (FNV-1a from two seeds) and its length. */
function textPrint(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b);
  }
  return `${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}.${text.length}`;
}

function remember(parts: readonly Json[], entry: Entry, state: QwenState): void {
  if (entry.key === null) return;
  const prints = parts
    .filter((part) => part["thought"] !== true)
    .slice(0, 8)
    .map(printOf);
  state.recent = [...state.recent, [entry.key, prints] as const].slice(-RECENT);
}
