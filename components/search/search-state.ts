// What the reader searches for, as it stands in the URL, and the question to the server that follows from it.
import { debounce, parseAsBoolean, parseAsString, parseAsStringLiteral, type inferParserType } from "nuqs/server";
import { askedQuery } from "../ui/typed.ts";

/** Longer than for a list: each search reads the text of its results. */
const TYPING_MS = 200;

export const searchParsers = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", limitUrlUpdates: debounce(TYPING_MS) }),
  sort: parseAsStringLiteral(["rank", "newest"] as const).withDefault("rank"),
  /** More results than the first are shown; another query begins with the first ones again. */
  more: parseAsBoolean.withDefault(false).withOptions({ history: "replace" }),
};
type SearchChoices = inferParserType<typeof searchParsers>;

const FIRST_RESULTS = 20;
export const MOST_RESULTS = 100;

export const questionOf = ({ q, sort, more }: SearchChoices) => ({
  q: askedQuery(q),
  sort,
  limit: more ? MOST_RESULTS : FIRST_RESULTS,
});
