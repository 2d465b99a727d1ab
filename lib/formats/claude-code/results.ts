// Tool results of Claude Code: what the model saw (`content`), and what the client knew beside it
// (`toolUseResult`, keyed by the tool and not by a schema).
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Attachment } from "#lib/kernel/draft.ts";
import type { EventBody, ImagePart, ResultDetail } from "#lib/kernel/event.ts";
import { partsOf, responseOf } from "../google-content.ts";
import { asArray, asNumber, asObject, asText, isObject, type Json } from "../json.ts";

/** A patch longer than this is left to the raw record (lines). */
const PATCH_LINES = 400;

export type Content = {
  text: string;
  /** The text without blocks of a kind that is not known, which stand in it as their JSON. */
  words: string;
  images: ImagePart[];
  attachments: Attachment[];
};

/** Text, images and documents of a message's content: a string, or a list of blocks. */
export function readContent(content: unknown): Content {
  if (typeof content === "string") return { text: content, words: content, images: [], attachments: [] };
  const texts: string[] = [];
  const unknown = new Set<number>();
  const images: ImagePart[] = [];
  const attachments: Attachment[] = [];
  for (const part of asArray(content)) {
    const block = asObject(part);
    const image = readImage(block);
    if (image !== null) {
      images.push({
        mediaType: image.mediaType,
        attachment: attachments.length,
        artifact: null,
        width: null,
        height: null,
      });
      attachments.push(image);
    } else if (typeof block["text"] === "string") texts.push(block["text"]);
    else if (isTextDocument(block)) texts.push(asText(asObject(block["source"])["data"])!);
    else if (typeof part === "string") texts.push(part);
    else unknown.add(texts.push(jsonText(part)) - 1);
  }
  const words = texts.filter((text, i) => text !== "" && !unknown.has(i)).join("\n");
  return { text: texts.join("\n"), words, images, attachments };
}

const isTextDocument = ({ type, source }: Json): boolean =>
  type === "document" && asObject(source)["type"] === "text" && typeof asObject(source)["data"] === "string";

/** The bytes of an `image` or `document` block, or null. Some agents, and MCP, keep them in the block itself. */
export function readImage(block: Json): Attachment | null {
  if (block["type"] !== "image" && block["type"] !== "document") return null;
  const source = asObject(block["source"]);
  const isOwn = block["source"] === undefined && typeof block["data"] === "string";
  const base64 = asText(isOwn ? block["data"] : source["data"]);
  if ((!isOwn && source["type"] !== "base64") || base64 === null) return null;
  const mediaType = isOwn ? (block["mediaType"] ?? block["mimeType"]) : source["media_type"];
  return { mediaType: asText(mediaType) ?? "application/octet-stream", base64 };
}

type Result = { body: Extract<EventBody, { type: "tool_result" }>; attachments: Attachment[]; fullText?: string };

/** One `tool_result` block. `richer` is the line's `toolUseResult`, given only when the line has one result. */
export function readResult(block: Json, richer: unknown): Result {
  const { content } = block;
  // iFlow has a result as Gemini's interface takes it, alone or with what was shown of it.
  const parts = isObject(content) ? partsOf(content["responseParts"] ?? content) : [];
  const response = parts.map(responseOf).find((one) => one !== null) ?? null;
  const told = isObject(content) ? (response?.text ?? jsonText(content)) : content;
  const { text, images, attachments } = readContent(told);
  const isError = block["is_error"] === true || response?.isError === true;
  const body: Result["body"] = {
    type: "tool_result",
    toolCallId: asText(block["tool_use_id"]),
    text,
    isError,
    saw: "full",
    ...(images.length > 0 && { images }),
  };
  const detail = readDetail(richer, text, isError);
  if (detail !== undefined) body.detail = detail;
  const isPreview = text.startsWith("<persisted-output>");
  const client = asObject(richer);
  const path = isPreview
    ? (asText(client["persistedOutputPath"]) ?? /saved to: ([^\n]+)/.exec(text.slice(0, 2000))?.[1])
    : MCP_NOTICE.exec(text.slice(0, 2000))?.[1];
  if (!isPreview && path === undefined) return { body, attachments };
  body.saw = "preview";
  body.offloadedBy = "agent";
  if (path !== undefined) body.storedPath = path.trim();
  const whole = wholeOutput(richer);
  const size = asNumber(client["persistedOutputSize"]) ?? statedBytes(text);
  if (size !== null) body.storedBytes = size;
  // Early versions wrote the whole output into the same line, 2.1.330 its first 30,000 characters: the file goes first.
  return whole !== null && whole.length > text.length ? { body, attachments, fullText: whole } : { body, attachments };
}

/** What an MCP server's long answer became; its size is told in characters. */
const MCP_NOTICE =
  /^Error: result \([^)\n]*\) exceeds maximum allowed tokens\. Output has been saved to ([^\n]+?)\.?(?:\n|$)/;

function wholeOutput(richer: unknown): string | null {
  if (typeof richer === "string") return richer;
  const client = asObject(richer);
  const stdout = asText(client["stdout"]);
  if (stdout !== null) return [stdout, asText(client["stderr"]) ?? ""].filter((part) => part !== "").join("\n");
  return asText(client["content"]) ?? asText(asObject(client["file"])["content"]);
}

/** Bytes that "Output too large (53.6KB)" names; the agent's KB are 1,024 bytes, so this is rounded. */
function statedBytes(text: string): number | null {
  const found = /\(([\d.]+)\s?(B|KB|MB|GB)\)/.exec(text.slice(0, 200));
  if (found === null) return null;
  const unit = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }[found[2] as "B" | "KB" | "MB" | "GB"];
  return Math.round(Number(found[1]) * unit);
}

function readDetail(richer: unknown, text: string, isError: boolean): ResultDetail | undefined {
  const detail: ResultDetail = {};
  const code = isError ? /^(?:Error: )?Exit code (\d+)/.exec(text.slice(0, 60))?.[1] : undefined;
  if (code !== undefined) detail.exitCode = Number(code);
  if (isObject(richer)) {
    if (richer["interrupted"] === true) detail.interrupted = true;
    const durationMs =
      asNumber(richer["totalDurationMs"]) ??
      asNumber(richer["durationMs"]) ??
      (asNumber(richer["durationSeconds"]) ?? Number.NaN) * 1000;
    if (durationMs >= 0) detail.durationMs = durationMs;
    const agentId = asText(richer["agentId"]);
    if (agentId !== null) detail.agentId = agentId;
    const agentTokens = asNumber(richer["totalTokens"]);
    if (agentTokens !== null) detail.agentTokens = agentTokens;
    const file = asObject(richer["file"]);
    const filePath = asText(richer["filePath"]) ?? asText(file["filePath"]);
    if (filePath !== null) detail.filePath = filePath;
    const totalLines = asNumber(file["totalLines"]);
    if (totalLines !== null) detail.totalLines = totalLines;
    const patch = readPatch(richer["structuredPatch"]);
    if (patch !== undefined) detail.patch = patch;
  }
  return Object.keys(detail).length > 0 ? detail : undefined;
}

function readPatch(value: unknown): ResultDetail["patch"] {
  const hunks = asArray(value).map(asObject);
  const patch = hunks.map((hunk) => ({
    oldStart: asNumber(hunk["oldStart"]) ?? 1,
    newStart: asNumber(hunk["newStart"]) ?? 1,
    lines: asArray(hunk["lines"]).filter((line) => typeof line === "string"),
  }));
  const lines = patch.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  return lines > 0 && lines <= PATCH_LINES ? patch : undefined;
}
