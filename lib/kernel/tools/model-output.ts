// What a tool returned, as the model would see it: text that can be measured, and a way to put other text in its place
// without touching what stands beside it (an error flag, details, images).
import { textOfValue } from "../artifacts/pointer.ts";

export type ModelOutput = {
  readonly text: string;
  readonly isError: boolean;
  /** The output with `content` where its text was. */
  readonly replace: (content: string) => unknown;
};

type Block = { readonly type: string; readonly text?: unknown; readonly resource?: unknown };

/**
 * A string, any other value (as JSON), a list of blocks, or a structured result: an object with `content`, a string or a
 * list of blocks. An MCP result may have `structuredContent` beside it, which clients send to the model too: it is
 * measured with the text, unless it says the same, and is gone where another text takes its place.
 */
export function modelOutputOf(output: unknown): ModelOutput {
  if (isBlocks(output) && output.every(isContent) && output.some(hasText))
    return { text: blocksText(output), isError: false, replace: (replaced) => withText(output, replaced) };
  if (!isRecord(output)) return { text: textOfValue(output), isError: false, replace: (content) => content };
  const isError = output["isError"] === true || output["is_error"] === true;
  const { content, structuredContent: structured, ...rest } = output;
  const hasStructured = structured !== undefined && structured !== null;
  if (typeof content === "string")
    return {
      text: withStructured(content, structured),
      isError,
      replace: (replaced) => ({ ...rest, content: replaced }),
    };
  if (isBlocks(content) || (hasStructured && (content === undefined || isEmpty(content)))) {
    const blocks = isBlocks(content) ? content : [];
    return {
      text: withStructured(blocksText(blocks), structured),
      isError,
      replace: (replaced) => ({ ...rest, content: withText(blocks, replaced) }),
    };
  }
  // `{"error": "…"}` is how tools without a flag say that they failed.
  const said = output["error"];
  const failed = isError || (typeof said === "string" ? said !== "" : isRecord(said));
  return { text: textOfValue(output), isError: failed, replace: (replaced) => replaced };
}

/** The text with what is structured beside it; that alone where there is no text, and nothing more where it is the same. */
function withStructured(text: string, structured: unknown): string {
  if (structured === undefined || structured === null) return text;
  const json = textOfValue(structured);
  if (text === "" || text === json) return json;
  return isSameJson(text, json) ? text : `${text}\n${json}`;
}

/** The same value, written with other white space. */
function isSameJson(text: string, json: string): boolean {
  if (text.length < json.length || !/^\s*[[{"]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}

const blocksText = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (hasText(block) ? [textOf(block)!] : [])).join("\n");

/** All text in the place of the first text; images and other blocks stay. */
function withText(blocks: readonly Block[], text: string): Block[] {
  const first = blocks.findIndex(hasText);
  return [
    ...blocks.slice(0, Math.max(first, 0)),
    { type: "text", text },
    ...blocks.slice(first + 1).filter((block) => !hasText(block)),
  ];
}

/** A block's own text, or that of the resource inside it. */
function textOf({ text, resource }: Block): string | null {
  if (typeof text === "string") return text;
  return isRecord(resource) && typeof resource["text"] === "string" ? resource["text"] : null;
}

const hasText = (block: Block): boolean => textOf(block) !== null;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const isBlocks = (value: unknown): value is readonly Block[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((block) => isRecord(block) && typeof block["type"] === "string");

/** A list that a tool returns bare may be rows with a `type` of their own: only these are blocks of a message. */
const CONTENT_TYPES = new Set(["text", "image", "image_url", "audio", "resource", "resource_link", "document", "file"]);
const isContent = ({ type }: Block): boolean => CONTENT_TYPES.has(type);
