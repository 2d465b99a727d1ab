// A conversation of Open Interpreter: one list of messages, of a person, the model and the computer. Code that the model wrote is a call,
// and all that the computer says behind it is the result.
import type { Attachment, Draft, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, asTime, clip, isObject, type Json } from "../json.ts";
import { elementNames, elementsIn, firstLine, headValue, restOfDocument, scanJson } from "../json-parts.ts";
import { eventAt, imagesOf, noteAt, patchOf, printOf, type Position } from "../placed-drafts.ts";

export type InterpreterState = { readonly id: string | null; readonly startedAt: number | null };

/** Releases before 0.2 have the code and its output in one message. */
const isEarly = (message: Json): boolean => "code" in message || "message" in message || "output" in message;

const isCode = (message: Json): boolean =>
  message["role"] === "assistant" &&
  (isEarly(message)
    ? asText(message["code"]) !== null && asText(message["language"]) !== null
    : message["type"] === "code" && asText(message["format"]) !== null);

/** Messages without code are like those of any program. */
export function isInterpreterList(value: unknown): boolean {
  const messages = asArray(value);
  if (messages.length === 0 || !messages.every((one) => isObject(one) && asText(one["role"]) !== null)) return false;
  return messages.some((one) => isCode(asObject(one)) || isComputer(asObject(one)));
}

const isComputer = ({ role, type }: Json): boolean =>
  role === "computer" && ["console", "image", "code", "message", "file"].includes(asText(type) ?? "");

const MONTHS = "January February March April May June July August September October November December".split(" ");

/** A file is named after its first words and its beginning. */
export function startInterpreter({ path, head }: SourceFile): InterpreterState {
  const [, name, month, day, year, time] =
    /([^\\/]*__([A-Z][a-z]+)_(\d\d)_(\d{4})_(\d\d-\d\d-\d\d))\.json$/.exec(path) ?? [];
  const number = MONTHS.indexOf(month ?? "") + 1;
  const first = asArray(headValue(head))[0];
  return {
    id: name ?? printOf(first === undefined ? new TextDecoder().decode(firstLine(head)) : jsonText(first)),
    startedAt:
      number === 0 ? null : asTime(`${year}-${String(number).padStart(2, "0")}-${day}T${time!.replaceAll("-", ":")}`),
  };
}

export const interpreterNames = (bytes: Uint8Array): string[] | null =>
  elementNames(bytes, "", (message, i) => `${i}.${printOf(jsonText(message))}`);

type Reading = {
  /** The answer that the messages so far are of. */
  call: string | null;
  /** Code whose output comes next, as far as it is there. */
  open: {
    readonly toolCallId: string;
    readonly texts: string[];
    readonly images: Attachment[];
    position: Position;
  } | null;
  isTitled: boolean;
};

export function* interpreterPieces(record: SourceRecord, state: InterpreterState): Generator<readonly Draft[]> {
  if (record.oversized === true) return;
  const { bytes, byteStart, line } = record;
  const scanned = scanJson(bytes, []);
  const reading: Reading = { call: null, open: null, isTitled: false };
  yield [
    patchOf("", {
      ...{ agentName: "Open Interpreter", quality: "Open Interpreter writes no model, no times and no tokens." },
      ...(state.startedAt !== null && { startedAt: state.startedAt }),
    }),
  ];
  for (const { value, range } of scanned.root === "array" ? elementsIn(bytes, scanned.lists.get("")) : []) {
    const own = { byteStart: byteStart + range.from, byteEnd: byteStart + range.to };
    if (isObject(value)) yield messageDrafts(value, { lane: "", ts: null, key: null, ...own }, reading);
    else yield [{ kind: "problem", line, ...own, reason: "A message that is not a JSON object." }];
  }
  yield [...resultDrafts(reading), ...restOfDocument(record, scanned)];
}

function messageDrafts(message: Json, position: Position, reading: Reading): Draft[] {
  if (message["role"] === "computer") return computerDrafts(message, position, reading);
  const before = resultDrafts(reading);
  switch (message["role"]) {
    case "user":
      reading.call = null;
      return [...before, ...promptDrafts(message, position, reading)];
    case "assistant":
      // What came back was sent with a call of its own.
      if (before.length > 0) reading.call = null;
      return [...before, ...answerDrafts(message, position, reading)];
    case "system":
      return [...before, eventAt(position, { type: "system", subtype: "prompt", text: textOfMessage(message) })];
  }
  return [...before, unknownDraft(message, position)];
}

