import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { openArtifact } from "#lib/archive/show-artifact.ts";
import { reading } from "./archive.ts";
import type { Command } from "./words.ts";

export const cat: Command = {
  name: "cat",
  args: ["REF"],
  options: {},
  about: "the bytes of an artifact, unchanged, on standard output: art:<uuid>, art_<16 hex>, a digest, or SESSION/NAME",
  run: (words) =>
    reading(words, async (archive) => {
      const artifact = await openArtifact(archive, words.args[0]!);
      try {
        await pipeline(Readable.from(artifact.read(), { objectMode: false }), process.stdout, { end: false });
      } catch (error) {
        // The reader of the pipe went away (head, less): that is its right.
        if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
      }
    }),
};
