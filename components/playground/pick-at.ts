// What stands at a position of a result: the key or the value, and the path to it from the value that jq wrote. Pure.
import type { JsonPick, JsonStep } from "#lib/kernel/jq/extend-program.ts";
import type { Output } from "./jq-output-view.ts";

const TOKEN = /"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|nan|[[\]{},:]/gu;

type Frame = { step: JsonStep; readonly isList: boolean };

/** Of the token at `at` in the text of one value; null where a bracket or nothing stands. */
export function pickIn(text: string, at: number): JsonPick | null {
  const frames: Frame[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (index > at) return null;
    const top = frames.at(-1);
    const isKey =
      token.startsWith('"') &&
      top?.isList === false &&
      /^\s*:/u.test(text.slice(index + token.length, index + token.length + 8));
    if (token === "{" || token === "[") frames.push({ step: token === "[" ? 0 : "", isList: token === "[" });
    else if (token === "}" || token === "]") frames.pop();
    else if (token === "," && top?.isList === true) top.step = Number(top.step) + 1;
    else if (isKey) top.step = JSON.parse(token) as string;
    if (index !== at) continue;
    if (/^[[\]{},:]$/u.test(token)) return null;
    return { path: frames.map(({ step }) => step), value: isKey ? null : token };
  }
  return null;
}

/** Of a column of a line of a result. What jq lays out begins and ends its values without a space. */
export function pickAt(output: Pick<Output, "text" | "startOf">, line: number, column: number): JsonPick | null {
  const { text } = output;
  let from = line;
  while (from > 0 && /[ \t\]}]/u.test(text[output.startOf(from)] ?? "")) from -= 1;
  const start = output.startOf(from);
  const at = output.startOf(line) + column;
  // A token may be long; nothing behind it is read.
  const end = text.indexOf("\n", at);
  return pickIn(text.slice(start, end < 0 ? text.length : end), at - start);
}

/** The key and the value of a line, as far as it has them. */
export function picksOf(output: Pick<Output, "text" | "startOf" | "lineAt">, line: number): JsonPick[] {
  const columns = [...output.lineAt(line).text.matchAll(TOKEN)].map(({ index }) => index);
  const picks = columns.slice(0, LINE_TOKENS).flatMap((column) => pickAt(output, line, column) ?? []);
  return [picks.find(({ value }) => value === null), picks.find(({ value }) => value !== null)].filter(
    (pick) => pick !== undefined,
  );
}

/** A line of compact output has many. */
const LINE_TOKENS = 8;
