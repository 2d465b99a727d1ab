// A Markdown text in parts that can be drawn one after the other: cut where a new block surely begins, so that each part
// reads the same alone. Addresses of reference links are given to every part. Pure.

/** A part is cut at the next position after so much: some 15 ms to draw. */
const PART_CHARS = 6000;

export type MarkdownPart = {
  readonly text: string;
  /** First line in the whole, from 0: a key that does not move. */
  readonly line: number;
};

export function markdownParts(text: string): MarkdownPart[] {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const parts: MarkdownPart[] = [];
  const addresses: string[] = [];
  let from = 0;
  let chars = 0;
  let fence: string | null = null;
  lines.forEach((line, at) => {
    const opened: string | undefined = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    const canCut = fence === null && lines[at - 1]?.trim() === "" && beginsBlock(line);
    if (canCut && chars >= PART_CHARS) {
      parts.push({ text: lines.slice(from, at).join("\n"), line: from });
      from = at;
      chars = 0;
    }
    if (fence !== null) {
      if (opened?.startsWith(fence) && line.trim() === opened) fence = null;
    } else if (opened) fence = opened;
    else if (ADDRESS.test(line)) addresses.push(line);
    chars += line.length + 1;
  });
  parts.push({ text: lines.slice(from).join("\n"), line: from });
  if (parts.length === 1 || addresses.length === 0) return parts;
  const shared = `\n\n${firstOf(addresses).join("\n")}`;
  // What stands behind an open fence is code.
  return parts.map((part, at) =>
    fence !== null && at === parts.length - 1 ? part : { ...part, text: `${part.text}${shared}` },
  );
}

/** As many as a part has room for: a document of links alone would grow by its square. */
function firstOf(addresses: readonly string[]): readonly string[] {
  let chars = 0;
  const end = addresses.findIndex((address) => (chars += address.length + 1) > PART_CHARS);
  return end < 0 ? addresses : addresses.slice(0, end);
}

const ADDRESS = /^ {0,3}\[[^\]\n]{1,200}\]:\s*\S/u;

/** A line that continues no list, quote or indented block: after an empty line it begins something of its own. */
const beginsBlock = (line: string): boolean => /^(?![ \t>]|[-+*]\s|\d{1,9}[.)]\s|\|)\S/u.test(line);
