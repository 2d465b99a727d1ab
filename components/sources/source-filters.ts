// What the reader chose on the sources page, as it stands in the URL.
import { debounce, parseAsString, parseAsStringLiteral, type inferParserType } from "nuqs/server";

const TYPING_MS = 150;

export const STATUSES = ["ok", "older copy", "earlier version", "gone", "failed", "skipped"] as const;

/** Files that their agent deletes within a week are listed as a state of their own. */
const SOON = "soon";
const SOON_DAYS = 7;

export const sourceParsers = {
  tab: parseAsStringLiteral(["files", "problems"] as const).withDefault("files"),
  q: parseAsString.withDefault("").withOptions({ history: "replace", limitUrlUpdates: debounce(TYPING_MS) }),
  status: parseAsStringLiteral([...STATUSES, SOON] as const),
  path: parseAsString,
};

/** What the server is asked about files. */
export function questionOf(choices: inferParserType<typeof sourceParsers>) {
  const { status } = choices;
  const isSoon = status === SOON;
  return { q: choices.q.trim(), status: isSoon ? null : status, within: isSoon ? SOON_DAYS : null };
}
export type SourceQuestion = ReturnType<typeof questionOf>;
