// A new file that only its owner reads: what is there already is never overwritten.
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fail } from "#lib/kernel/errors.ts";
import { plain } from "./print.ts";

/** Writes a file that is not there yet. What is not written to its end is removed. */
export async function writeNew(path: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
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
  EEXIST: "the file exists",
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder is a file",
  EACCES: "its folder is not writable",
  EROFS: "the disk is read-only",
  ENOSPC: "the disk is full",
};

function refuse(path: string, error: NodeJS.ErrnoException): never {
  const reason = REASONS[error.code ?? ""];
  if (reason === undefined) throw error;
  return fail("conflict", `Could not write ${plain(path)}: ${reason}. Choose another --out.`);
}
