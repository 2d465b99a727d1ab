import { appendFileSync, mkdtempSync, rmSync, writeFileSync, openSync, writeSync, closeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SourceRecord } from "#lib/kernel/draft.ts";
import type { Block, ReadOptions } from "./blocks.ts";
import { readBlocks, readDocument, readHead } from "./blocks.ts";
import { openSource } from "./source-handle.ts";

let dir = "";
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-blocks-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const write = (bytes: string | Uint8Array, name = "a.jsonl"): string => {
  const path = join(dir, name);
  writeFileSync(path, bytes);
  return path;
};

async function read(path: string, options: Partial<ReadOptions> = {}): Promise<Block[]> {
  const handle = await openSource(path, [dir]);
  try {
    const blocks: Block[] = [];
    for await (const block of readBlocks(handle, { from: 0, line: 1, ...options })) blocks.push(block);
    return blocks;
  } finally {
    await handle.close();
  }
}

const text = (record: SourceRecord): string => Buffer.from(record.bytes).toString("latin1");
const recordsOf = (blocks: readonly Block[]): SourceRecord[] => blocks.flatMap((block) => block.records);
const bytesOf = (blocks: readonly Block[]): Buffer => Buffer.concat(blocks.map((block) => block.bytes));
/** A record as comparable values. */
const plain = (record: SourceRecord) => [
  record.line,
  record.byteStart,
  record.byteEnd,
  record.oversized ?? false,
  text(record),
];

/** Blocks follow each other without a gap, and each record is the bytes that its range names. */
function expectExact(blocks: readonly Block[], file: Buffer, from = 0): void {
  let at = from;
  for (const block of blocks) {
    expect(block.byteStart).toBe(at);
    expect(block.byteEnd - block.byteStart).toBe(block.bytes.length);
    at = block.byteEnd;
  }
  expect(bytesOf(blocks).equals(file.subarray(from, at))).toBe(true);
  for (const record of recordsOf(blocks)) {
    const whole = file.subarray(record.byteStart, record.byteEnd);
    expect(Buffer.from(record.bytes).equals(record.oversized ? whole.subarray(0, record.bytes.length) : whole)).toBe(
      true,
    );
  }
}

test("a line is what stands before 0x0A, without its CR, and keeps its number past blank lines", async () => {
  const file = Buffer.from('{"a":1}\n\n  \t\n{"b":2}\r\n\r\n{"c":"lone\rcr"}\n{"d":"\u2028\u2029\u0085"}\n');
  const blocks = await read(write(file));
  expectExact(blocks, file);
  expect(recordsOf(blocks).map((record) => [record.line, Buffer.from(record.bytes).toString()])).toEqual([
    [1, '{"a":1}'],
    [4, '{"b":2}'],
    [6, '{"c":"lone\rcr"}'],
    [7, '{"d":"\u2028\u2029\u0085"}'],
  ]);
  expect(blocks.at(-1)?.nextLine).toBe(8);
});

test("a byte order mark is left out of the first record, and only there", async () => {
  const file = Buffer.from('\uFEFF{"a":1}\n\uFEFF{"b":2}\n');
  const blocks = await read(write(file));
  expectExact(blocks, file);
  expect(recordsOf(blocks).map((record) => [record.byteStart, Buffer.from(record.bytes).toString()])).toEqual([
    [3, '{"a":1}'],
    [11, '\uFEFF{"b":2}'],
  ]);
  expect(recordsOf(await read(write("\uFEFF\n\uFEFF")))).toEqual([]);
});

