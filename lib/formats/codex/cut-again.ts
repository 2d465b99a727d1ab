// The texts of an MCP output as the model was sent them. Codex 0.169.0 cuts them to a budget of tokens before it writes them
// to its file, a mark in the place of what it took out; the mark makes the text longer than the budget, so that it is cut once
// more, with another mark, when it goes into the history that is sent. (codex-rs: output-truncation, context_manager/history.rs)

/** What the texts of one output may have together: 10,000 tokens and a fifth of them for what stands around. */
const BUDGET_TOKENS = 12_000;
/** Codex takes four bytes for a token. */
const TOKEN_BYTES = 4;
const MARK = /…\d{1,12} tokens truncated…/;
/** A cut falls between characters: each side may lack up to three bytes of its half. */
const SPARE_BYTES = 6;

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const tokensOf = (bytes: number): number => Math.ceil(bytes / TOKEN_BYTES);

/** The texts of an output's blocks; a text that was not cut to the budget stays as it is. */
export function cutAgain(texts: readonly string[]): string[] {
  // Nearly every output is whole: its bytes are not counted.
  if (!texts.some((text) => MARK.test(text))) return [...texts];
  let left = BUDGET_TOKENS;
  return texts.map((text) => {
    const bytes = bytesOf(text).length;
    const room = left * TOKEN_BYTES;
    left = Math.max(0, left - tokensOf(bytes));
    const mark = MARK.exec(text)?.[0];
    if (mark === undefined || tokensOf(bytes) * TOKEN_BYTES <= room) return text;
    const kept = bytes - bytesOf(mark).length;
    return kept <= room && kept >= room - SPARE_BYTES ? cutMiddle(text, room) : text;
  });
}

/** The first and the last half of a budget of bytes, and between them how many tokens were taken out. */
function cutMiddle(text: string, budget: number): string {
  const bytes = bytesOf(text);
  let start = Math.floor(budget / 2);
  let end = bytes.length - (budget - start);
  while (start > 0 && isInside(bytes[start]!)) start--;
  while (end < bytes.length && isInside(bytes[end]!)) end++;
  const removed = tokensOf(bytes.length - budget);
  const words = new TextDecoder();
  return `${words.decode(bytes.subarray(0, start))}…${removed} tokens truncated…${words.decode(bytes.subarray(end))}`;
}

/** True for a byte that goes on with a character. */
const isInside = (byte: number): boolean => (byte & 0xc0) === 0x80;
