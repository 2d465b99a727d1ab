// Messages and contents of ATIF: a text, or parts of text and images.
import type { Attachment } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asObject, asText, isObject, type Json } from "../json.ts";
import { imagesOf } from "../placed-drafts.ts";

export type Said = { readonly text: string; readonly attachments: readonly Attachment[] };

/** What a model was sent or said. An image elsewhere is named; one inside stands beside the text. */
export function saidIn(content: unknown): Said {
  if (typeof content === "string") return { text: content, attachments: [] };
  if (content === undefined || content === null) return { text: "", attachments: [] };
  const attachments: Attachment[] = [];
  const texts = (Array.isArray(content) ? content : [content]).map((part) => {
    if (typeof part === "string") return part;
    const inside = imageIn(asObject(part));
    if (inside === null) return asText(asObject(part)["text"]) ?? jsonText(part);
    if (typeof inside === "string") return inside;
    attachments.push(inside);
    return null;
  });
  return { text: texts.filter((text) => text !== null && text !== "").join("\n"), attachments };
}

/** The bytes of an image, or its name where they lie elsewhere; null for another part. */
function imageIn(part: Json): Attachment | string | null {
  const source = isObject(part["source"]) ? part["source"] : asObject(part["image_url"]);
  const isImage = part["type"] === "image" || part["type"] === "image_url" || part["type"] === "input_image";
  const said = asText(source["media_type"]);
  // Since version 1.8 a part may be a recording: it is named.
  if (part["type"] === "audio" || said?.startsWith("audio/") === true)
    return `[${["audio", addressOf(source) ?? said].filter(Boolean).join(" ")}]`;
  if (!isImage && said === null) return null;
  const mediaType = said ?? "image/png";
  const bytes = asText(source["data"]);
  if (bytes !== null) return { mediaType, base64: bytes };
  const path = asText(source["path"]) ?? asText(source["url"]) ?? asText(part["image_url"]) ?? "";
  const [, type, base64] = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/s.exec(path) ?? [];
  if (base64 !== undefined) return { mediaType: type!, base64 };
  return `[image ${path === "" ? mediaType : path}]`;
}

/** Where the bytes lie; null where they are in the file. */
const addressOf = ({ path, url }: Json): string | null => {
  const address = asText(path) ?? asText(url) ?? "";
  return address === "" || address.startsWith("data:") ? null : address;
};

/** Images of a message, as its body has them. */
export const withImages = <T extends EventBody>(body: T, { attachments }: Said): T =>
  attachments.length === 0 ? body : { ...body, images: imagesOf(attachments) };
