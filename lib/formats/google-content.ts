// Contents of Google's generateContent, as Gemini CLI and Qwen Code write them down: a role and parts. A part is a text, a thought,
// a call, a response or bytes.
import { NO_USAGE, type Attachment, type Usage } from "#lib/kernel/draft.ts";
import type { EventBody, ImagePart } from "#lib/kernel/event.ts";
import { jsonText } from "#lib/kernel/json-text.ts";
import { asArray, asCount, asObject, asText, asWhole, isObject, type Json } from "./json.ts";

/** Parts of a content; a bare text is one. */
export const partsOf = (content: unknown): Json[] =>
  typeof content === "string"
    ? [{ text: content }]
    : (Array.isArray(content) ? content : isObject(content) ? [content] : []).map((part) =>
        typeof part === "string" ? { text: part } : asObject(part),
      );

export type Words = {
  readonly text: string;
  /** The text without parts of a kind that is not known. */
  readonly words: string;
  readonly images: ImagePart[];
  readonly attachments: Attachment[];
};

/** Texts and images of the parts that are neither thought, call nor response; a part of another kind stands as its JSON. */
export function wordsOf(parts: readonly Json[]): Words {
  const texts: string[] = [];
  const words: string[] = [];
  const attachments: Attachment[] = [];
  for (const part of parts) {
    if (part["thought"] === true || part["functionCall"] !== undefined || part["functionResponse"] !== undefined)
      continue;
    const bytes = bytesOf(part);
    const text = asText(part["text"]);
    if (bytes !== null) attachments.push(bytes);
    else if (text !== null) {
      texts.push(text);
      words.push(text);
    } else if (Object.keys(part).length > 0) texts.push(jsonText(part));
  }
  return { text: texts.join("\n"), words: words.join("\n"), images: attachments.map(imageOf), attachments };
}

const imageOf = ({ mediaType }: Attachment, attachment: number): ImagePart => ({
  mediaType,
  attachment,
  artifact: null,
  width: null,
  height: null,
});

function bytesOf(part: Json): Attachment | null {
  const { data, mimeType } = asObject(part["inlineData"]);
  return typeof data === "string" ? { mediaType: asText(mimeType) ?? "application/octet-stream", base64: data } : null;
}

/** A part of the model's answer. */
export function answerBody(part: Json): EventBody | null {
  if (isObject(part["functionCall"])) {
    const { id, name, args } = part["functionCall"];
    return { type: "tool_call", toolCallId: asText(id), toolName: asText(name) ?? "unnamed", input: args ?? {} };
  }
  const text = asText(part["text"]);
  if (part["thought"] === true) return { type: "reasoning", text: text ?? "" };
  if (text !== null) return text === "" ? null : { type: "assistant", text };
  // A signature that came alone belongs to the thought before it.
  if (Object.keys(part).every((key) => key === "thoughtSignature")) return null;
  return { type: "unknown", reason: "A part of a kind that is not known.", text: jsonText(part).slice(0, 2000) };
}

export type Responded = { readonly toolCallId: string | null; readonly text: string; readonly isError: boolean };

/** What a tool gave back, in the words that were sent: `output`, else `error`, else all of it as JSON. */
export function responseOf(part: Json): Responded | null {
  if (!isObject(part["functionResponse"])) return null;
  const { id, response } = part["functionResponse"];
  const { output, error } = asObject(response);
  const isError = error !== undefined && output === undefined;
  return { toolCallId: asText(id), text: textOfResponse(isError ? error : (output ?? response)), isError };
}

const textOfResponse = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : jsonText(value);

/** Parts inside a response: images that a tool read. */
export const partsInside = (part: Json): Json[] => asArray(asObject(part["functionResponse"])["parts"]).map(asObject);

const EXIT_CODE = /(?:^|\n)Exit Code: (-?\d{1,10})(?:\n|$)/;

/** Below a shell's output the client writes how the command ended. */
export function exitCodeOf(text: string): number | undefined {
  const found = EXIT_CODE.exec(text.slice(-2000))?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Counts under the names of `usageMetadata`. */
export type Counts = {
  readonly prompt: unknown;
  readonly cached: unknown;
  readonly output: unknown;
  readonly thoughts: unknown;
  readonly tool: unknown;
  readonly total: unknown;
};

/**
 * The prompt has what was cached in it; what tools of the provider put into it is counted beside. Gemini counts thoughts beside the
 * output, others inside it: where a total is told it decides, since it is the sum of all.
 */
export function usageOfCounts({ prompt, cached, output, thoughts, tool, total }: Counts): Usage | null {
  if (asWhole(prompt) === null && asWhole(output) === null && asWhole(total) === null) return null;
  const sent = asCount(prompt) + asCount(tool);
  const cacheRead = Math.min(asCount(cached), sent);
  const [least, most] = [asCount(output), asCount(output) + asCount(thoughts)];
  const left = asCount(total) - sent;
  const answered = asCount(total) > 0 && left >= least && left <= most ? left : most;
  const usage = {
    ...NO_USAGE,
    inputUncached: sent - cacheRead,
    cacheRead,
    output: answered,
    reasoning: Math.min(asCount(thoughts), answered),
  };
  return sent + answered === 0 ? null : usage;
}

export const usageOfMetadata = (told: Json): Usage | null =>
  usageOfCounts({
    prompt: told["promptTokenCount"],
    cached: told["cachedContentTokenCount"],
    output: told["candidatesTokenCount"],
    thoughts: told["thoughtsTokenCount"],
    tool: told["toolUsePromptTokenCount"],
    total: told["totalTokenCount"],
  });
