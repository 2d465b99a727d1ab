// What the records of both of Kimi's logs have in common: the session's own words, prompts, what a model said, and its calls.
import type { Attachment, Draft, Usage } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asCount, asObject, asText, clip, type Json } from "../json.ts";
import { disjointUsage } from "../disjoint-usage.ts";
import { imagesOf } from "../placed-drafts.ts";
import { eventOf, noteOf, type Entry } from "../qwen/qwen-drafts.ts";
import { unknownBody } from "../unknown-body.ts";
import { PROMPTS, SAID, type KimiState, type Step } from "./kimi-state.ts";

export function aboutDrafts(state: KimiState): Draft[] {
  if (state.isTold) return [];
  state.isTold = true;
  return [{ kind: "session", lane: "", patch: { agentName: "Kimi Code", ...state.about } }];
}

/** Both programs' names. */
export function usageOf(counts: Json): Usage | null {
  const of = (...names: readonly string[]): number => names.reduce((sum, name) => sum + asCount(counts[name]), 0);
  return disjointUsage({
    uncached: of("inputOther", "input_other"),
    read: of("inputCacheRead", "input_cache_read"),
    write: of("inputCacheCreation", "input_cache_creation"),
    output: of("output"),
  });
}

export const callOf = (key: string, ts: number | null, model: string | null, usage: Usage | null): Draft => ({
  ...{ kind: "call", lane: "", key, ts, model, usage, outputLowerBound: false },
});

/** The request that a step is about, once anything says that it was sent. */
export function askedOf(step: Step | null, ts: number | null, model: string | null): Draft[] {
  if (step === null || step.isAsked) return [];
  step.isAsked = true;
  return [callOf(step.key, ts, model, null)];
}

/** Notes where a person's prompt stands, so that it can be taken back. */
export function rememberPrompt(state: KimiState): void {
  state.count++;
  state.prompts = [...state.prompts, state.tail].slice(-PROMPTS);
}

/** The first and the last messages that a compaction may keep. */
export function rememberSaid(key: string | null, state: KimiState): void {
  if (key === null) return;
  state.said = [...state.said, key];
  if (state.said.length > SAID) state.said = state.said.toSpliced(SAID / 4, 1);
}

/** Goes back to before the last `count` prompts. */
export function takenBack(count: number, entry: Entry, state: KimiState): Draft {
  const isKnown = count > 0 && count <= state.prompts.length;
  if (!isKnown && state.count > state.prompts.length) return noteOf(entry, "context.undo", String(count));
  const after = isKnown ? state.prompts.at(-count)! : null;
  state.prompts = isKnown ? state.prompts.slice(0, -count) : [];
  state.count = Math.max(0, state.count - count);
  state.said = state.said.slice(0, Math.max(0, state.said.length - count));
  state.tail = after;
  return eventOf(entry, { type: "rewind", text: "", after });
}

type Said = {
  readonly texts: readonly string[];
  readonly images: readonly Attachment[];
  readonly others: readonly Json[];
};

/** Words and pictures of a message, a prompt or a result: a text, or parts of it. */
export function saidIn(content: unknown): Said {
  if (typeof content === "string") return { texts: [content], images: [], others: [] };
  const parts = asArray(content).map(asObject);
  const shown = parts.map(imageOf);
  return {
    texts: parts.flatMap(({ type, text }) => (type === "text" ? [asText(text) ?? ""] : [])),
    images: shown.filter((image) => image !== null),
    others: parts.filter(({ type }, i) => type !== "text" && shown[i] === null),
  };
}

function imageOf(part: Json): Attachment | null {
  const url = part["type"] === "image_url" ? (part["image_url"] ?? part["imageUrl"]) : null;
  const found = /^data:([\w/+.-]+);base64,(.+)$/s.exec(asText(url) ?? asText(asObject(url)["url"]) ?? "");
  return found === null ? null : { mediaType: found[1]!, base64: found[2]! };
}

const shownIn = (images: readonly Attachment[]) => (images.length === 0 ? {} : { images: imagesOf(images) });

/** What the client sets before a sub-agent's task. */
const CONTEXT = /^\s*<git-context>[\s\S]*?<\/git-context>/;

/** `injected`: why it is no prompt of a person; null for one. */
export function userDrafts(content: unknown, injected: string | null, entry: Entry, state: KimiState): Draft[] {
  const { texts, images, others } = saidIn(content);
  const text = texts.join("\n");
  const startsTurn = injected === null;
  const body: EventBody = { type: "user", text, ...shownIn(images), ...(injected !== null && { injected }) };
  const drafts: Draft[] = [];
  if (text !== "" || images.length > 0) {
    if (startsTurn) {
      const title = text.replace(CONTEXT, "").trim();
      if (!state.hasTitle && state.about.title === undefined && title !== "")
        drafts.push({ kind: "session", lane: "", patch: { title: clip(title, 300), titleRank: 0 } });
      state.hasTitle = true;
    }
    drafts.push(eventOf(entry, body, { attachments: images, startsTurn }));
  }
  drafts.push(...others.map((part) => partDraft(part, entry, null)));
  return drafts.length > 0 ? drafts : [noteOf(entry, "user message")];
}

/** A part of what a model said. */
export function partDraft(part: Json, entry: Entry, callKey: string | null): Draft {
  const type = asText(part["type"]) ?? "";
  if (type === "text") return eventOf(entry, { type: "assistant", text: asText(part["text"]) ?? "" }, { callKey });
  if (type === "think") {
    const text = asText(part["think"]) ?? "";
    const sealed = asText(part["encrypted"]) ?? "";
    const more = sealed === "" ? {} : { signatureChars: sealed.length, ...(text === "" && { encrypted: true }) };
    return eventOf(entry, { type: "reasoning", text, ...more }, { callKey });
  }
  const url = asObject(part[type])["url"] ?? part["url"];
  // Pictures, sounds and films that a file only names.
  if (/^(?:image|audio|video)_url$/.test(type)) return noteOf(entry, type, clip(asText(url) ?? "", 200), callKey);
  return eventOf(entry, unknownBody("part", type, part), { callKey });
}

export function resultDraft(id: string | null, output: unknown, isError: boolean, entry: Entry, more = ""): Draft {
  const { texts, images, others } = saidIn(output);
  const words = [...texts, ...others.map((part) => jsonText(part)), ...(more === "" ? [] : [more])];
  const body: EventBody = {
    ...{ type: "tool_result", toolCallId: id, text: words.join("\n"), isError, saw: "full" },
    ...shownIn(images),
  };
  return eventOf(entry, body, { attachments: images });
}

type Compacted = {
  readonly trigger: string | null;
  /** The summary as it is sent. */
  readonly sent: string;
  /** Messages that stay, before the summary. */
  readonly kept: readonly string[];
};

export function summaryDrafts(
  text: string,
  tokens: readonly [number | null, number | null],
  entry: Entry,
  { trigger, sent, kept }: Compacted = { trigger: null, sent: text, kept: [] },
): Draft[] {
  const [tokensBefore, tokensAfter] = tokens;
  const isKept = kept.length > 0 && sent !== "";
  const about = eventOf(entry, {
    ...{ type: "compaction", kind: "full", trigger, tokensBefore, tokensAfter, text },
    ...(isKept && { preserved: [...kept], order: [...kept, null] }),
  });
  return sent === "" ? [about] : [about, eventOf(entry, { type: "user", text: sent, injected: "summary" })];
}
