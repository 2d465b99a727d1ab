// A session as a file of our own format: on standard output, or as a new file that only its owner reads. Or as the memory folder of
// an Autobyteus agent.
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { exportMemoryFolder } from "#lib/archive/memory/export-memory-folder.ts";
import { exportSession } from "#lib/archive/sessions/export-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { fail } from "#lib/kernel/errors.ts";
import { inPieces } from "#lib/kernel/in-pieces.ts";
import { reading } from "./open-archive.ts";
import { bytes, count, plain, printJson } from "./print.ts";
import { textOption, WrongWords, type Run, type Words } from "./args.ts";
import { writeStdout } from "./write-stdout-command.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const out = textOption(words, "out");
    const as = textOption(words, "as");
    if (as !== undefined) return exportFolder(archive, words, as, out);
    if (out === undefined && words.options["json"] === true)
      throw new WrongWords("plimsoll export --json needs --out FILE: standard output has the session.");
    const pieces = inPieces(exportSession(archive, words.args[0]!));
    if (out === undefined) return writeStdout(pieces);
    const path = resolve(out);
    const sizeBytes = await writeNew(path, pieces);
    if (words.options["json"] === true) printJson({ path, sizeBytes });
    else console.log(`Exported ${bytes(sizeBytes)} to ${plain(path)}`);
    return undefined;
  });

const FOLDERS: Readonly<Record<string, 1 | 2>> = { autobyteus: 2, "autobyteus-1": 1 };

async function exportFolder(archive: Archive, words: Words, as: string, out: string | undefined): Promise<void> {
  const generation = FOLDERS[as];
  if (generation === undefined || out === undefined)
    throw new WrongWords("plimsoll export --as takes autobyteus or autobyteus-1, and --out FOLDER, a new one.");
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

/** Writes a file that is not there yet. What is not written to its end is removed. */
async function writeNew(path: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  let isOurs = false;
  file.once("open", () => (isOurs = true));
  try {
    await pipeline(Readable.from(pieces, { objectMode: false }), file);
    return file.bytesWritten;
  } catch (error) {
    if (isOurs) await rm(path, { force: true });
    return refuse(path, error as NodeJS.ErrnoException);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: "It exists, and is not overwritten",
  ENOENT: "Its folder does not exist",
  ENOTDIR: "Its folder is a file",
  EACCES: "Its folder is not writable",
  EROFS: "Its disk is read-only",
  ENOSPC: "Its disk is full",
};

function refuse(path: string, error: NodeJS.ErrnoException): never {
  const reason = REASONS[error.code ?? ""];
  if (reason === undefined) throw error;
  return fail("conflict", `${plain(path)} was not written. ${reason}: choose another --out.`);
}
