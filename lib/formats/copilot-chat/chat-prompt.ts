// The prompt of a request as it was typed, between what the extension sent with it in the same message; images; what was attached.
import type { Attachment, Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asObject, asText, clip, isObject, type Json } from "../json.ts";
import { eventAt, imagesOf, noteAt, patchOf, type Position } from "../placed-drafts.ts";
import { pathOfParts } from "./chat-state.ts";
import { base64Of } from "./chat-outputs.ts";

type PromptPass = { hasTitle: boolean; context: string };

/** Tags around the typed words. */
const REQUEST = /<(userRequest|prompt)>\n?/g;
const END = /\n?<\/(?:userRequest|prompt)>/;

export function promptDrafts(value: Json, metadata: Json, position: Position, pass: PromptPass): Draft[] {
  const message = value["message"];
  const typed = asText(message) ?? asText(asObject(message)["text"]) ?? "";
  const sent = sentParts(metadata["renderedUserMessage"]);
  const isProgram = value["isSystemInitiated"] === true;
  const drafts: Draft[] = [];
  if (typed.trim() !== "" && !isProgram && !pass.hasTitle) {
    pass.hasTitle = true;
    drafts.push(patchOf("", { title: clip(typed.trim(), 300), titleRank: 0 }));
  }
  const context = sentParts(metadata["renderedGlobalContext"]).text;
  if (context.trim() !== "" && context !== pass.context) {
    pass.context = context;
    drafts.push(eventAt(position, { type: "user", text: context, injected: "environment" }));
  }
  const [before, after] = around(typed, sent.text);
  const attachments = sent.attachments.length > 0 ? sent.attachments : attachedImages(value);
  // Tags alone say nothing.
  const environment = (text: string): Draft[] =>
    text.replace(/<\/?(?:userRequest|prompt)>/g, "").trim() === ""
      ? []
      : [eventAt(position, { type: "user", text, injected: "environment" })];
  const body: EventBody = {
    type: "user",
    text: typed,
    ...(isProgram && { injected: "notification" }),
    ...(attachments.length > 0 && { images: imagesOf(attachments) }),
  };
  return [
    ...drafts,
    ...environment(before),
    eventAt(position, body, { startsTurn: !isProgram, attachments }),
    ...environment(after),
    ...attachedDrafts(value, position),
  ];
}

/** What stands before the typed words and behind them, where they stand in what was sent; else all that was sent but the request. */
function around(typed: string, sent: string): readonly [string, string] {
  if (sent === "") return ["", ""];
  const tag = [...sent.matchAll(REQUEST)].at(-1);
  const from = tag === undefined ? 0 : tag.index + tag[0].length;
  const at = typed === "" ? -1 : sent.indexOf(typed, from);
  if (at >= 0) return [sent.slice(0, at), sent.slice(at + typed.length)];
  if (tag === undefined) return [sent, ""];
  const end = sent.slice(from).search(END);
  return [sent.slice(0, from), end < 0 ? "" : sent.slice(from + end)];
}

type Sent = { readonly text: string; readonly attachments: readonly Attachment[] };

/** Texts and images of a message; marks of the cache say nothing. */
function sentParts(message: unknown): Sent {
  if (typeof message === "string") return { text: message, attachments: [] };
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const part of asArray(message).map(asObject)) {
    const text = asText(part["text"]);
    const [, mediaType, base64] =
      /^data:([\w.+/-]+);base64,(.*)$/s.exec(asText(asObject(part["imageUrl"])["url"]) ?? "") ?? [];
    if (text !== null && text !== "") texts.push(text);
    else if (mediaType !== undefined) attachments.push({ mediaType, base64: base64! });
  }
  return { text: texts.join("\n"), attachments };
}

const variablesOf = (value: Json): Json[] => asArray(asObject(value["variableData"])["variables"]).filter(isObject);

const isImage = (variable: Json): boolean =>
  variable["kind"] === "image" || variable["isImage"] === true || /^image\//.test(asText(variable["mimeType"]) ?? "");

function attachedImages(value: Json): Attachment[] {
  return variablesOf(value).flatMap((variable) => {
    const base64 = isImage(variable) ? base64Of(variable["value"]) : null;
    return base64 === null ? [] : [{ mediaType: asText(variable["mimeType"]) ?? "image/png", base64 }];
  });
}

/** Files and folders by their names: their content is in what was sent. */
function attachedDrafts(value: Json, position: Position): Draft[] {
  return variablesOf(value).flatMap((variable): Draft[] => {
    if (isImage(variable)) return [];
    const found = variable["value"];
    const path = pathOfParts(isObject(found) && isObject(found["uri"]) ? found["uri"] : found);
    const name = asText(variable["name"]) ?? "";
    const kind = asText(variable["kind"]) ?? "";
    const text = [kind, path ?? name].filter((one) => one !== "").join(" ");
    return text === "" ? [] : [noteAt(position, "attachment", clip(text, 300), path === null ? {} : { name: path })];
  });
}
