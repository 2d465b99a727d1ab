// Who read what back: noted behind the answer, a group at a time, and never in its way. A note that cannot be written is
// logged; the reader has what it asked for.
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { write } from "../base/write.ts";
import type { ReadNote } from "./reading-rows.ts";
import { addReadsWrite } from "./reading-rows.ts";

/** Notes wait so long for others (milliseconds): a page of jq programs shares one barrier. */
const WAIT_MS = 50;
/** One write takes so many. */
const GROUP = 500;
/** Notes that a reader holds for somebody who may write. */
const UNWRITTEN = 100;
const REQUEST_BYTES = 1024;

type Queue = { notes: ReadNote[]; timer: NodeJS.Timeout | null; writing: Promise<void> };
const queueOf = perArchive((archive): Queue => {
  archive.atClose.push(() => flushReads(archive));
  return { notes: [], timer: null, writing: Promise.resolve() };
});

/** Notes a reading of an artifact. Returns at once. */
export function noteRead(archive: Archive, note: Omit<ReadNote, "at" | "request"> & { request: unknown }): void {
  const queue = queueOf(archive);
  queue.notes.push({ ...note, request: boundedJson(note.request), at: archive.host.now() });
  // Who opened the archive for reading cannot write: the last notes wait for takeNotes.
  if (archive.mode === "read") return void queue.notes.splice(0, queue.notes.length - UNWRITTEN);
  queue.timer ??= setTimeout(() => void flushReads(archive), WAIT_MS).unref();
}

/** The notes of a reader that could not write them: somebody else may. */
export const takeNotes = (archive: Archive): ReadNote[] => queueOf(archive).notes.splice(0);

/** Writes what is noted so far. */
export function flushReads(archive: Archive): Promise<void> {
  if (archive.mode === "read") return Promise.resolve();
  const queue = queueOf(archive);
  if (queue.timer !== null) clearTimeout(queue.timer);
  queue.timer = null;
  const notes = queue.notes.splice(0);
  queue.writing = queue.writing.then(async () => {
    for (let at = 0; at < notes.length; at += GROUP)
      await write(archive, addReadsWrite, { reads: notes.slice(at, at + GROUP) }).catch((error: unknown) =>
        console.error(`${notes.length} artifact reads could not be recorded:`, error),
      );
  });
  return queue.writing;
}

/** JSON of at most 1 KB: long texts in it are shortened first, then it is left out. */
function boundedJson(request: unknown): string {
  for (const chars of [REQUEST_BYTES, 200, 40]) {
    const text = JSON.stringify(request, (_, value: unknown) =>
      typeof value === "string" && value.length > chars ? `${value.slice(0, chars).toWellFormed()}…` : value,
    );
    if (text !== undefined && Buffer.byteLength(text) <= REQUEST_BYTES) return text;
  }
  return '{"…":"too long to keep"}';
}
