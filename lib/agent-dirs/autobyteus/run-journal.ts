// What we did to a memory folder, so that a writer that was killed can go on, and a person can take it back: written before
// the first byte of the folder changes. It lies in our own state folder, with the bytes that it needs.
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { z } from "zod";
import { fail } from "#lib/kernel/errors.ts";
import { makeFolder, readStamped, removeFile, sha256, stampOf, swapFile, unlinkIfThere } from "./files.ts";
import { namesIn } from "./generation.ts";
import type { Keep } from "./write-steps.ts";

const side = z.object({ size: z.number(), sha256: z.string() }).nullable();
const journal = z.object({
  v: z.literal(1),
  runId: z.string(),
  /** Runs of a folder in the order in which they were begun. */
  number: z.number(),
  state: z.enum(["applying", "applied", "undoing", "undone", "given_up"]),
  why: z.string().optional(),
  steps: z.array(
    z.object({
      file: z.string(),
      kind: z.enum(["append", "replace"]),
      isLines: z.boolean(),
      before: side,
      after: side,
      beforeRef: z.string().nullable(),
      afterRef: z.string(),
      madeFolder: z.string().optional(),
    }),
  ),
});
export type Journal = z.infer<typeof journal>;

const runsIn = (folder: string): string => join(folder, "runs");
const pathOf = (folder: string, runId: string): string => join(runsIn(folder), `${sha256(runId).slice(0, 16)}.json`);

export function writeJournal(folder: string, entry: Journal): void {
  makeFolder(runsIn(folder), 0o700);
  swapFile(pathOf(folder, entry.runId), Buffer.from(JSON.stringify(entry)));
}

export function readJournal(folder: string, runId: string): Journal | null {
  return readEntry(pathOf(folder, runId));
}

export const removeJournal = (folder: string, runId: string): void => removeFile(pathOf(folder, runId));

/** Every run, in order. */
export const listJournals = (folder: string): Journal[] =>
  namesIn(runsIn(folder))
    .filter((name) => /^[0-9a-f]{16}\.json$/.test(name))
    .map((name) => readEntry(join(runsIn(folder), name))!)
    .toSorted((a, b) => a.number - b.number);

function readEntry(path: string): Journal | null {
  const read = readStamped(path);
  if (read === null) return null;
  const parsed = journal.safeParse(JSON.parse(read.bytes.toString("utf8")));
  return parsed.success
    ? parsed.data
    : fail("invalid", `${path} is not a change record that this version can read.`, parsed.error);
}

/** Keeps bytes by their digest in a folder; what is there already is not written again. */
export function keepIn(folder: string): Keep {
  const at = (ref: string): string => join(folder, ref);
  return {
    put(bytes) {
      const ref = sha256(bytes);
      makeFolder(folder, 0o700);
      if (stampOf(at(ref)) === null) swapFile(at(ref), bytes);
      return ref;
    },
    drop: (ref) => unlinkIfThere(at(ref)),
    get(ref) {
      const bytes = /^[0-9a-f]{64}$/.test(ref)
        ? readFileSync(at(ref))
        : fail("invalid", `"${ref}" matches no saved bytes.`);
      return sha256(bytes) === ref ? bytes : fail("invalid", `The saved bytes ${at(ref)} are damaged.`);
    },
  };
}
