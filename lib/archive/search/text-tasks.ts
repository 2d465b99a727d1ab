// What a fleet's search does with texts that the database gave it: an expression takes the processor for as long as on one machine.
import type { SearchHit } from "#lib/wire/search-schema.ts";
import type { SearchTerm } from "#lib/kernel/search/search-query.ts";
import type { Archive } from "../base/archive-type.ts";
import type { SearchTask } from "../base/search-task.ts";
import type { Match } from "./find-matches.ts";
import { tryPatterns } from "./scan-matches.ts";
import { shownHits, type Shown } from "./search-hits.ts";

/** They look into nothing else. */
type Searched = Pick<Archive, "searcher">;

type Tried = { readonly texts: readonly string[]; readonly terms: readonly SearchTerm[]; readonly mostMs: number };

/** `fits`: numbers of the texts that all expressions fit, of the first `tried`. */
export const tryTextsTask = {
  name: "try texts",
  run: async (_, { texts, terms, mostMs }) => {
    const { found, tried } = await tryPatterns([...texts.keys()], terms, (n) => texts[n]!, mostMs);
    return { fits: found, tried };
  },
} satisfies SearchTask<Tried, { readonly fits: readonly number[]; readonly tried: number }, Searched>;

type Page = { readonly page: readonly (readonly [Match, text: string])[]; readonly shown: Shown };

export const showTextsTask = {
  name: "show texts",
  run: (_, { page, shown }) => {
    const texts = new Map(page);
    return shownHits([...texts.keys()], shown, (match) =>
      Promise.resolve({ text: texts.get(match)!, artifact: null, startLine: 1 }),
    );
  },
} satisfies SearchTask<Page, SearchHit[], Searched>;
