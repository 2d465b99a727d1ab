// An output that enters the context cut: its beginning and its end, and between them a line that says what is missing.
// The end always stays: what went wrong stands there, and designs that kept the beginning alone hid it.
import { utf8Size } from "./pointer.ts";
import { countChars, headOf, tailOf } from "./preview.ts";
import type { TruncateLimits } from "./offload-presets.ts";

export type TruncateFacts = {
  readonly toolName?: string | null;
  readonly callId?: string | null;
  readonly exitCode?: number | null;
  /** Where the whole output can be had, or why it cannot: one sentence. */
  readonly rest?: string | null;
  /** Size of the whole output, where `text` is only its two ends. */
  readonly whole?: { readonly sizeBytes: number; readonly lineCount: number };
};

/** Two tiers: what commands print is cut earlier than what other tools return. */
export const TRUNCATE_TIERS = {
  tool: { max_bytes: 12_288, max_lines: 400, head_share: 0.7, tail_max_bytes: 4096 },
  exec: { max_bytes: 6144, max_lines: 200, head_share: 0.7, tail_max_bytes: 4096 },
} as const satisfies Record<string, TruncateLimits>;

/** Characters that any one result may bring into a context, whatever the policy: 32,000, and 1/32 of a small window at
 *  4 characters a token (16,000 of 128,000 tokens). Measured on the text that enters, after everything that changes it. */
export function resultCharsOf(windowTokens: number | null): number {
  return windowTokens === null ? RESULT_CHARS : Math.min(RESULT_CHARS, Math.floor(windowTokens / 8));
}
const RESULT_CHARS = 32_000;

/** The last cap before a result enters a context: both ends of it, when it has more characters than it may bring. */
export function capResult(text: string, windowTokens: number | null, facts: TruncateFacts = {}): string {
  const chars = resultCharsOf(windowTokens);
  if (text.length <= chars || countChars(text) <= chars) return text;
  // A character has at least one byte, so a text of so many bytes has no more characters.
  const limits = { max_bytes: Math.max(chars, 256), max_lines: Infinity, head_share: 0.7, tail_max_bytes: chars };
  return truncateOutput(text, limits, facts);
}

/** The text as it is when it is within the limits, else its head, a notice and its tail: at most max_bytes and max_lines. */
export function truncateOutput(text: string, limits: TruncateLimits, facts: TruncateFacts = {}): string {
  const whole = facts.whole ?? { sizeBytes: utf8Size(text), lineCount: countLines(text) };
  if (whole.sizeBytes <= limits.max_bytes && whole.lineCount <= limits.max_lines) return text;
  const notice = noticeOf(facts, whole, limits.max_bytes / 2);
  const room = limits.max_bytes - utf8Size(notice) - 1;
  const tailShare = 1 - limits.head_share;
  const tailBytes = Math.min(limits.tail_max_bytes, Math.max(1, Math.ceil(room * tailShare)));
  const tailLines = Math.min(limits.max_lines - 2, Math.max(1, Math.floor((limits.max_lines - 1) * tailShare)));
  const tail = fitTail(text, Math.max(LEAST_BYTES, tailBytes), tailLines);
  const head = fitHead(text, room - utf8Size(tail), limits.max_lines - 1 - tailLines);
  return `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${notice}${tail}`;
}

/** A tail of fewer bytes might hold no character. */
const LEAST_BYTES = 4;

/** One line. Names that are too long for it are left out: they are data, and may be of any length. */
function noticeOf(
  facts: TruncateFacts,
  { sizeBytes, lineCount }: { sizeBytes: number; lineCount: number },
  most: number,
): string {
  const { toolName, callId, exitCode, rest } = facts;
  const size = `original ${sizeBytes} bytes, ${lineCount} lines`;
  const names = [
    ...(toolName ? [`tool ${toolName}`] : []),
    ...(callId ? [`call ${callId}`] : []),
    ...(exitCode === null || exitCode === undefined ? [] : [`exit code ${exitCode}`]),
  ];
  const notices = [[size, ...names].join(", "), size].map(
    (what, i) => `[output truncated: ${what}; head and tail kept${rest && i === 0 ? `. ${rest}` : ""}]\n`,
  );
  const full = notices[0]!.replace(/[\p{Cc}\u2028\u2029]+(?!$)/gu, " ");
  return utf8Size(full) <= most ? full : notices[1]!;
}

function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

function fitHead(text: string, bytes: number, lines: number): string {
  let end = -1;
  for (let i = 0; i < lines; i++) {
    const next = text.indexOf("\n", end + 1);
    if (next < 0) {
      end = text.length;
      break;
    }
    end = next;
  }
  return fitBytes(text.slice(0, Math.min(end, bytes)), bytes, headOf);
}

function fitTail(text: string, bytes: number, lines: number): string {
  let start = text.endsWith("\n") ? text.length - 1 : text.length;
  for (let i = 0; i < lines && start >= 0; i++) start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  return fitBytes(text.slice(Math.max(start + 1, text.length - bytes)), bytes, tailOf);
}

/** As many characters as fit, found by halving. */
function fitBytes(text: string, bytes: number, cut: (text: string, chars: number) => string): string {
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (utf8Size(cut(text, middle)) <= bytes) low = middle;
    else high = middle - 1;
  }
  return cut(text, low);
}
