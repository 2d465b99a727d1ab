// A session as a file of our own format: on standard output, or as a new file that only its owner reads. Or as the memory folder of
// an Autobyteus agent.
import { resolve } from "node:path";
import { exportMemoryFolder } from "#lib/archive/memory/export-memory-folder.ts";
import { exportSession } from "#lib/archive/sessions/export-session.ts";
import { bundleBytes, planBundle, planCounts } from "#lib/archive/bundle/write-bundle.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { inPieces } from "#lib/kernel/in-pieces.ts";
import { reading } from "./open-archive.ts";
import { bytes, count, plain, printJson } from "./print.ts";
import { textOption, WrongWords, type Run, type Words } from "./args.ts";
import { writeNew } from "./write-new-file.ts";
import { writeStdout } from "./write-stdout-command.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const out = textOption(words, "out");
    const as = textOption(words, "as");
    if (words.options["bundle"] === true) {
      if (as !== undefined) throw new WrongWords("--bundle and --as were both given. Give one of them.");
      return exportBundle(archive, words, out);
    }
    if (as !== undefined) return exportFolder(archive, words, as, out);
    if (out === undefined && words.options["json"] === true)
      throw new WrongWords("plimsoll export --json needs --out FILE. Standard output holds the session.");
    const pieces = inPieces(exportSession(archive, words.args[0]!));
    if (out === undefined) return writeStdout(pieces);
    const path = resolve(out);
    const sizeBytes = await writeNew(path, pieces);
    if (words.options["json"] === true) printJson({ path, sizeBytes });
    else console.log(`Exported ${bytes(sizeBytes)} to ${plain(path)}`);
    return undefined;
  });

async function exportBundle(archive: Archive, words: Words, out: string | undefined): Promise<void> {
  const isJson = words.options["json"] === true;
  if (out === undefined && (isJson || process.stdout.isTTY))
    throw new WrongWords("plimsoll export --bundle needs --out FILE, or a pipe on standard output.");
  const plan = planBundle(archive, words.args[0]!);
  if (out === undefined) return writeStdout(bundleBytes(plan));
  const path = resolve(out);
  const sizeBytes = await writeNew(path, bundleBytes(plan));
  const counts = planCounts(plan);
  if (isJson) return printJson({ path, sizeBytes, ...counts });
  const { sessions, files, artifacts } = counts;
  console.log(
    `Exported ${bytes(sizeBytes)} to ${plain(path)}: ${count(sessions)} sessions, ${count(files)} files, ${count(artifacts)} artifacts`,
  );
}

const FOLDERS: Readonly<Record<string, 1 | 2>> = { autobyteus: 2, "autobyteus-1": 1 };

async function exportFolder(archive: Archive, words: Words, as: string, out: string | undefined): Promise<void> {
  const generation = FOLDERS[as];
  if (generation === undefined || out === undefined)
    throw new WrongWords("--as takes autobyteus or autobyteus-1. It needs --out with a new folder.");
  const path = resolve(out);
  const exported = await exportMemoryFolder(archive, words.args[0]!, path, generation);
  if (words.options["json"] === true) return printJson({ path, ...exported });
  const { traces, archived, episodic, semantic, dropped } = exported;
  const items = episodic + semantic;
  console.log(
    `Exported ${count(traces + archived)} traces (${count(archived)} archived) and ${count(items)} items to ${plain(path)}`,
  );
  for (const [what, times] of Object.entries(dropped)) console.log(`Left out: ${count(times)} × ${plain(what)}`);
}