const textOfMessage = ({ content, message }: Json): string => asText(content) ?? asText(message) ?? "";

function unknownDraft(message: Json, position: Position): Draft {
  const what = `role "${clip(asText(message["role"]) ?? "", 40)}" and type "${clip(asText(message["type"]) ?? "", 40)}"`;
  const reason = `A message of ${what}, which is not known.`;
  return eventAt(position, { type: "unknown", reason, text: clip(jsonText(message), 4000) });
}

function promptDrafts(message: Json, position: Position, reading: Reading): Draft[] {
  const text = textOfMessage(message);
  const attachments = imageIn(message);
  if (message["type"] === "image" && attachments.length === 0) return [noteAt(position, "image", clip(text, 300))];
  if (message["type"] === "file") return [noteAt(position, "file", clip(text, 300))];
  if (attachments.length > 0)
    return [
      eventAt(position, { type: "user", text: "", images: imagesOf(attachments), injected: "file" }, { attachments }),
    ];
  const title = reading.isTitled ? "" : text.trim();
  if (title !== "") reading.isTitled = true;
  return [
    ...(title === "" ? [] : [patchOf("", { title: clip(title, 300), titleRank: 0 as const })]),
    eventAt(position, { type: "user", text }, { startsTurn: true }),
  ];
}

/** `base64`, or `base64.png`: the rest of a format is the kind of picture. */
function imageIn({ type, format, content }: Json): Attachment[] {
  const found = /^base64(?:\.(\w+))?$/.exec(asText(format) ?? "");
  const base64 = asText(content);
  return type !== "image" || found === null || base64 === null
    ? []
    : [{ mediaType: `image/${found[1] ?? "png"}`, base64 }];
}

function answerDrafts(message: Json, position: Position, reading: Reading): Draft[] {
  const isNew = reading.call === null;
  reading.call ??= `n:${position.byteStart}`;
  const callKey = reading.call;
  const drafts: Draft[] = [];
  const text = textOfMessage(message);
  if (isCode(message)) {
    const [language, code] = isEarly(message) ? [message["language"], message["code"]] : [message["format"], text];
    if (isEarly(message) && text.trim() !== "")
      drafts.push(eventAt(position, { type: "assistant", text }, { callKey }));
    const toolCallId = `n:${position.byteStart}`;
    drafts.push(
      eventAt(position, { type: "tool_call", toolCallId, toolName: "execute", input: { language, code } }, { callKey }),
    );
    const output = asText(message["output"]);
    reading.open = { toolCallId, texts: output === null ? [] : [output], images: [], position };
  } else if (isEarly(message) || message["type"] === "message" || message["type"] === undefined)
    drafts.push(eventAt(position, { type: "assistant", text }, { callKey }));
  else drafts.push(unknownDraft(message, position));
  if (isNew)
    drafts.push({ kind: "call", lane: "", key: callKey, ts: null, model: null, usage: null, outputLowerBound: false });
  return drafts;
}

function computerDrafts(message: Json, position: Position, reading: Reading): Draft[] {
  const { open } = reading;
  const text = textOfMessage(message);
  // Shown to the person alone.
  if ((asText(message["recipient"]) ?? "assistant") !== "assistant" || message["type"] === "code")
    return [noteAt(position, "shown", clip(text, 1000))];
  const attachments = imageIn(message);
  if (open === null)
    return [
      eventAt(
        position,
        {
          type: "user",
          text: attachments.length > 0 ? "" : text,
          images: imagesOf(attachments),
          injected: "environment",
        },
        { attachments },
      ),
    ];
  if (attachments.length > 0) open.images.push(...attachments);
  else open.texts.push(text);
  open.position = { ...open.position, byteEnd: position.byteEnd };
  return [];
}

/** The output of the code before. The computer says nothing of code that was not run. */
function resultDrafts(reading: Reading): Draft[] {
  const { open } = reading;
  reading.open = null;
  if (open === null || open.texts.length + open.images.length === 0) return [];
  const { toolCallId, texts, images } = open;
  const text = texts.filter((one) => one !== "").join("\n");
  const body = { type: "tool_result", toolCallId, text, isError: false, saw: "full" } as const;
  return [
    eventAt(
      open.position,
      { ...body, ...(images.length > 0 && { images: imagesOf(images) }) },
      { attachments: images },
    ),
  ];
}
