// What a sender reads for a fleet while the session goes on, is rewritten or is removed: bytes have the name that they were announced by,
// or a sentence says why there are none.
import { createHash } from "node:crypto";
import { appendFileSync } from "node:fs";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { jsonl, prompt, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { removeSession } from "../sources/remove-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { planSentFamily, type PlannedFamily } from "./sent-family.ts";

const steps = (name: string, count: number): string =>
  Array.from({ length: count }, (_, n) => jsonl(prompt(`${name}${n}`, n, `${name} ${n}`))).join("");

async function bytesOf(family: PlannedFamily, digest: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of family.read(digest) as AsyncIterable<Uint8Array>) pieces.push(piece);
  return Buffer.concat(pieces);
}

const sha = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const fileOf = ({ manifest, entries }: PlannedFamily) => {
  const { entry } = (manifest as { files: { entry: { name: string; sizeBytes: number; sha256: string } }[] }).files[0]!;
  return { entry, objects: entries[entry.name]! };
};

const inSession = (run: (archive: Archive, id: string, path: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${SESSION}.jsonl`, steps("Moor", 20));
    const { files } = await importPaths(archive, [path]);
    await run(archive, files[0]!.sessions[0]!, path);
  });

test("a session that went on since it was planned is sent as it was announced", () =>
  inSession(async (archive, id, path) => {
    const family = await planSentFamily(archive, id, "none");
    const [block] = fileOf(family).objects;
    expect(sha(await bytesOf(family, block!.digest))).toBe(block!.digest);
    // The lines are joined to the last block, which has other bytes then.
    appendFileSync(path, steps("Cast off", 3));
    await importPaths(archive, [path]);
    expect(sha(await bytesOf(family, block!.digest))).toBe(block!.digest);
  }));

test("of a session that was removed since it was planned a sentence says so", () =>
  inSession(async (archive, id) => {
    const family = await planSentFamily(archive, id, "none");
    await removeSession(archive, id);
    await expect(bytesOf(family, fileOf(family).objects[0]!.digest)).rejects.toMatchObject({ code: "conflict" });
  }));

test("a file that grows while it is planned has the size of its blocks", () =>
  inSession(async (archive, id) => {
    const planning = planSentFamily(archive, id, "none");
    // As the thread that writes commits it, before the blocks are looked at.
    const more = Buffer.from(steps("Cast off", 3));
    archive.sqlite
      .prepare(
        `INSERT INTO raw_blocks (source_pk, byte_start, byte_end, zstd)
           SELECT source_pk, max(byte_end), max(byte_end) + ?, ? FROM raw_blocks GROUP BY source_pk`,
      )
      .run(more.length, zstdCompressSync(more));
    const family = await planning;
    const { entry, objects } = fileOf(family);
    const blocks = await Promise.all(
      objects.map(async ({ digest }) => zstdDecompressSync(await bytesOf(family, digest))),
    );
    const whole = Buffer.concat(blocks);
    expect([entry.sizeBytes, entry.sha256]).toEqual([whole.length, sha(whole)]);
  }));
