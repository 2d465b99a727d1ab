// Searches under a name, as the command line saves, lists and deletes them.
import { dropSearch, listSearches, saveSearch } from "#lib/archive/settings/marks.ts";
import { requireSearch } from "#lib/archive/search/scan-matches.ts";
import { saveSearchRequest, type SavedSearch } from "#lib/wire/marks-schema.ts";
import { WrongWords, type Words } from "./args.ts";
import { issueWords } from "./issue-words.ts";
import { requireMachine } from "./node-cache.ts";
import { reading, writing } from "./open-archive.ts";
import { oneLine, printJson, table } from "./print.ts";

export async function listSaved(words: Words): Promise<void> {
  requireMachine(words, "searches");
  const { searches } = await reading(words, async (archive) => listSearches(archive));
  if (words.options["json"] === true) return printJson({ searches });
  if (searches.length === 0) console.log("No saved searches. plimsoll search QUERY --save NAME saves one.");
  else
    console.log(
      table(
        ["name", "query"],
        searches.map(({ name, query }) => [oneLine(name, 80), oneLine(query, 200)]),
        new Set([0, 1]),
      ),
    );
}

export async function savedQuery(words: Words, name: string): Promise<string> {
  requireMachine(words, "searches");
  const { searches } = await reading(words, async (archive) => listSearches(archive));
  const found = searches.find((one) => one.name === name);
  if (found === undefined)
    throw new WrongWords(`No search is saved as "${name}". plimsoll search --saved lists those that are.`);
  return found.query;
}

export async function saveNamed(words: Words, name: string, query: string): Promise<void> {
  // One that cannot be read is not saved.
  requireSearch(query, Date.now());
  const { data: request, error } = saveSearchRequest.safeParse({ name, query });
  if (request === undefined)
    throw new WrongWords(issueWords(`The ${String(error.issues[0]!.path[0])}`, error.issues[0]!));
  requireMachine(words, "searches");
  await writing<SavedSearch>(words, "search-save", request, (archive) => saveSearch(archive, request));
}

export async function dropNamed(words: Words, name: string): Promise<void> {
  requireMachine(words, "searches");
  const answer = await writing<{ deleted: boolean }>(words, "search-drop", { name }, (archive) =>
    dropSearch(archive, { name }),
  );
  if (words.options["json"] === true) return printJson(answer);
  console.log(`Deleted the saved search "${oneLine(name, 80)}".`);
}
