// What a tool gave back: text, images, and what the header of the text tells (exit code, wall time, size before the cut).
// Only the head and the tail are looked at: outputs are up to 40 KB each, and nearly all of a file.
import { jsonText } from "#lib/kernel/json-text.ts";
import type { Attachment } from "#lib/kernel/draft.ts";
import type { ImagePart, ResultDetail } from "#lib/kernel/event.ts";
import { asArray, asObject, asText } from "../json.ts";
import type { Json } from "../json.ts";
import { cutAgain } from "./cut-again.ts";
import { asInteger } from "./read.ts";

export type Content = { readonly text: string; readonly images: ImagePart[]; readonly attachments: Attachment[] };

export type Output = Content & {
  /** Lengths of its texts, where it has several. */
  readonly blocks: readonly number[];
  readonly isError: boolean;
  readonly cut: boolean;
  readonly detail: ResultDetail;
};

/** Text and images of a content array. Image bytes go to attachments; an image elsewhere stays as its address. */
export function contentOf(blocks: readonly unknown[]): Content {
  const texts: string[] = [];
  const images: ImagePart[] = [];
  const attachments: Attachment[] = [];
  for (const block of blocks) {
    if (typeof block === "string") {
      texts.push(block);
      continue;
    }
    const words = wordsIn(block);
    if (words !== null) texts.push(words);
    else if (isImage(block)) {
      const { image_url: url } = asObject(block);
      const address = asText(url) ?? asText(asObject(url)["url"]) ?? "";
      const attachment = attachmentOf(address);
      if (attachment === null) texts.push(`[image ${address.slice(0, 300)}]`);
      else addImage(attachment, images, attachments);
    } else if (block !== null && block !== undefined) texts.push(jsonText(block));
  }
  return { text: texts.join("\n"), images, attachments };
}

const wordsIn = (block: unknown): string | null =>
  asText(asObject(block)["text"]) ?? asText(asObject(block)["refusal"]);

const isImage = (block: unknown): boolean =>
  asObject(block)["type"] === "input_image" || asObject(block)["image_url"] !== undefined;

/** Neither words nor an image: a block of a later release. */
export const isUnknown = (block: unknown): boolean =>
  typeof block !== "string" && wordsIn(block) === null && !isImage(block);

export function addImage(attachment: Attachment, images: ImagePart[], attachments: Attachment[]): void {
  images.push({
    mediaType: attachment.mediaType,
    attachment: attachments.length,
    artifact: null,
    width: null,
    height: null,
  });
  attachments.push(attachment);
}

/** The bytes of a data address. */
export function attachmentOf(address: string): Attachment | null {
  if (!address.startsWith("data:")) return null;
  const comma = address.indexOf(",");
  if (comma < 0 || comma > 200) return null;
  const [mediaType = "", ...rest] = address.slice(5, comma).split(";");
  return rest.includes("base64") ? { mediaType: mediaType || "image/png", base64: address.slice(comma + 1) } : null;
}

/** An output: a string, a content array, or the older `{content, success}`. */
export function outputOf(output: unknown): Output {
  const older: Json = asObject(output);
  const body = asSent(older["content"] ?? older["content_items"] ?? output);
  const texts = Array.isArray(body) ? body.map((block) => asText(asObject(block)["text"])) : [];
  const blocks = texts.length > 1 ? texts.flatMap((text) => text?.length ?? []) : [];
  const content: Content =
    typeof body === "string"
      ? { text: body, images: [], attachments: [] }
      : Array.isArray(body)
        ? contentOf(body)
        : { text: body === null || body === undefined ? "" : jsonText(body), images: [], attachments: [] };
  const header = headerOf(content.text);
  const detail: ResultDetail = { ...header };
  const isError =
    older["success"] === false ||
    (detail.exitCode !== undefined && detail.exitCode !== null && detail.exitCode !== 0) ||
    isFailure(content.text);
  if (/^aborted(?: by user| after|$)/.test(content.text.slice(0, 40))) detail.interrupted = true;
  return {
    ...content,
    blocks: blocks.length === texts.length ? blocks : [],
    isError: isError || detail.interrupted === true,
    cut: isCut(content.text, detail.originalTokens),
    detail,
  };
}

/** Blocks with the words that the model was sent, where Codex cut them after it had written them down. */
function asSent(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  const positions = body.flatMap((block, i) => (asText(asObject(block)["text"]) === null ? [] : [i]));
  const texts = cutAgain(positions.map((i) => asText(asObject(body[i])["text"])!));
  return body.map((block: unknown, i) =>
    positions.includes(i) ? { ...asObject(block), text: texts[positions.indexOf(i)] } : block,
  );
}

const FAILURES =
  /^(?:apply_patch verification failed|unsupported (?:custom tool )?call|failed to (?:parse|execute|read|locate|spawn|connect)\b|execution error|tool call error|[a-z_]{3,40} failed(?: for [^\n:]{1,200})?: )/i;

/** Codex answers the model with these words when a tool could not run at all. */
const isFailure = (text: string): boolean => FAILURES.test(text.slice(0, 300));

