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
