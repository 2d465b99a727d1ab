// Content of pi's messages: text, or blocks of text and images.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Attachment } from "#lib/kernel/draft.ts";
import type { ImagePart } from "#lib/kernel/event.ts";
import { asArray, asObject, asText, type Json } from "../json.ts";

export type PiContent = {
  readonly text: string;
  /** The text without blocks of a kind that is not known. */
  readonly words: string;
  /** Lengths of its texts, where there are several. */
  readonly blocks: readonly number[];
  readonly images: ImagePart[];
  readonly attachments: Attachment[];
};

/** Text and images of a content; a block of another kind stands as its JSON. */
export function readPiContent(content: unknown): PiContent {
  if (typeof content === "string") return { text: content, words: content, blocks: [], images: [], attachments: [] };
  const texts: string[] = [];
  const words: string[] = [];
  const attachments: Attachment[] = [];
  for (const part of asArray(content)) {
    const block = asObject(part);
    const image = readPiImage(block);
    if (image !== null) attachments.push(image);
    else {
      const said = asText(block["text"]) ?? asText(part);
      texts.push(said ?? jsonText(part));
      if (said !== null) words.push(said);
    }
  }
  const images = attachments.map(({ mediaType }, attachment) => imagePart(mediaType, attachment));
  const blocks = texts.length > 1 ? texts.map((text) => text.length) : [];
  return { text: texts.join("\n"), words: words.join("\n"), blocks, images, attachments };
}

const imagePart = (mediaType: string, attachment: number): ImagePart => ({
  mediaType,
  attachment,
  artifact: null,
  width: null,
  height: null,
});

/** The bytes of an image block, or null. */
export function readPiImage(block: Json): Attachment | null {
  const base64 = asText(block["data"]);
  if (block["type"] !== "image" || base64 === null) return null;
  return { mediaType: asText(block["mimeType"]) ?? "application/octet-stream", base64 };
}
