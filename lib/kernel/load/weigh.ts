// What an event weighs in a context, before anything is reconciled: its category, the tokens that its text does not
// show, and the few words that name it in charts and tables.
import type { EventBody, ImagePart } from "../event.ts";
import { toolSummary } from "../log/tool-summary.ts";
import { claudeImageTokens } from "./image-tokens.ts";

const WEIGHING = ["prefix", "memory", "result", "call", "reasoning", "assistant", "user"] as const;
export type WeighingCategory = (typeof WEIGHING)[number];

/** Tokens a character of a signature or of encrypted reasoning takes; the readable summary adds nothing. Measured. */
const TOKENS_PER_SIGNATURE_CHAR = 0.195;
/** An image whose size is not known; known ones take what the provider's rule says. */
const IMAGE_TOKENS = 1550;
const LABEL_CHARS = 120;

/** The category under which an event's text is sent to the model, or null when it is not sent. */
export function categoryOf(body: EventBody): WeighingCategory | null {
  switch (body.type) {
    case "user":
      return body.injected === "summary" ? "memory" : "user";
    case "assistant":
      return "assistant";
    case "reasoning":
      return "reasoning";
    case "tool_call":
      return "call";
    case "tool_result":
      return "result";
    case "system":
      return "prefix";
    case "meta":
      return body.sent === "tools" ? "prefix" : (body.sent ?? null);
    case "compaction":
      // What stands in place of the results that it cleared.
      return body.kind === "micro" && body.blocks !== undefined ? "result" : null;
    default:
      return null;
  }
}

/** Estimated tokens beside the counted text: images, and reasoning that only its signature stands for. */
export function extraTokens(body: EventBody): number {
  if (body.type === "reasoning") return Math.round((body.signatureChars ?? 0) * TOKENS_PER_SIGNATURE_CHAR);
  if (!("images" in body)) return 0;
  return (body.images ?? []).reduce((sum, image) => sum + imageTokens(image), 0);
}

function imageTokens({ width, height }: ImagePart): number {
  return width === null || height === null ? IMAGE_TOKENS : claudeImageTokens(width, height);
}

/** True when an event's weight is its text; reasoning with a signature weighs what the signature says. */
export function weighsByText(body: EventBody): boolean {
  return categoryOf(body) !== null && !(body.type === "reasoning" && (body.signatureChars ?? 0) > 0);
}

/** A few words that name an event: a tool and what it was about, or the first words. */
export function labelOf(body: EventBody): string {
  if (body.type === "tool_call")
    return clip(`${body.toolName} ${toolSummary(body.toolName, body.input, { shortPaths: true })}`);
  if (body.type === "meta" && (body.name ?? body.rendered) !== undefined)
    return clip(
      [body.subtype, body.name ?? "", body.text.replace(/^<system-reminder>\s*/, "")].filter(Boolean).join(" "),
    );
  if (body.type === "meta" || body.type === "system") return clip(`${body.subtype} ${body.text}`);
  if (body.type === "compaction") return body.kind === "micro" ? "Cleared results" : "Compaction";
  if (body.type === "rewind") return "Rewind";
  return clip(body.text);
}

function clip(text: string): string {
  // Mostly twice its length are enough to fill a label; what is nearly all white space takes more.
  const line = squeezed(text, LABEL_CHARS * 2);
  const isEnough = line.length > LABEL_CHARS || text.length <= LABEL_CHARS * 2;
  return cut(isEnough ? line : squeezed(text, LABEL_CHARS * 5));
}

const squeezed = (text: string, chars: number): string => text.slice(0, chars).replace(/\s+/g, " ").trim();

function cut(line: string): string {
  return line.length > LABEL_CHARS ? `${line.slice(0, LABEL_CHARS - 1)}…` : line;
}
