import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { openRaw } from "#lib/archive/artifacts/open-raw.ts";
import { fail } from "#lib/kernel/errors.ts";
import { reading } from "./archive.ts";
import { plain } from "./print.ts";
import type { Run } from "./words.ts";

export const run: Run = (words) =>
  reading(words, async (archive) => {
    const artifact = await openRaw(archive, words.args[0]!);
    if (artifact.kind !== "bytes") return fail(artifact.kind === "gone" ? "not_found" : "conflict", artifact.message);
    const bytes = process.stdout.isTTY ? forTerminal(artifact.read()) : artifact.read();
    try {
      await pipeline(Readable.from(bytes, { objectMode: false }), process.stdout, { end: false });
    } catch (error) {
      // The reader of the pipe went away (head, less): that is its right.
      if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
    }
    return undefined;
  });

/** What would command a terminal is shown instead. */
async function* forTerminal(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) yield Buffer.from(plain(decoder.decode(piece, { stream: true })));
  yield Buffer.from(plain(decoder.decode()));
}
