// What a tool gave back, as it is stored for the model: texts, the elements of prompt-tsx that make up a text, and bytes.
import type { Attachment } from "#lib/kernel/draft.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asObject, asText, isObject, type Json } from "../json.ts";

export type ToolOutput = { readonly text: string; readonly attachments: readonly Attachment[] };

export function readToolOutput(content: unknown): ToolOutput {
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const part of asArray(content)) {
    const value = typeof part === "string" ? part : asObject(part)["value"];
    const data = dataOf(asObject(part));
    if (typeof value === "string") texts.push(value);
    else if (isObject(asObject(value)["node"])) texts.push(elementText(asObject(value)["node"] as Json, attachments));
    else if (data !== null && /^image\//.test(data.mediaType)) attachments.push(data);
    else if (data !== null && /^text\/|json\b/.test(data.mediaType))
      texts.push(Buffer.from(data.base64, "base64").toString("utf8"));
    else texts.push(jsonText(part ?? null));
  }
  return { text: texts.join("\n"), attachments };
}

function dataOf(part: Json): Attachment | null {
  const mediaType = asText(part["mimeType"]);
  const base64 = base64Of(part["data"] ?? part["value"]);
  return mediaType === null || base64 === null ? null : { mediaType, base64 };
}

/** Bytes as base64, as a list of numbers, or as an object with a number for each position. */
export function base64Of(value: unknown): string | null {
  if (typeof value === "string")
    return /^[\w+/-]*={0,2}$/.test(value) ? value : (/^data:[\w.+/-]+;base64,(.*)$/s.exec(value)?.[1] ?? null);
  if (isObject(value)) {
    if (typeof value["$base64"] === "string") return value["$base64"];
    if (Array.isArray(value["data"])) return base64Of(value["data"]);
  }
  const bytes = Array.isArray(value) ? value : isObject(value) && "0" in value ? Object.values(value) : null;
  const isBytes = bytes?.every((byte) => typeof byte === "number" && byte >= 0 && byte <= 255) === true;
  return isBytes && bytes.length > 0 ? Buffer.from(bytes as number[]).toString("base64") : null;
}

const [TEXT, IMAGE] = [2, 3];
/** A break always, or where no text stands before it in the same element. */
const [ALWAYS, BEHIND_ELEMENT] = [1, 2];
/** Deeper ones are no outputs. */
const DEPTH = 400;

function elementText(root: Json, attachments: Attachment[]): string {
  let text = "";
  const visit = (node: Json, isBehindText: boolean, depth: number): void => {
    if (node["type"] === TEXT) {
      const breaks = node["lineBreakBefore"];
      const isBroken = breaks === ALWAYS || breaks === true || (breaks === BEHIND_ELEMENT && !isBehindText);
      if (isBroken && text !== "" && !text.endsWith("\n")) text += "\n";
      text += asText(node["text"]) ?? "";
      return;
    }
    const src = node["ctor"] === IMAGE ? base64Of(asObject(node["props"])["src"]) : null;
    if (src !== null) attachments.push({ mediaType: imageType(src), base64: src });
    if (depth >= DEPTH) return;
    let before = false;
    for (const child of asArray(node["children"]).map(asObject)) {
      visit(child, before, depth + 1);
      before = child["type"] === TEXT;
    }
  };
  visit(root, false, 0);
  return text;
}

/** By their first bytes. */
const imageType = (base64: string): string =>
  base64.startsWith("/9j/")
    ? "image/jpeg"
    : base64.startsWith("R0lGOD")
      ? "image/gif"
      : base64.startsWith("UklGR")
        ? "image/webp"
        : "image/png";
