// What a file may cost: records that say nothing, more events than its size can hold, compressed bytes that grow without end,
// lines of a gigabyte. Each is read as far as it is worth, and the source says why no further.
import { appendFileSync, closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { jsonl, prompt, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { blockOfLines } from "#lib/sources/line-reader.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { listSources } from "../sources/list-sources.ts";
import { showSession } from "../sessions/show-session.ts";
import { dumpOf, inArchive, put } from "../testing-archive.ts";
import { partsOf } from "./block-parts.ts";
import { importPaths } from "./import-paths.ts";
import { rawBytes } from "./raw-writer.ts";

const NAME = `${SESSION}.jsonl`;
const FIRST = jsonl(prompt("first", 0, "The first prompt"));

const rawOf = (archive: Archive): string =>
  Buffer.concat([
    ...rawBytes(archive, archive.sqlite.prepare("SELECT pk FROM sources").pluck().get() as number, 0, 2 ** 52),
  ]).toString();

const pages = (archive: Archive): number =>
  (archive.sqlite.pragma("page_count", { simple: true }) as number) *
  (archive.sqlite.pragma("page_size", { simple: true }) as number);

const source = async (archive: Archive) => (await listSources(archive, { limit: 1, offset: 0 })).sources[0]!;

test("records without content are one event that says how many, and no byte is lost", () =>
  inArchive(async (archive, logs) => {
    const text = `${FIRST}${"{}\n".repeat(300_000)}${jsonl(prompt("last", 5, "The last prompt"))}${"[]\r\n  null\n".repeat(3)}`;
    const path = put(logs, NAME, text);
    const { files } = await importPaths(archive, [path]);
    expect(files[0]).toMatchObject({ status: "imported", events: 4, records: 300_008, errors: [] });
    const bodies = archive.sqlite.prepare("SELECT body FROM events ORDER BY id").pluck().all() as string[];
    expect(bodies.map((body) => (JSON.parse(body) as { text: string }).text)).toEqual([
      "The first prompt",
      "300,000 records without content.",
      "The last prompt",
      "6 records without content.",
    ]);
    expect(rawOf(archive)).toBe(text);
    expect(pages(archive)).toBeLessThan(2_000_000);
    appendFileSync(path, "{}\n");
    await importPaths(archive, [path]);
    expect(await showSession(archive, SESSION)).toMatchObject({ records: 300_009, events: { user: 2, meta: 2 } });
    expect((await check(archive)).problems).toEqual([]);
    const grown = dumpOf(archive, logs);
    await inArchive(async (fresh, others) => {
      await importPaths(fresh, [put(others, NAME, `${text}{}\n`)]);
      expect(dumpOf(fresh, others)).toEqual(grown);
    });
  }));

const tiny = (count: number): string => Array.from({ length: count }, (_, n) => `{"a":${n}}\n`).join("");

test("a file of more events than its size can hold is read so far, and says so", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, NAME, FIRST + tiny(LIMITS.fileEventsFree + 20_000));
    const { files } = await importPaths(archive, [path]);
    const { events } = files[0]!;
    expect(events).toBeGreaterThan(LIMITS.fileEventsFree);
    expect(events).toBeLessThanOrEqual(LIMITS.fileEventsFree + LIMITS.partRecords);
    const reason = `Reading stopped at line ${(events + 1).toLocaleString("en")}: over 8,000 events per megabyte. Earlier events are imported. Split the file to read the rest.`;
    expect(await source(archive)).toMatchObject({ status: "ok", reason });
    expect((await showSession(archive, SESSION)).quality).toContain(reason);
    // Looked at again, or grown, it is not read on.
    for (let i = 0; i < 2; i++) {
      expect((await importPaths(archive, [path])).files[0]).toMatchObject({ status: "unchanged", events: 0 });
      appendFileSync(path, tiny(1));
    }
    expect((await check(archive)).problems).toEqual([]);
  }));

test("a compressed file is read up to a ratio, and says so", () =>
  inArchive(async (archive, logs) => {
    const before = { ...LIMITS };
    Object.assign(LIMITS, { inflateFreeBytes: 1024 * 1024 });
    try {
      const line = jsonl(prompt("again", 3, "x".repeat(20_000)));
      const bytes = zstdCompressSync(Buffer.from(FIRST + line.repeat(400)));
      expect(bytes.length * LIMITS.inflateRatio).toBeLessThan(1024 * 1024);
      const path = put(logs, "rollout.jsonl.zst", bytes);
      const { files } = await importPaths(archive, [path]);
      const reason = expect.stringMatching(/^Reading stopped: [\d,]+ compressed bytes hold more than 1,048,576\./);
      expect(await source(archive)).toMatchObject({ status: "ok", reason });
      expect(rawOf(archive).length).toBeLessThanOrEqual(1024 * 1024);
      expect(files[0]!.events).toBeGreaterThan(10);
      expect((await importPaths(archive, [path])).files[0]!.status).toBe("unchanged");
    } finally {
      Object.assign(LIMITS, before);
    }
  }));

