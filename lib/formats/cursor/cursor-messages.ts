// A message of a Cursor transcript as drafts. Calls name no ids in many releases, and most results are not there.
import type { Draft, SessionPatch, SourceFile } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { firstRow } from "../database-rows.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { isOrphan, noPairing, paired, type Pairing } from "../messages/call-pairing.ts";
import { pieceOf } from "../messages/message-parts.ts";
import { eventAt, imagesOf, nameOf, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";
import { firstRecordName } from "../first-record-name.ts";
import { firstMessage, isTextTranscript } from "./transcript-head.ts";

export type CursorState = {
  readonly id: string | null;
  readonly parent: string | null;
  readonly isText: boolean;
  /** Rows of the editor's database, or of a store of the terminal's agent. */
  readonly isRows?: boolean;
  named: boolean;
  hasTitle: boolean;
  pairing: Pairing;
  /** Of rows: the answer that goes on, and what was told last. */
  callKey?: string | null;
  model?: string | null;
  folder?: string | null;
  /** Of the editor: the print of the summary that was told last. */
  summary?: string;
  /** Of a store: a summary was told whose message comes next. */
  isSummarised?: boolean;
};

/** A line of a transcript; those of others name ids, times or types beside. */
export const isCursorMessage = (value: unknown): boolean =>
  isObject(value) &&
  (value["role"] === "user" || value["role"] === "assistant") &&
  isObject(value["message"]) &&
  "content" in value["message"] &&
  !("uuid" in value) &&
  !("sessionId" in value);

/** What a transcript has behind the last message of a turn. */
export const isTurnEnd = (value: unknown): value is Json =>
  isObject(value) && value["type"] === "turn_ended" && value["role"] === undefined && asText(value["status"]) !== null;

function endDraft(value: Json, position: Position): Draft {
  const status = asText(value["status"]) ?? "";
  if (status === "success" || status === "completed") return noteAt(position, "turn_ended", status);
  const text = `The turn ended: ${clip(asText(value["error"]) ?? status, 2000)}`;
  return eventAt(position, { type: "error", text, code: clip(status, 60) });
}

const NAME = /([^\\/]+)\.(?:jsonl|txt)$/;

export function startCursor({ path, head }: SourceFile): CursorState {
  const row = firstRow(head, "composer") ?? firstRow(head, "chat");
  if (row !== null) {
    const id = asText(row["id"]);
    const nothing = { parent: null, isText: false, named: true, hasTitle: false, pairing: noPairing() };
    return { ...nothing, id, isRows: true, callKey: null, model: null, folder: null };
  }
  const name = NAME.exec(path)?.[1] ?? null;
  const isOwn = /[\\/]agent-transcripts[\\/]/.test(path) || (name !== null && /^[0-9a-f-]{36}$/.test(name));
  const isText = isTextTranscript(head);
  return {
    id: isOwn ? name : isText ? printOf(firstMessage(head)) : firstRecordName(head),
    parent: /[\\/]([^\\/]+)[\\/]subagents[\\/][^\\/]+$/.exec(path)?.[1] ?? null,
    isText,
    named: false,
    hasTitle: false,
    pairing: noPairing(),
  };
}

/** What is known of the session, once. */
export function aboutDrafts(state: CursorState): Draft[] {
  if (state.named) return [];
  state.named = true;
  const patch: SessionPatch = {
    agentName: "Cursor",
    quality: "Cursor's transcripts have no tokens, times of prompts at most, and few results.",
    ...(state.parent !== null && state.parent !== state.id && { parent: state.parent, relation: "subagent" as const }),
  };
  return [patchOf("", patch)];
}

export function messageDrafts(value: unknown, position: Position, state: CursorState): Draft[] {
  const about = aboutDrafts(state);
  if (isTurnEnd(value)) return [...about, endDraft(value, position)];
  if (!isObject(value) || !isObject(value["message"])) {
    const text = clip(jsonText(value ?? null), 4000);
    return [...about, eventAt(position, { type: "unknown", reason: "A line that is not a message.", text })];
  }
  const { content } = value["message"];
  const blocks: Json[] =
    typeof content === "string" ? [{ type: "text", text: content }] : asArray(content).map(asObject);
  if (value["role"] === "assistant") return [...about, ...answerDrafts(blocks, position, state)];
  if (value["role"] === "user") {
    const said = blocks.flatMap((block, i) => userDrafts(block, i, position, state));
    return [...about, ...(said.length > 0 ? said : [noteAt(position, "empty message", "")])];
  }
  const reason = `A message of role "${clip(asText(value["role"]) ?? "", 60)}", which is not known.`;
  return [...about, eventAt(position, { type: "unknown", reason, text: clip(jsonText(value), 4000) })];
}

function userDrafts(block: Json, index: number, position: Position, state: CursorState): Draft[] {
  const text = asText(block["text"]);
  if (block["type"] === "text" && text !== null) return saidDrafts(text, position, state);
  return pieceDrafts(block, index, position, state, null);
}

type Said = { readonly text: string; readonly isFrame: boolean };

const [OPEN, CLOSE] = ["<user_query>", "</user_query>"];

/** A prompt is what is inside its tag, or a text without tags; what is around it the client wrote. The first one is a title. */
export function saidIn(
  text: string,
  state: CursorState,
): { readonly title: readonly Draft[]; readonly said: readonly Said[] } {
  const [before = "", ...tagged] = text.split(OPEN);
  const parts = [
    { text: before, isFrame: tagged.length > 0 || /^\s*<[a-z_]+>/.test(text) },
    ...tagged.flatMap((part): Said[] => {
      const end = part.includes(CLOSE) ? part.indexOf(CLOSE) : part.length;
      return [
        { text: part.slice(0, end).trim(), isFrame: false },
        { text: part.slice(end + CLOSE.length), isFrame: true },
      ];
    }),
  ].filter((part) => part.text.trim() !== "");
  const said = parts.length > 0 ? parts : [{ text, isFrame: false }];
  const title = state.hasTitle ? "" : (said.find(({ isFrame }) => !isFrame)?.text.trim() ?? "");
  state.hasTitle ||= title !== "";
  return { title: title === "" ? [] : [patchOf("", { title: clip(title, 300), titleRank: 0 })], said };
}

export function saidDrafts(text: string, given: Position, state: CursorState): Draft[] {
  const { title, said } = saidIn(text, state);
  const position = { ...given, ts: timeIn(text) ?? given.ts };
  const events = said.map((part) => eventAt(position, saidBody(part), { startsTurn: !part.isFrame }));
  return [...title, ...events];
}

const TIME =
  /^\s*<timestamp>\s*(?:[A-Za-z]+,\s*)?([A-Za-z]{3,9} \d{1,2}, \d{4}),?\s+(\d{1,2}:\d{2}(?::\d{2})?\s*[AP]M)\s*\(UTC(?:([+-])(\d{1,2})(?::?(\d{2}))?)?\)\s*<\/timestamp>/;

/** When a prompt was written, to the minute: the client says it before the words, in the person's own time. */
export function timeIn(text: string): number | null {
  const [, day, time, sign, hours = "0", minutes = "0"] = TIME.exec(text.slice(0, 200)) ?? [];
  if (day === undefined) return null;
  const beside = (Number(hours) * 60 + Number(minutes)) * 60_000;
  const ms = Date.parse(`${day} ${time} UTC`);
  return Number.isFinite(ms) ? ms - (sign === "-" ? -beside : beside) : null;
}

export const saidBody = ({ text, isFrame }: Said): EventBody => ({
  ...{ type: "user", text },
  ...(isFrame && { injected: "environment" }),
});

function answerDrafts(blocks: readonly Json[], position: Position, state: CursorState): Draft[] {
  const callKey = nameOf(position);
  const drafts = blocks.flatMap((block, i) => pieceDrafts(block, i, position, state, callKey));
  if (drafts.length === 0) drafts.push(noteAt(position, "empty answer", "", { callKey }));
  return [...drafts, callDraft(callKey)];
}

/** An answer is a model call of which nothing else is known. */
export const callDraft = (key: string): Draft => ({
  kind: "call",
  lane: "",
  key,
  ts: null,
  model: null,
  usage: null,
  outputLowerBound: false,
});

function pieceDrafts(
  block: Json,
  index: number,
  position: Position,
  state: CursorState,
  callKey: string | null,
): Draft[] {
  return pieceOf(block).map((piece, i) => {
    if (piece.kind === "text") {
      const body: EventBody =
        callKey === null ? { type: "user", text: piece.text } : { type: "assistant", text: piece.text };
      return eventAt(position, body, { callKey });
    }
    if (piece.kind === "image") {
      const attachments = [piece.attachment];
      const side = callKey === null ? ({ type: "user", injected: "file" } as const) : ({ type: "assistant" } as const);
      return eventAt(position, { ...side, text: "", images: imagesOf(attachments) }, { callKey, attachments });
    }
    const body = paired(unnamed(piece.body, state.pairing), `${position.byteStart}.${index}.${i}`, state.pairing);
    const isResult = body.type === "tool_result";
    const said: EventBody =
      isOrphan(body) && isResult ? { type: "user", text: body.text, injected: "environment" } : body;
    return eventAt(position, said, {
      callKey: isResult ? null : callKey,
      attachments: said === body ? (piece.attachments ?? []) : [],
    });
  });
}

/** Where the calls that wait have no name, one that a result has leads nowhere. */
const unnamed = (body: EventBody, { open }: Pairing): EventBody =>
  body.type === "tool_result" && open.length > 0 && open.every(([given]) => given === null || given === "")
    ? { ...body, toolCallId: null }
    : body;
