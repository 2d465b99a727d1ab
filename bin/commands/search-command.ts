import { fillIndex } from "#lib/archive/search/fill-index.ts";
import { searchArchive } from "#lib/archive/search/search-archive.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { scannedNote } from "#lib/kernel/search/scanned-note.ts";
import { searchQuery, type SearchAnswer, type SearchHit } from "#lib/wire/search-schema.ts";
import { numberOption, readRequest, textOption, WrongWords, type Run, type Words } from "./args.ts";
import { noteCache } from "./node-cache.ts";
import { reading } from "./open-archive.ts";
import { dropNamed, listSaved, savedQuery, saveNamed } from "./saved-searches.ts";
import { count, counted, oneLine, printJson, printProgress } from "./print.ts";

const SNIPPET_CHARS = 200;

export const run: Run = async (words) => {
  const drop = textOption(words, "drop");
  if (drop !== undefined) return dropNamed(words, drop);
  const isSaved = words.options["saved"] === true;
  if (isSaved && words.args.length === 0) return listSaved(words);
  const q = isSaved ? await savedQuery(words, words.args.join(" ")) : words.args.join(" ");
  if (q.trim() === "") throw new WrongWords("plimsoll search needs QUERY, --saved or --drop NAME.");
  const save = textOption(words, "save");
  if (save !== undefined) await saveNamed(words, save, q);
  return searchFor(words, q);
};

function searchFor(words: Words, q: string): Promise<void> {
  const limit = numberOption(words, "limit", 20);
  if (limit < 1 || limit > 100) throw new WrongWords("--limit takes a number from 1 to 100.");
  const sort = words.options["newest"] === true ? "newest" : "rank";
  const given = { q, limit, offset: numberOption(words, "offset", 0), sort };
  const request = readRequest(searchQuery, given, { q: "QUERY" });
  return reading(words, async (archive) => {
    noteCache(words);
    await catchUp(archive);
    const answer = await searchArchive(archive, request);
    if (words.options["json"] === true) printJson(answer);
    else print(answer, request.offset);
  });
}

/** No server may have run since the last import. On a disk that cannot be written it is searched as far as it is. */
async function catchUp(archive: Archive): Promise<void> {
  try {
    await fillIndex(archive, {
      onProgress: (done, total) => printProgress(`${count(done)} of ${count(total)} sessions indexed`),
    });
  } catch (error) {
    console.error(`The search index is not up to date: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    printProgress("");
  }
}

function print({ hits, total, isWhole, sessions, notes, index, scanned, ms }: SearchAnswer, offset: number): void {
  for (const note of notes) console.log(note);
  for (const hit of hits) console.log(linesOf(hit));
  if (hits.length === 0) console.log("Nothing found.");
  const found = `${count(total)}${isWhole ? "" : "+"} ${total === 1 ? "match" : "matches"} in ${counted(sessions, "session")}`;
  console.log(`${found}, ${Math.round(ms)} ms`);
  if (scanned !== null && !scanned.isWhole) console.log(scannedNote(scanned));
  if (index.sessions < index.of)
    console.log(`Indexed so far: ${count(index.sessions)} of ${count(index.of)} sessions.`);
  if (hits.length > 0 && offset + hits.length < total) console.log(`… more: --offset ${offset + hits.length}`);
}

function linesOf({ session, kind, seq, tool, at, artifact, line, snippet }: SearchHit): string {
  const where = artifact === null ? (seq === null ? "memory" : `event ${seq}`) : `${artifact} line ${line}`;
  const what = [kind, ...(tool === null ? [] : [tool]), ...(at === null ? [] : [at.slice(0, 16).replace("T", " ")])];
  return `${session.id}  ${oneLine(session.title, 60)}\n  ${where}  ${what.join("  ")}\n  ${oneLine(snippet.replaceAll(/[\u0002\u0003]/g, ""), SNIPPET_CHARS)}`;
}
