// An output that enters the context cut: its beginning and its end, and between them a line that says what is missing.
// The end always stays: what went wrong stands there, and designs that kept the beginning alone hid it.
import { headOf, tailOf } from "./preview.ts";
import { utf8Size } from "./pointer.ts";
import type { TruncateLimits } from "./policy.ts";

export type TruncateFacts = {
  readonly toolName?: string | null;
  readonly callId?: string | null;
  readonly exitCode?: number | null;
  /** Where the whole output can be had, or why it cannot: one sentence. */
  readonly rest?: string | null;
};

/** The text as it is when it is within the limits, else its head, a notice and its tail: at most max_bytes and max_lines. */
export function truncateOutput(text: string, limits: TruncateLimits, facts: TruncateFacts = {}): string {
  const sizeBytes = utf8Size(text);
  const lineCount = countLines(text);
  if (sizeBytes <= limits.max_bytes && lineCount <= limits.max_lines) return text;
  const notice = `\n${noticeOf(facts, sizeBytes, lineCount)}\n`;
  const room = Math.max(0, limits.max_bytes - utf8Size(notice));
  const tailBytes = Math.min(limits.tail_max_bytes, Math.max(Math.ceil(room * (1 - limits.head_share)), 1));
  const tailLines = Math.max(1, Math.floor((limits.max_lines - 1) * (1 - limits.head_share)));
  const tail = fitTail(text, Math.min(tailBytes, room), tailLines);
  const head = fitHead(text, room - utf8Size(tail), Math.max(1, limits.max_lines - 1 - tailLines));
  return `${head}${notice}${tail}`;
}

function noticeOf({ toolName, callId, exitCode, rest }: TruncateFacts, sizeBytes: number, lines: number): string {
  const parts = [
    `original ${sizeBytes} bytes, ${lines} lines`,
    ...(toolName ? [`tool ${headOf(toolName, 64)}`] : []),
    ...(callId ? [`call ${headOf(callId, 64)}`] : []),
    ...(exitCode === null || exitCode === undefined ? [] : [`exit code ${exitCode}`]),
  ];
  return `[output truncated: ${parts.join(", ")}; head and tail kept${rest ? `. ${rest}` : ""}]`;
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
