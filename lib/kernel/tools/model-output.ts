// What a tool returned, as the model would see it: text that can be measured, and a way to put other text in its place
// without touching what stands beside it (an error flag, details, images).
import { textOfValue } from "../artifacts/pointer.ts";

export type ModelOutput = {
  readonly text: string;
  readonly isError: boolean;
  /** The output with `content` where its text was. */
  readonly replace: (content: string) => unknown;
};

type Block = { readonly type: string; readonly text?: unknown };

/** A string, any other value (as JSON), or a structured result: an object with `content`, a string or a list of blocks. */
export function modelOutputOf(output: unknown): ModelOutput {
  if (!isRecord(output)) return { text: textOfValue(output), isError: false, replace: (content) => content };
  const isError = output["isError"] === true || output["is_error"] === true;
  const { content } = output;
  if (typeof content === "string")
    return { text: content, isError, replace: (replaced) => ({ ...output, content: replaced }) };
  if (isBlocks(content))
    return {
      text: content.flatMap((block) => (typeof block.text === "string" ? [block.text] : [])).join("\n"),
      isError,
      replace: (replaced) => ({ ...output, content: withText(content, replaced) }),
    };
  // `{"error": "…"}` is how tools without a flag say that they failed.
  const said = output["error"];
  const failed = isError || (typeof said === "string" ? said !== "" : isRecord(said));
  return { text: textOfValue(output), isError: failed, replace: (replaced) => replaced };
}

/** All text in the place of the first text; images and other blocks stay. */
function withText(blocks: readonly Block[], text: string): Block[] {
  const first = blocks.findIndex((block) => typeof block.text === "string");
  return [
    ...blocks.slice(0, Math.max(first, 0)),
    { type: "text", text },
    ...blocks.slice(first + 1).filter((block) => typeof block.text !== "string"),
  ];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isBlocks = (value: unknown): value is readonly Block[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((block) => isRecord(block) && typeof block["type"] === "string");
