import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { readAgain, type ReadAgainResult } from "#lib/archive/import/read-again.ts";
import { saveArchivedOption } from "#lib/archive/sources/archived-option.ts";
import { importAll } from "#lib/archive/bundle/import-all.ts";
import { followPrices, keepPrices } from "#lib/archive/settings/model-settings.ts";
import { foldersByName, rootsOf } from "#lib/archive/sources/source-roots.ts";
import type { ImportAnswer, ImportProgress } from "#lib/wire/sources-schema.ts";
import { writing } from "./open-archive.ts";
import { bytes, count, counted, plain, printJson, printProgress } from "./print.ts";
import { WrongWords, type Run } from "./args.ts";
import { growYoungHeap } from "./young-heap.ts";

export const run: Run = async (words) => {
  const paths = words.args.map((path) => resolve(path));
  const [on, off] = [words.options["archived"] === true, words.options["no-archived"] === true];
  if (on && off) throw new WrongWords("Say --archived or --no-archived, not both.");
  const archived = on || off ? { archived: on } : {};
  growYoungHeap();
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once("SIGINT", onSignal);
  process.once("SIGTERM", onSignal);
  const onProgress = words.options["json"] === true ? undefined : progress;
  const { signal } = stop;
  // A server reads again what an older version read when it starts, and follows the price table.
  const answer = await writing<ImportAnswer>(words, "import", { paths, ...archived }, async (archive) => {
    if (on || off) for (const path of paths) await saveArchivedOption(archive, { path, on });
    const byName = foldersByName(archive, rootsOf(archive, null, process.env, process.platform));
    await followPrices(archive);
    const imported = await importAll(archive, paths, { byName, signal, onProgress });
    if (!imported.cancelled) printAgain(await readAgain(archive, { signal, onProgress }));
    // Without new calls there are no new models, and looking through all calls takes time.
    if (imported.totals.modelCalls > 0) await keepPrices(archive);
    return imported;
  });
  process.off("SIGINT", onSignal);
  process.off("SIGTERM", onSignal);
  if (words.options["json"] === true) printJson(answer);
  else print(answer);
  const found = answer.files.some((file) => file.status !== "failed" && file.status !== "skipped");
  return answer.cancelled ||
    (!found && paths.some((path) => !existsSync(path) || answer.files.length + answer.unmatched.length > 0))
    ? 1
    : 0;
};

/** On standard error: standard output is the answer's. */
function printAgain({ sources, sessions, failed, left }: ReadAgainResult): void {
  if (sources > 0)
    console.error(
      `Updated ${counted(sources, "file")} that an older version had read (${counted(sessions, "session")})`,
    );
  for (const { path, reason } of failed) console.error(`not updated  ${plain(path)}\n    ${plain(reason)}`);
  if (left > 0) console.error(`${count(left)} files were busy. The next import updates them.`);
}

const progress = (result: ImportProgress): void =>
  printProgress(
    result.state === "running"
      ? `${count(result.filesDone)} of ${count(result.files)} files, ${bytes(result.bytesDone)} of ${bytes(result.bytes)}`
      : "",
  );

/** What no format matches is named: of a folder the first files of each ending. */
function printUnmatched(unmatched: ImportAnswer["unmatched"], lookedFor: ImportAnswer["lookedFor"]): void {
  for (const { path, files, groups } of unmatched) {
    console.log(`No session format matches ${files === 0 ? "anything" : counted(files, "file")} in ${plain(path)}`);
    for (const { ending, files: some, names } of groups.slice(0, 8)) {
      const more = some > names.length ? `, and ${count(some - names.length)} more` : "";
      console.log(`    ${plain(ending === "" ? "no ending" : ending)}: ${names.map(plain).join(", ")}${more}`);
    }
    if (groups.length > 8) console.log(`    and ${groups.length - 8} other endings`);
  }
  if (lookedFor.length === 0) return;
  console.log("Looked for:");
  for (const { label, signs } of lookedFor) console.log(`    ${label}: ${signs}`);
}

function print({ files, unmatched, lookedFor, totals, cancelled }: ImportAnswer): void {
  for (const file of files) {
    if (file.status === "failed" || file.status === "skipped" || file.reason !== undefined)
      console.log(`${file.status}  ${plain(file.path)}\n    ${plain(file.reason ?? "")}`);
    for (const problem of file.errors.slice(0, 5))
      console.log(`    line ${problem.line}, bytes ${problem.byteStart}–${problem.byteEnd}: ${plain(problem.reason)}`);
    if (file.errors.length > 5) console.log(`    and ${file.errors.length - 5} more places (--json lists them)`);
  }
  printUnmatched(unmatched, lookedFor);
  const unchanged = files.filter((file) => file.status === "unchanged").length;
  console.log(
    `${cancelled ? "Cancelled after " : ""}${counted(totals.files, "file")} (${count(unchanged)} unchanged): ${counted(totals.sessions, "session")}, ${counted(totals.events, "new event")}, ` +
      `${counted(totals.modelCalls, "model call")}, ${counted(totals.artifacts, "artifact")}. Read ${bytes(totals.bytes)} in ${(totals.ms / 1000).toFixed(1)} s.`,
  );
}
