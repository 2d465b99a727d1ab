// What OpenClaw's channels put around a person's words: who wrote it, where, in answer to what. The model is sent all of it;
// a reader looks for the words. Blocks are known by the mark that ends their first line, of older releases by their heading.

export type MessagePart = { readonly text: string; readonly isMetadata: boolean };

/** Ends the first line of a block since 2026.3. */
const MARK = "⟦openclaw:ctx⟧";
/** Before: "Conversation info (untrusted metadata):", "Replied message (untrusted, for context):" and others of that shape. */
const HEADING = /^[A-Z][A-Za-z -]{2,60} \(untrusted[^)\n]{0,60}\):$/;

/** A message in its parts, in order: joined by line breaks they are the message. One without metadata is one part. */
export function parted(text: string): MessagePart[] {
  if (!text.includes(MARK) && !text.includes("(untrusted")) return [{ text, isMetadata: false }];
  const lines = text.split("\n");
  const parts: { lines: string[]; isMetadata: boolean }[] = [];
  for (let at = 0; at < lines.length;) {
    const end = isHeading(lines[at]!) ? blockEnd(lines, at) : at;
    const isMetadata = end > at;
    const own = isMetadata ? lines.slice(at, end) : [lines[at]!];
    const last = parts.at(-1);
    if (last?.isMetadata === isMetadata) last.lines.push(...own);
    else parts.push({ lines: own, isMetadata });
    at = Math.max(end, at + 1);
  }
  return withoutEmpty(parts).map((part) => ({ text: part.lines.join("\n"), isMetadata: part.isMetadata }));
}

const isHeading = (line: string): boolean => line.trimEnd().endsWith(MARK) || HEADING.test(line.trimEnd());

/** A block goes to the end of its fence, else to the next empty line; empty lines behind it are its own. */
function blockEnd(lines: readonly string[], at: number): number {
  let end = at + 1;
  if (lines[end]?.trimStart().startsWith("```") === true) {
    const fence = lines.findIndex((line, i) => i > end && line.trim() === "```");
    end = fence < 0 ? lines.length : fence + 1;
  } else while (end < lines.length && lines[end]!.trim() !== "") end++;
  while (end < lines.length && lines[end]!.trim() === "") end++;
  return end;
}

/** Words that are only line breaks belong to the block before them. */
function withoutEmpty(parts: { lines: string[]; isMetadata: boolean }[]): typeof parts {
  const kept: typeof parts = [];
  for (const part of parts) {
    const last = kept.at(-1);
    const isEmpty = !part.isMetadata && part.lines.every((line) => line.trim() === "");
    if (last !== undefined && (isEmpty || last.isMetadata === part.isMetadata)) last.lines.push(...part.lines);
    else kept.push(part);
  }
  return kept;
}
