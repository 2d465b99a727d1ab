// How an earlier version of a file was put together. Each of its records is stored once: in the version, in what the file holds
// now, or in another version of it. The recipe names them in their order, 16 bytes each, so that the whole file can be given
// back, byte for byte. A file with lines that are not simply one after the other (CRLF, blank lines, a line over the limit) has none.
import { createHash } from "node:crypto";
import { command, scalar, select } from "#db/statement.ts";
import { readBlocks, type Block } from "#lib/sources/blocks.ts";
import type { SourceRecord } from "#lib/kernel/draft.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { recordKey } from "../base/row-keys.ts";
import { rawHandle } from "./raw-handle.ts";
import { rawRanges } from "./raw-writer.ts";

const BYTES = 16;
const LF = Buffer.of(0x0a);
const WHOLE_FILE = { from: 0, line: 1, final: true } as const;

/** 16 bytes that stand for a record's bytes. Of a line over the limit: its head and its length. */
export function digestOfRecord(record: SourceRecord): Buffer {
  if (record.oversized !== true) return recordKey(null, record.bytes);
  const hash = createHash("sha256")
    .update(record.bytes)
    .update(`\0${record.byteEnd - record.byteStart}`);
  return hash.digest().subarray(0, BYTES);
}

/** Notes a file's records as they are read, in order. */
export class Recipe {
  readonly #hash = createHash("sha256");
  readonly #records: Buffer[] = [];
  #position = 0;
  #sizeBytes = 0;
  #isSimple = true;

  add(block: Block, digests: readonly Buffer[]): void {
    this.#hash.update(block.bytes);
    this.#sizeBytes = block.byteEnd;
    for (const record of block.records) {
      if (record.oversized === true || record.byteStart !== this.#position) this.#isSimple = false;
      this.#position = record.byteEnd + 1;
    }
    this.#records.push(...digests);
  }

  save(archive: Archive, versionPk: number): void {
    // The last line may lack its newline.
    const isWhole = this.#sizeBytes === this.#position || this.#sizeBytes === this.#position - 1;
    if (!this.#isSimple || !isWhole) return;
    command(
      archive.sqlite,
      "INSERT OR REPLACE INTO version_recipes (source_pk, size, digest, records) VALUES (?, ?, ?, ?)",
    ).run(versionPk, this.#sizeBytes, this.#hash.digest("hex"), Buffer.concat(this.#records));
  }
}

export type WholeVersion = {
  readonly sizeBytes: number;
  readonly digest: string;
  bytes(): Iterable<Uint8Array>;
};

/** The records of a version's whole file, in order; null where no recipe was made. */
export function recipeRecords(archive: Archive, versionPk: number): readonly string[] | null {
  const row = select(archive.sqlite, "version_recipes", ["records"], "WHERE source_pk = ?").get(versionPk);
  if (row === undefined) return null;
  return Array.from({ length: row.records.length / BYTES }, (_, at) =>
    row.records.toString("latin1", at * BYTES, (at + 1) * BYTES),
  );
}

/** The whole file that a version was a part of; null where it cannot be put together. */
export async function openRecipe(archive: Archive, versionPk: number): Promise<WholeVersion | null> {
  const row = select(archive.sqlite, "version_recipes", ["size", "digest"], "WHERE source_pk = ?").get(versionPk);
  const records = recipeRecords(archive, versionPk);
  if (row === undefined || records === null) return null;
  const wanted = new Set(records);
  const found = new Map<string, { pk: number; start: number; end: number }>();
  for (const pk of relatives(archive, versionPk)) {
    if (found.size === wanted.size) break;
    for await (const block of readBlocks(rawHandle(archive, pk), WHOLE_FILE)) {
      for (const record of block.records) {
        const key = digestOfRecord(record).toString("latin1");
        if (record.oversized !== true && wanted.has(key) && !found.has(key))
          found.set(key, { pk, start: record.byteStart, end: record.byteEnd });
      }
      block.release?.();
    }
  }
  if (found.size < wanted.size) return null;
  // Each with its line break; the last may lack it. Another length is no whole file.
  const length = records.reduce((sum, key) => sum + found.get(key)!.end - found.get(key)!.start + 1, 0);
  if (row.size !== length && row.size !== length - 1) return null;
  return {
    sizeBytes: row.size,
    digest: row.digest,
    bytes: () =>
      putTogether(
        archive,
        row.size,
        records.map((key) => found.get(key)!),
      ),
  };
}

function* putTogether(
  archive: Archive,
  sizeBytes: number,
  places: readonly { pk: number; start: number; end: number }[],
): Generator<Uint8Array> {
  const readers = new Map<number, ReturnType<typeof rawRanges>>();
  let left = sizeBytes;
  for (const { pk, start, end } of places) {
    let read = readers.get(pk);
    if (read === undefined) readers.set(pk, (read = rawRanges(archive, pk)));
    const bytes = end > start ? read(start, end) : new Uint8Array();
    if (bytes.length !== end - start) fail("conflict", "A record of this version is damaged. Run plimsoll check.");
    yield bytes;
    left -= bytes.length + 1;
    if (left >= 0) yield LF;
  }
}

/** Where records of a version may be: in itself, in its file, in other versions, in other files of the same session. */
const relatives = (archive: Archive, versionPk: number): number[] =>
  scalar(
    archive.sqlite,
    "sources.pk",
    `SELECT s.pk FROM sources v JOIN sources s ON s.pk = v.pk OR s.pk = v.earlier_of OR s.earlier_of = v.earlier_of
         OR (s.native_id = v.native_id AND s.format = v.format)
       WHERE v.pk = ? GROUP BY s.pk ORDER BY s.pk <> v.pk, s.pk <> v.earlier_of, s.pk`,
  ).all(versionPk);