test("invalid UTF-8, NUL runs, overlong forms and UTF-16 come through byte by byte", async () => {
  const odd = [
    Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0xaf, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.alloc(4096),
    Buffer.from([0xe2, 0x82]),
    Buffer.from('{"a":1}', "utf16le"),
  ];
  const file = Buffer.concat(odd.flatMap((bytes) => [bytes, Buffer.from("\n")]));
  const blocks = await read(write(file));
  expectExact(blocks, file);
  expect(recordsOf(blocks).map((record) => Buffer.from(record.bytes).equals(odd[record.line - 1]!))).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test("a last line without its newline is held back until nothing more is expected", async () => {
  const path = write('{"a":1}\n{"b":');
  expect(recordsOf(await read(path)).map(text)).toEqual(['{"a":1}']);
  expect(recordsOf(await read(path, { final: true })).map(plain)).toEqual([
    [1, 0, 7, false, '{"a":1}'],
    [2, 8, 13, false, '{"b":'],
  ]);
  expect(await read(write("half"))).toEqual([]);
  expect(await read(write(""), { final: true })).toEqual([]);
});

test("what is appended while a file is read waits for the next reading", async () => {
  const path = write('{"a":1}\n');
  const handle = await openSource(path, [dir]);
  appendFileSync(path, '{"b":2}\n');
  const blocks: Block[] = [];
  for await (const block of readBlocks(handle, { from: 0, line: 1 })) blocks.push(block);
  await handle.close();
  expect(recordsOf(blocks).map(text)).toEqual(['{"a":1}']);
  expect(recordsOf(await read(path, { from: 8, line: 2 })).map(plain)).toEqual([[2, 8, 15, false, '{"b":2}']]);
});

test("a line of 5 MB is one record; blocks stay near 1 MB otherwise", async () => {
  const long = `{"a":"${"x".repeat(5 * 1024 * 1024)}"}`;
  const small = `{"b":"${"y".repeat(100_000)}"}`;
  const file = Buffer.from(`${small}\n${long}\n${Array(30).fill(small).join("\n")}\n`);
  const blocks = await read(write(file));
  expectExact(blocks, file);
  expect(recordsOf(blocks).map((record) => record.bytes.length)).toEqual([
    small.length,
    long.length,
    ...Array<number>(30).fill(small.length),
  ]);
  const sizes = blocks.map((block) => block.bytes.length);
  expect(Math.max(...sizes)).toBe(long.length + 1);
  expect(sizes.filter((size) => size > 1024 * 1024)).toHaveLength(1);
});

test("a line over the cap comes as blocks, and its head as one record with the last", async () => {
  const long = "z".repeat(300_000);
  const file = Buffer.from(`{"a":1}\n${long}\r\n{"b":2}\n${long}`);
  const path = write(file);
  const blocks = await read(path, { lineCap: 200_000, blockBytes: 50_000, final: true });
  expectExact(blocks, file);
  expect(recordsOf(blocks).map((r) => [r.line, r.byteStart, r.byteEnd, r.bytes.length, r.oversized ?? false])).toEqual([
    [1, 0, 7, 7, false],
    [2, 8, 300_008, 65_536, true],
    [3, 300_010, 300_017, 7, false],
    [4, 300_018, 600_018, 65_536, true],
  ]);
  expect(Math.max(...blocks.map((block) => block.bytes.length))).toBeLessThanOrEqual(50_000);
  const withOversized = blocks.filter((block) => block.records.some((record) => record.oversized));
  expect(withOversized.map((block) => block.byteEnd)).toEqual([300_010, file.length]);
  // Without `final` the last line is not there yet, however long it is.
  expect((await read(path, { lineCap: 200_000, blockBytes: 50_000 })).at(-1)?.byteEnd).toBe(300_018);
});

test("a line of 512 MB passes through in little memory", async () => {
  const path = join(dir, "huge.jsonl");
  const fd = openSync(path, "w");
  const piece = Buffer.alloc(1024 * 1024, "x");
  for (let i = 0; i < 512; i++) writeSync(fd, piece);
  writeSync(fd, '\n{"ok":1}\n');
  closeSync(fd);
  const handle = await openSource(path, [dir]);
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  const records: SourceRecord[] = [];
  for await (const block of readBlocks(handle, { from: 0, line: 1 })) {
    most = Math.max(most, block.bytes.length);
    records.push(...block.records);
  }
  await handle.close();
  rmSync(path);
  expect(records.map((record) => [record.line, record.bytes.length])).toEqual([
    [1, 65_536],
    [2, 8],
  ]);
  expect(most).toBeLessThanOrEqual(1024 * 1024);
  // Blocks that nobody holds wait for the collector, so this is an upper bound and not the need.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(200 * 1024 * 1024);
});

test("reading stops when it is cancelled", async () => {
  const path = write("{}\n".repeat(1000));
  await expect(read(path, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
});

const anyBytes = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("\n", "\r\n", "\r", " ", "\uFEFF", "\u2028", "\0", '{"a":1}', "é", "") },
      { weight: 2, arbitrary: fc.string({ maxLength: 40 }) },
    ),
    { maxLength: 40 },
  )
  .chain((parts) =>
    fc.uint8Array({ maxLength: 20 }).map((tail) => Buffer.concat([Buffer.from(parts.join("")), Buffer.from(tail)])),
  );

test("any bytes, read in any steps of growth and any block size, give the same records", async () => {
  let serial = 0;
  await fc.assert(
    fc.asyncProperty(
      anyBytes,
      fc.array(fc.nat(400), { maxLength: 5 }),
      fc.integer({ min: 1, max: 64 }),
      fc.integer({ min: 1, max: 80 }),
      async (file, cuts, blockBytes, lineCap) => {
        const name = `p${serial++}.jsonl`;
        const path = write(file, name);
        const whole = await read(path, { lineCap });
        expectExact(whole, file);
        const steps = [...cuts.map((cut) => Math.min(cut, file.length)).toSorted((a, b) => a - b), file.length];
        const grown: SourceRecord[] = [];
        let from = 0;
        let line = 1;
        for (const size of steps) {
          write(file.subarray(0, size), name);
          const blocks = await read(path, { from, line, lineCap, blockBytes });
          expectExact(blocks, file, from);
          grown.push(...recordsOf(blocks));
          from = blocks.at(-1)?.byteEnd ?? from;
          line = blocks.at(-1)?.nextLine ?? line;
        }
        expect(grown.map(plain)).toEqual(recordsOf(whole).map(plain));
        expect(from).toBe(file.lastIndexOf(0x0a) + 1);
        rmSync(path);
        // With `final` every byte is in a block, and the number of lines is that of the newlines.
        const all = await read(write(file, name), { lineCap, blockBytes, final: true });
        expect(bytesOf(all).equals(file)).toBe(true);
        const oracle = linesOf(file, lineCap);
        expect(recordsOf(all).map((record) => [record.line, record.byteStart, record.byteEnd])).toEqual(oracle);
        rmSync(path);
      },
    ),
    { numRuns: 300 },
  );
});

/** The lines of a file, the slow way. */
function linesOf(file: Buffer, lineCap: number): [number, number, number][] {
  const lines: [number, number, number][] = [];
  let start = 0;
  for (let line = 1; start < file.length; line++) {
    const found = file.indexOf(0x0a, start);
    const stop = found === -1 ? file.length : found;
    const from = start === 0 && file.subarray(0, 3).toString("hex") === "efbbbf" ? 3 : start;
    const end = stop > from && file[stop - 1] === 0x0d ? stop - 1 : stop;
    const content = file.subarray(from, end).toString("latin1");
    if (stop - start > lineCap || !/^[ \t\r]*$/.test(content)) lines.push([line, from, end]);
    start = stop + 1;
  }
  return lines;
}

test("a document is one record, with the last of its blocks", async () => {
  const file = Buffer.from(`\uFEFF{"messages":[${"1,\n".repeat(100_000)}1]}`);
  const path = write(file, "d.json");
  const handle = await openSource(path, [dir]);
  const blocks: Block[] = [];
  for await (const block of readDocument(handle, { blockBytes: 100_000 })) blocks.push(block);
  expectExact(blocks, file);
  expect(recordsOf(blocks).map((record) => [record.byteStart, record.byteEnd])).toEqual([[3, file.length]]);
  expect(blocks.at(-1)?.records).toHaveLength(1);
  await expect(readDocument(handle, { maxBytes: 1000 }).next()).rejects.toMatchObject({ code: "too_large" });
  await handle.close();
});

test("the head is the first bytes, and no more than there are", async () => {
  const handle = await openSource(write("abc"), [dir]);
  expect(Buffer.from(await readHead(handle)).toString()).toBe("abc");
  expect(Buffer.from(await readHead(handle, 2)).toString()).toBe("ab");
  await handle.close();
});
