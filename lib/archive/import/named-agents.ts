// Which agents a search names: one by its whole name, others by words of theirs. By parts of words, "pi" would be in "copilot".
import { FORMATS } from "#lib/formats/index.ts";
import { agentKeys, labelOf } from "./format-label.ts";

/** True for the formats that `agent:` asks for, by their id or label. */
export type NamesAgent = (format: string, label: string) => boolean;

export function agentsNamed(value: string): NamesAgent {
  const name = value.trim().toLowerCase();
  if (isWholeName(name)) return (format, label) => format === name || label.toLowerCase() === name;
  const isBeginning = name.endsWith("*");
  const asked = wordsOf(name);
  return (format, label) =>
    asked.length > 0 && [format, label].some((one) => hasWords(wordsOf(one), asked, isBeginning));
}

/** A session is of its format's agent, and of the one that its file names: that is what lists and usage call it. */
export const isNamedSession = (isNamed: NamesAgent, format: string, own: string | null): boolean =>
  isNamed(format, labelOf(format)) || (own !== null && agentKeys(own).some((key) => isNamed(key, key)));

/** The same as a pattern of PostgreSQL, whatever the case: for a session's format, and for the name of its agent. */
export function agentPattern(value: string): string {
  const name = value.trim().toLowerCase();
  const isNamed = agentsNamed(value);
  const known = FORMATS.flatMap(({ id, label }) => (isNamed(id, label) ? [id, label] : []));
  const whole = known.length === 0 ? [] : [`^(${known.map(inPattern).join("|")})$`];
  if (isWholeName(name)) return whole.join("");
  const asked = wordsOf(name);
  // Without a word nothing is named.
  if (asked.length === 0) return "^$";
  const end = name.endsWith("*") ? "" : "($|[^[:alnum:]])";
  return [...whole, `(^|[^[:alnum:]])${asked.join("[^[:alnum:]]+")}${end}`].join("|");
}

const inPattern = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`);

const isWholeName = (name: string): boolean =>
  FORMATS.some(({ id, label }) => id === name || label.toLowerCase() === name);

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/** One after the other; `isBeginning`: the last may go on. */
const hasWords = (words: readonly string[], asked: readonly string[], isBeginning: boolean): boolean =>
  words.some((_, at) =>
    asked.every((word, n) => {
      const found = words[at + n];
      return found === word || (isBeginning && n === asked.length - 1 && found?.startsWith(word) === true);
    }),
  );
