// What the reader chose on the sources page, as it stands in the URL.
import { debounce, parseAsString, parseAsStringLiteral, type inferParserType } from "nuqs/server";

const TYPING_MS = 150;

export const STATUSES = ["ok", "older copy", "earlier version", "gone", "failed", "skipped"] as const;

export const sourceParsers = {
  tab: parseAsStringLiteral(["files", "problems"] as const).withDefault("files"),
  q: parseAsString.withDefault("").withOptions({ history: "replace", limitUrlUpdates: debounce(TYPING_MS) }),
  status: parseAsStringLiteral(STATUSES),
  path: parseAsString,
};

/** What the server is asked about files. */
export function questionOf(choices: inferParserType<typeof sourceParsers>) {
  return { q: choices.q.trim(), status: choices.status };
}