test("a megabyte of short lines is written in parts, between which others may write", () =>
  inArchive(async (archive, logs) => {
    const before = { ...LIMITS };
    // A batch is full at once: others have their turn after each part.
    Object.assign(LIMITS, { batchMs: 0 });
    try {
      let turns = 0;
      const pass = archive.turn.pass.bind(archive.turn);
      archive.turn.pass = async () => {
        turns++;
        await pass();
      };
      await importPaths(archive, [put(logs, NAME, FIRST + tiny(40_000))]);
      expect(turns).toBeGreaterThanOrEqual(40_000 / LIMITS.partRecords);
      expect((await showSession(archive, SESSION)).records).toBe(40_001);
    } finally {
      Object.assign(LIMITS, before);
    }
  }));

test.each([
  ["plain", `${FIRST}${tiny(8000)}`],
  ["compressed", zstdCompressSync(Buffer.from(FIRST + "{}\n".repeat(300_000)))],
])("a write that comes while a file is imported is answered before its end: %s", (_, content) =>
  inArchive(async (archive, logs) => {
    const before = { ...LIMITS };
    // Nothing but the write that waits ends a batch.
    Object.assign(LIMITS, { batchMs: 3_600_000, batchBytes: Infinity, batchWantedMs: 0 });
    try {
      const path = put(logs, typeof content === "string" ? NAME : `${NAME}.zst`, content);
      const events = archive.sqlite.prepare("SELECT count(*) FROM events").pluck();
      const imported = importPaths(archive, [path]);
      const then = await createSession(archive, { id: "beside" }).then(() => events.get());
      await imported;
      expect(then).toBeLessThan(events.get() as number);
    } finally {
      Object.assign(LIMITS, before);
    }
  }),
);

test("the thread that looks through a file for its name hears of other writes meanwhile", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${NAME}.zst`, zstdCompressSync(Buffer.from(FIRST + "{}\n".repeat(300_000))));
    let rounds = 0;
    let next = setImmediate(function count() {
      rounds++;
      next = setImmediate(count);
    });
    const request: number[] = [];
    Object.defineProperty(archive.turn, "isWanted", { get: () => (request.push(rounds), false) });
    await importPaths(archive, [path]);
    clearImmediate(next);
    // One megabyte, which is decompressed at once: its 15 blocks are looked at one after the other.
    expect(new Set(request.slice(0, 300_000 / LIMITS.blockRecords)).size).toBeGreaterThan(1);
  }));

test("the parts of a block hold each of its bytes once, whether it has records or not", () => {
  const text = Buffer.from(`\n${tiny(3000)}\n\n`);
  const block = blockOfLines(text, 0, 1, LIMITS.lineBytes);
  for (const bytes of [100, 5000, Infinity])
    for (const records of [block.records, block.records.slice(0, 1), []]) {
      const parts = partsOf({ ...block, records }, bytes);
      expect(Buffer.concat(parts.map((part) => part.bytes)).equals(text)).toBe(true);
      expect(parts.flatMap((part) => part.records)).toEqual(records);
      expect(parts.at(-1)!.nextLine).toBe(block.nextLine);
    }
  expect(partsOf(block, 5000).every((part) => part.bytes.length < 5100)).toBe(true);
});

test("a line of a gigabyte takes no memory that grows with it", { timeout: 120_000 }, () =>
  inArchive(async (archive, logs) => {
    const path = join(logs, NAME);
    const file = openSync(path, "w");
    writeSync(file, `${FIRST}{"type":"user","text":"`);
    const piece = Buffer.alloc(8 * 1024 * 1024, "x");
    for (let n = 0; n < 32; n++) writeSync(file, piece);
    writeSync(file, '"}\n');
    closeSync(file);
    let most = 0;
    const start = process.memoryUsage.rss();
    const onProgress = (): void => void (most = Math.max(most, process.memoryUsage.rss() - start));
    const { files } = await importPaths(archive, [path], { onProgress });
    expect(files[0]).toMatchObject({ events: 2, errors: [{ line: 2 }] });
    // The line has 256 MB here.
    expect(most).toBeLessThan(100_000_000);
  }),
);
