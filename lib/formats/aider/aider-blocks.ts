// The text of a chat history of Aider in blocks: what was typed (`#### `), what Aider printed (`> `), and answers, which have no mark.
// Aider ends a line with a mark with two blanks: by them it is told from headings and quotes of an answer.
import { linesOfText, type LineOfText } from "../lines-of-text.ts";

type BlockKind = "typed" | "printed" | "answer";
export type AiderBlock = { readonly kind: BlockKind; readonly lines: string[]; readonly from: number; to: number };
/** `start`: as Aider writes it, without a time zone; null for what stands before the first chat. */
export type AiderChat = {
  readonly start: string | null;
  readonly from: number;
  to: number;
  readonly blocks: AiderBlock[];
};

const START = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$/;
const TYPED = /^####(?: |$)/;
const PRINTED = /^>(?: |$)/;
const TOKENS = /^> Tokens: \d/;
const ENDED = / {2}$/;

/** Of the first line that says something. */
export const firstStart = (head: Uint8Array): string | null =>
  START.exec(new TextDecoder().decode(head.subarray(0, 4096)).trimStart().split("\n", 1)[0]!)?.[1] ?? null;

export const blockText = ({ lines }: AiderBlock): string => lines.join("\n").trim();

export function chatsIn(bytes: Uint8Array): AiderChat[] {
  const lines = linesOfText(bytes);
  const kinds = kindsOf(lines);
  const chats: AiderChat[] = [];
  for (const [i, { text, from, to }] of lines.entries()) {
    const kind = kinds[i]!;
    if (kind === "start" || chats.length === 0)
      chats.push({ start: START.exec(text)?.[1] ?? null, from, to, blocks: [] });
    if (kind === "start") continue;
    const chat = chats.at(-1)!;
    const last = chat.blocks.at(-1);
    if (kind === "blank") {
      if (last?.kind === "answer") last.lines.push("");
      continue;
    }
    const isSame = last?.kind === kind && (kind === "answer" || kinds[i - 1] === kind);
    const block: AiderBlock = isSame ? last : { kind, lines: [], from, to };
    if (!isSame) chat.blocks.push(block);
    block.lines.push(ownText(text, kind));
    block.to = chat.to = to;
  }
  return chats;
}

type LineKind = BlockKind | "start" | "blank";

function kindsOf(lines: readonly LineOfText[]): LineKind[] {
  const kinds: LineKind[] = [];
  // An editor that takes the blanks from the ends of lines takes all of them.
  const isTrimmed = !lines.some(({ text }) => ENDED.test(text) && (TYPED.test(text) || PRINTED.test(text)));
  // One output of several lines has its mark before the first, and its two blanks behind the last. Before an answer stands a blank line.
  let isOpen = false;
  for (const [i, { text }] of lines.entries()) {
    const before = kinds.at(-1) ?? "blank";
    const isMarked = isTrimmed || ENDED.test(text);
    const isPrinted = isMarked || TOKENS.test(text) || before === "typed" || before === "printed";
    const isRest = isOpen || (text.trim() !== "" && (before === "typed" || before === "printed"));
    let kind: LineKind = "answer";
    if (isStart(lines, i)) kind = "start";
    else if (isMarked && TYPED.test(text)) kind = "typed";
    else if ((isPrinted && PRINTED.test(text)) || isRest) kind = "printed";
    else if (text.trim() === "") kind = "blank";
    kinds.push(kind);
    isOpen = kind === "printed" && !isMarked && !TOKENS.test(text);
  }
  return kinds;
}

/** Aider writes a blank line before and behind it. */
const isStart = (lines: readonly LineOfText[], i: number): boolean =>
  START.test(lines[i]!.text) && [i - 1, i + 1].every((at) => (lines[at]?.text.trim() ?? "") === "");

function ownText(text: string, kind: BlockKind): string {
  if (kind === "answer") return text;
  return text.replace(kind === "typed" ? /^#### ?/ : /^> ?/, "").trimEnd();
}
