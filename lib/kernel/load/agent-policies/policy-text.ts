// Words of a session that go into a text which a person pastes into an agent's file: one line each, nothing hidden in it.
import { shownText } from "../../hidden-text.ts";
import { exactly } from "../../exactly.ts";

/** Names in one line of instructions; more make it a list that no agent heeds. */
const NAMED = 5;
const NAME_CHARS = 100;

export const counted = (count: number, noun: string): string => `${exactly(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Code spans cannot be left from inside: a name has no backtick and no line end. */
export const nameText = (name: string): string =>
  `\`${shownText(name)
    .replace(/[`\s]+/gu, " ")
    .trim()
    .slice(0, NAME_CHARS)}\``;

export function namesText(names: readonly string[]): string {
  const all = [...new Set(names)];
  const shown = all.slice(0, NAMED).map(nameText).join(", ");
  return all.length > NAMED ? `${shown} and ${all.length - NAMED} more` : shown;
}
