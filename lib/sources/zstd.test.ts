import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Block, ReadOptions } from "./blocks.ts";
import { readBlocks, readDocument, readHead } from "./blocks.ts";
import { compare, fingerprint } from "./fingerprint.ts";
import { openSource } from "./source-handle.ts";
import { inflate } from "./zstd.ts";

let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-zstd-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function read(bytes: Uint8Array, options: Partial<ReadOptions> = {}): Promise<Block[]> {
  const path = join(dir, "a.jsonl");
  writeFileSync(path, bytes);
  const handle = await openSource(path, [dir]);
  try {
    const blocks: Block[] = [];
    for await (const block of readBlocks(handle, { from: 0, line: 1, ...options })) blocks.push(block);
    return blocks;
  } finally {
    await handle.close();
  }
}

const plain = (blocks: readonly Block[]) =>
  blocks
    .flatMap((block) => block.records)
    .map((r) => [r.line, r.byteStart, r.byteEnd, r.oversized ?? false, Buffer.from(r.bytes).toString("latin1")]);
const bytesOf = (blocks: readonly Block[]): Buffer => Buffer.concat(blocks.map((block) => block.bytes));

test("a compressed source reads as the same lines, whatever its frames, blocks and cap", async () => {
  const line = fc.oneof(fc.constantFrom("", "\r", '{"a":1}', "\uFEFF", "x".repeat(300)), fc.string({ maxLength: 60 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 20 }),
      fc.array(fc.nat(2000), { maxLength: 3 }),
      fc.integer({ min: 64, max: 200 }),
      fc.integer({ min: 1, max: 250 }),
      fc.boolean(),
      async (lines, cuts, blockBytes, lineCap, final) => {
        // The magic number must be there, so the first frame is never empty; a lone LF is content enough.
        const file = Buffer.from(`${lines.join("\n")}\n`);
        const positions = [0, ...cuts.map((cut) => Math.min(cut, file.length)).toSorted((a, b) => a - b), file.length];
        const frames = positions.slice(1).map((end, i) => zstdCompressSync(file.subarray(positions[i], end)));
        const compressed = await read(Buffer.concat(frames), { blockBytes, lineCap, final });
        const ordinary = await read(file, { lineCap, final });
        expect(plain(compressed)).toEqual(plain(ordinary));
        expect(bytesOf(compressed).equals(file)).toBe(true);
        expect(compressed.at(-1)?.nextLine).toBe(ordinary.at(-1)?.nextLine);
      },
    ),
    { numRuns: 150 },
  );
});

test("a line over the cap passes through a compressed source as well", async () => {
  const long = "z".repeat(500_000);
  const file = Buffer.from(`{"a":1}\n${long}\r\n{"b":2}\n`);
  const blocks = await read(zstdCompressSync(file), { lineCap: 200_000, blockBytes: 50_000 });
  expect(bytesOf(blocks).equals(file)).toBe(true);
  expect(plain(blocks).map(([line, start, end, oversized]) => [line, start, end, oversized])).toEqual([
    [1, 0, 7, false],
    [2, 8, 500_008, true],
    [3, 500_010, 500_017, false],
  ]);
});

test("frames in one write, skippable frames and a late start are all read", async () => {
  const skippable = Buffer.concat([Buffer.from([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0]), Buffer.from("skip")]);
  const file = Buffer.concat([
    zstdCompressSync(Buffer.from("one\n")),
    skippable,
    zstdCompressSync(Buffer.from("two\nthree\n")),
  ]);
  expect(plain(await read(file)).map((record) => record.at(-1))).toEqual(["one", "two", "three"]);
  expect(plain(await read(file, { from: 4, line: 2 }))).toEqual([
    [2, 4, 7, false, "two"],
    [3, 8, 13, false, "three"],
  ]);
});

test("damage ends the reading with what came before it, and a reason", async () => {
  const good = zstdCompressSync(Buffer.from("one\ntwo\n"));
  const damaged = await read(Buffer.concat([good, Buffer.from("not a frame at all")]));
  expect(plain(damaged).map((record) => record.at(-1))).toEqual(["one", "two"]);
  expect(damaged.at(-1)).toMatchObject({ byteStart: 8, byteEnd: 8, problem: expect.stringContaining("damaged") });
  const cut = Buffer.concat([good, zstdCompressSync(Buffer.from("three\n")).subarray(0, 10)]);
  expect((await read(cut)).some((block) => block.problem !== undefined)).toBe(false);
  expect((await read(cut, { final: true })).at(-1)?.problem).toContain("inside a frame");
});

test("a small file that inflates without end is refused", async () => {
  const path = join(dir, "bomb.zst");
  writeFileSync(path, zstdCompressSync(Buffer.alloc(64 * 1024 * 1024)));
  const handle = await openSource(path, [dir]);
  const drain = async () => {
    for await (const piece of inflate(handle, 1024 * 1024, undefined, 1024 * 1024))
      expect(piece.length).toBeGreaterThan(0);
  };
  await expect(drain()).rejects.toMatchObject({ code: "too_large" });
  await expect(readDocument(handle, { maxBytes: 1024 * 1024 }).next()).rejects.toMatchObject({ code: "too_large" });
  await handle.close();
});

test("head and document are those of the decompressed bytes", async () => {
  const path = join(dir, "d.zst");
  const file = Buffer.from(JSON.stringify({ text: "x".repeat(100_000) }));
  writeFileSync(path, zstdCompressSync(file));
  const handle = await openSource(path, [dir]);
  expect(Buffer.from(await readHead(handle)).equals(file.subarray(0, 65_536))).toBe(true);
  const blocks: Block[] = [];
  for await (const block of readDocument(handle)) blocks.push(block);
  expect(plain(blocks)).toEqual([[1, 0, file.length, false, file.toString()]]);
  await handle.close();
});

test("a compressed source is unchanged or changed, never grown", async () => {
  const path = join(dir, "c.zst");
  const first = zstdCompressSync(Buffer.from("one\n".repeat(5000)));
  writeFileSync(path, first);
  let handle = await openSource(path, [dir]);
  const { dev, ino, size } = handle;
  // The offset counts decompressed bytes, and lies far past the end of the file.
  const seen = { dev, ino, size, offset: 20_000, ...(await fingerprint(handle, 20_000)) };
  expect(await compare(handle, seen)).toBe("unchanged");
  await handle.close();
  writeFileSync(path, Buffer.concat([first, first]));
  handle = await openSource(path, [dir]);
  expect(await compare(handle, seen)).toBe("changed");
  await handle.close();
});
