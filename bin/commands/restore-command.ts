// Gives an agent the files of a session back. The command writes them itself: what a server does with the archive is not touched.
import { resolve } from "node:path";
import { previewRestore, restoreSession } from "#lib/archive/keep/restore-session.ts";
import { rootsOf } from "#lib/archive/sources/source-roots.ts";
import type { RestoreAnswer } from "#lib/wire/restore-schema.ts";
import { numberOption, textOption, WrongWords, type Run, type Words } from "./args.ts";
import { reading } from "./open-archive.ts";
import { bytes, count, counted, oneLine, plain, printJson, table } from "./print.ts";

export const run: Run = async (words) => {
  const to = textOption(words, "to");
  const isDry = words.options["dry-run"] === true;
  const version = versionOption(words);
  const stop = new AbortController();
  const cancel = (): void => stop.abort();
  process.once("SIGINT", cancel);
  try {
    return await reading(words, async (archive) => {
      const options = {
        session: words.args[0]!,
        to: to === undefined ? undefined : resolve(to),
        version,
        roots: rootsOf(archive, null, process.env, process.platform).map(({ path }) => path),
        signal: stop.signal,
      };
      const answer = await (isDry ? previewRestore : restoreSession)(archive, options);
      if (words.options["json"] === true) printJson(answer);
      else print(answer, isDry);
      return isDry && answer.refusal !== null ? 1 : 0;
    });
  } finally {
    process.removeListener("SIGINT", cancel);
  }
};

function versionOption(words: Words): number | undefined {
  if (words.options["version"] === undefined) return undefined;
  const version = numberOption(words, "version", 0);
  if (version < 1) throw new WrongWords("--version takes the number of an earlier version, from 1.");
  return version;
}

const STATES: Readonly<Record<RestoreAnswer["files"][number]["state"], string>> = {
  new: "would be written",
  same: "already there",
  differs: "differs: stays",
  restored: "restored",
};

function print(
  { agent, title, version, files, sizeBytes, missing, notes, resume, refusal }: RestoreAnswer,
  isDry: boolean,
): void {
  const which = version === null ? "" : `, version ${version}`;
  console.log(`${agent}${which}: ${oneLine(title, 80)}\n`);
  const rows = files.map(({ label, state, sizeBytes: size, digest }) => [
    STATES[state],
    bytes(size),
    digest.slice(0, 16),
    plain(label),
  ]);
  console.log(table(["State", "Size", "sha-256", "File"], rows, new Set([0, 2, 3])));
  const written = files.filter(({ state }) => state === "restored").length;
  console.log(
    isDry
      ? `\n${counted(files.length, "file")}, ${bytes(sizeBytes)}. Nothing was written.`
      : `\nRestored ${count(written)} of ${counted(files.length, "file")}.`,
  );
  for (const { path, reason } of missing) console.log(`Not given: ${plain(path)}\n  ${reason}`);
  for (const note of notes) console.log(note);
  if (refusal !== null) console.log(`Refused: ${plain(refusal)}`);
  else if (resume !== null) console.log(`Go on with: ${plain(resume)}`);
}
