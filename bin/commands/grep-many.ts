// One pattern through several artifacts, all of a session, or all of the archive: printed as they are found.
import { takeNotes } from "#lib/archive/artifacts/note-read.ts";
import { tryResolve } from "#lib/archive/artifacts/resolve.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { findSession, sessionIdOf } from "#lib/archive/base/find-session.ts";
import { grepArtifacts } from "#lib/archive/playground/grep-artifacts.ts";
import { matchingArtifacts } from "#lib/archive/sessions/matching-artifacts.ts";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { grepManyRun, type GrepManyEnd, type GrepManyFound, type GrepManyRun } from "#lib/wire/grep-many-schema.ts";
import { saveReads } from "./artifact-questions.ts";
import { textsOption, WrongWords, type Words } from "./args.ts";
import { issueWords } from "./issue-words.ts";
import { reading } from "./open-archive.ts";
import { count, oneLine, plain, printJson, printProgress } from "./print.ts";

export async function grepMany(words: Words): Promise<number> {
  const [pattern, ...options] = words.args;
  if (options[0]?.startsWith("-") === false)
    throw new WrongWords(`With --in or --all, grep takes PATTERN alone, and no "${options[0]}".`);
  const isJson = words.options["json"] === true;
  const all: GrepManyFound[] = [];
  const { end, reads } = await reading(words, async (archive) => {
    const run = grepManyRun.safeParse({ pattern, options, ...linesOf(words) });
    if (!run.success) throw new WrongWords(issueWords(String(run.error.issues[0]!.path[0]), run.error.issues[0]!));
    const chosen = await chosenOf(archive, words);
    const asker = { who: "command line", isPerson: false, session: null };
    const found = await grepArtifacts(archive, { ...run.data, ...chosen }, asker, {
      onStart: () => {},
      onPiece: (piece) => {
        if (piece.type === "progress") printProgress(`${count(piece.searched)} artifacts searched`);
        if (piece.type !== "found") return;
        if (isJson) all.push(piece);
        else printFound(piece);
      },
    });
    return { end: found, reads: takeNotes(archive) };
  });
  printProgress("");
  if (isJson) printJson({ found: all, end });
  else if (end.failure !== null) console.error(plain(end.failure.message));
  else console.log(endText(end));
  await saveReads(words, reads);
  return end.failure === null ? 0 : 1;
}

const linesOf = (words: Words): object =>
  words.options["lines"] === undefined ? {} : { lines: Number(words.options["lines"]) };

/** What --in names: artifacts one by one, and all of a session. */
async function chosenOf(archive: Archive, words: Words): Promise<Partial<GrepManyRun>> {
  const names = textsOption(words, "in");
  if (names.length === 0) return {};
  const pointers: string[] = [];
  for (const name of names) {
    const row = tryResolve(archive, name, { sessionPk: null });
    if (row !== null) {
      pointers.push(row.pointer);
      continue;
    }
    const session = sessionIdOf(archive, findSession(archive, name))!;
    if (names.length === 1) return { filter: { ...ALL, session } };
    const { rows } = await matchingArtifacts(archive, { ...ALL, session }, LIMITS.grepManyArtifacts);
    pointers.push(...rows.map(({ pointer }) => pointer));
  }
  return { artifacts: [...new Set(pointers)].slice(0, LIMITS.grepManyArtifacts) };
}

const ALL: GrepManyRun["filter"] = { q: "", sort: "created", dir: "asc" };
const TITLE_CHARS = 80;

function printFound({ artifact, lines, matches, omitted, sameBytes }: GrepManyFound): void {
  printProgress("");
  const same = sameBytes === 0 ? "" : `, and ${count(sameBytes)} more with the same bytes`;
  console.log(`${oneLine(artifactTitle(artifact), TITLE_CHARS)}  ${artifact.pointer}${same}`);
  if (lines.length === 0) console.log(`  ${count(matches)}`);
  for (const { line, text, isContext } of lines) console.log(`  ${line}${isContext ? "-" : ":"}${plain(text)}`);
  if (omitted > 0) console.log(`  … ${count(omitted)} more ${omitted === 1 ? "line" : "lines"}`);
}

/** What was found, and what was not read. */
export function endText(end: GrepManyEnd): string {
  const { searched, artifacts, matched, shown, matches, noText, gone, unreadable, leftOut, isWhole } = end;
  const left: [number, string][] = [
    [noText, "not text"],
    [gone, "deleted or expired"],
    [unreadable, "missing or damaged"],
    [leftOut, `past the first ${count(LIMITS.grepManyArtifacts)}`],
  ];
  const not = left.filter(([some]) => some > 0).map(([some, why]) => `${count(some)} ${why}`);
  return [
    `${count(matches)} ${matches === 1 ? "line" : "lines"} in ${count(shown)} of ${count(matched)} artifacts that match; ${count(searched)} of ${count(artifacts)} searched in ${Math.round(end.ms)} ms.`,
    ...(not.length > 0 ? [`Not searched: ${not.join(", ")}.`] : []),
    ...(isWhole ? [] : ["Stopped at its deadline: there may be more."]),
  ].join("\n");
}
