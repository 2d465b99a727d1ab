// Bytes on standard output: to a file or a program as they are.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { plain } from "./print.ts";
import { isReported } from "./stdout-failures.ts";

export async function writeStdout(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const bytes = process.stdout.isTTY ? forTerminal(pieces) : pieces;
  try {
    await pipeline(Readable.from(bytes, { objectMode: false }), process.stdout, { end: false });
  } catch (error) {
    // The reader of the pipe went away (head, less): that is its right. Another failure of the output was said (stdout-failures.ts).
    if ((error as NodeJS.ErrnoException).code !== "EPIPE" && !isReported(error)) throw error;
  }
}

/** What would command a terminal is shown instead. */
async function* forTerminal(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) yield Buffer.from(plain(decoder.decode(piece, { stream: true })));
  yield Buffer.from(plain(decoder.decode()));
}
