// The writes that reading asks for: notes of who read what, and line indexes that were built for a reading.
import { command } from "#db/statement.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { defineWrite } from "../base/write.ts";

export type ReadNote = {
  readonly pointer: string;
  /** The id of a credential, or who it was: agent, person, command line. */
  readonly who: string;
  readonly tool: string;
  /** What was asked, as JSON of at most 1 KB. */
  readonly request: string;
  /** Bytes that were given out. */
  readonly bytes: number;
  readonly isError: boolean;
  readonly at: number;
};

/** The write of noteRead. */
export function addReads(archive: Archive, _: Batch, input: { reads: readonly ReadNote[] }): void {
  const insert = command(
    archive.sqlite,
    "INSERT INTO artifact_reads (pointer, at, who, tool, request, bytes, is_error) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  for (const { pointer, at, who, tool, request, bytes, isError } of input.reads)
    insert.run(pointer, at, who, tool, request, bytes, isError ? 1 : 0);
}

/** Keeps the line index of a blob that came without one. */
export function addLineIndex(archive: Archive, _: Batch, input: { digest: string; lineIndex: Uint8Array }): void {
  command(archive.sqlite, "INSERT OR REPLACE INTO blob_lines (digest, line_index) VALUES (?, ?)").run(
    input.digest,
    input.lineIndex,
  );
}

export const addLineIndexWrite = defineWrite("addLineIndex", addLineIndex);
export const addReadsWrite = defineWrite("addReads", addReads);