/** exec_command writes `Chunk ID … Output:`, apply_patch and the older shell `Exit code: … Output:`, the oldest JSON. */
function headerOf(text: string): ResultDetail {
  if (text.startsWith('{"output":')) return jsonHeader(text.slice(-300));
  if (!/^(?:Chunk ID|Wall time|Exit code|Process exited|Command:)/.test(text.slice(0, 20))) return {};
  const end = text.indexOf("\nOutput:");
  const head = text.slice(0, end < 0 || end > 600 ? 600 : end);
  const detail: ResultDetail = {};
  const exit = /^(?:Process exited with code|Exit code:) (-?\d{1,10})$/m.exec(head)?.[1];
  if (exit !== undefined) detail.exitCode = asInteger(Number(exit));
  const seconds = /^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds?/m.exec(head)?.[1];
  if (seconds !== undefined) detail.durationMs = Math.round(Number(seconds) * 1000);
  const original = /^Original token count: (\d{1,12})$/m.exec(head)?.[1];
  if (original !== undefined) detail.originalTokens = Number(original);
  const lines =
    end < 0 ? undefined : /^\nOutput:\nTotal output lines: (\d{1,12})\n/.exec(text.slice(end, end + 60))?.[1];
  if (lines !== undefined) detail.totalLines = Number(lines);
  return detail;
}

function jsonHeader(tail: string): ResultDetail {
  const detail: ResultDetail = {};
  const metadata = tail.lastIndexOf('"metadata":');
  if (metadata < 0) return detail;
  const exit = /"exit_code":\s?(-?\d{1,10})/.exec(tail.slice(metadata))?.[1];
  if (exit !== undefined) detail.exitCode = asInteger(Number(exit));
  const seconds = /"duration_seconds":\s?(\d{1,9}(?:\.\d{1,9})?)/.exec(tail.slice(metadata))?.[1];
  if (seconds !== undefined) detail.durationMs = Math.round(Number(seconds) * 1000);
  return detail;
}

/**
 * The agent cut the output. It counts tokens as bytes / 4, so a whole output has exactly that many (856 of 887 in the
 * collected files); 12 whole ones were changed after the count and say up to 6 % more. The 19 that are cut carry a
 * mark in their middle; without the mark 10 % more is taken for a cut.
 */
function isCut(text: string, originalTokens: number | undefined): boolean {
  // An MCP answer's header has no count; it is cut at 48 kB.
  if (originalTokens === undefined)
    return text.length > 40_000 && text.startsWith("Wall time:") && /…\d+ tokens truncated…/.test(text);
  if (originalTokens * 4 <= text.length) return false;
  if (text.includes(" tokens truncated…")) return true;
  return originalTokens * 4 > new TextEncoder().encode(text).length * 1.1;
}

/** Unified hunks of a diff, as `{oldStart, newStart, lines}`. */
export function hunksOf(diff: string): NonNullable<ResultDetail["patch"]> {
  const hunks: NonNullable<ResultDetail["patch"]> = [];
  for (const line of diff.split("\n")) {
    const head = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@/.exec(line);
    if (head) hunks.push({ oldStart: Number(head[1]), newStart: Number(head[2]), lines: [] });
    else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

/** What patch_apply_end tells of one edited file. Several files in one patch: the call's own text shows them. */
export function patchDetail(changes: unknown): ResultDetail {
  const files = Object.entries(asObject(changes));
  if (files.length !== 1) return {};
  const [filePath, change] = files[0]!;
  const { unified_diff: diff, content } = asObject(change);
  const text = asText(diff);
  const added = asText(content);
  const sign = asObject(change)["type"] === "delete" ? "-" : "+";
  const patch =
    text !== null
      ? hunksOf(text)
      : added !== null
        ? [
            {
              oldStart: 0,
              newStart: 1,
              lines: added
                .replace(/\n$/, "")
                .split("\n")
                .map((line) => sign + line),
            },
          ]
        : [];
  // 256 KB: a detail is kept with its event; a larger diff is in the record's raw bytes.
  const chars = text?.length ?? added?.length ?? 0;
  return chars === 0 || chars > 256 * 1024 ? { filePath } : { filePath, patch };
}

/** Shorter ones are never cut: the smallest budget that a run asked for was 500 tokens. */
const LEAST_CHARS = 1000;
const CUT = /…\d+ (?:tokens|chars) truncated…|\[\.{3} omitted \d+ of \d+ lines/;

/** What the client's own log holds of a command's or an MCP tool's long output. */
export function clientOutput(payload: Json): string | null {
  const { Ok: ok, content } = asObject(payload["result"]);
  const blocks = asArray(asObject(ok)["content"] ?? content);
  const text = asText(payload["aggregated_output"]) ?? contentOf(blocks).text.replace(/^Truncated tool output:\n/, "");
  return text.length < LEAST_CHARS ? null : text;
}

/** True when the client's text is more of an output than a shown one, which is cut. Structured results are told in another shape. */
export const isMoreOf = (text: string, shown: string): boolean =>
  text.length > shown.length && CUT.test(shown) && shown.slice(0, 2000).includes(text.slice(0, 100));

/** Bytes of the whole, of which the client may have cut the middle too. */
export function wholeBytes(text: string, originalTokens: number | undefined): number {
  const own = bytesOf(text);
  const [mark = "", chars = "0"] = /…(\d{1,12}) chars truncated…/.exec(text) ?? [];
  return Math.max(own + (mark === "" ? 0 : Number(chars) - bytesOf(mark)), (originalTokens ?? 0) * 4 - 3);
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Messages in the content of an MCP result that failed. */
export const isMcpFailure = (result: unknown): boolean => {
  const { Ok: ok, Err: err, isError } = asObject(result);
  return err !== undefined || isError === true || asObject(ok)["isError"] === true || asObject(ok)["is_error"] === true;
};

/** Tools that a tool search found, as the model got them. */
export const toolsText = (tools: unknown): string => (asArray(tools).length === 0 ? "" : jsonText(tools));
