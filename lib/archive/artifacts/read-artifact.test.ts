import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { LineIndex } from "#lib/kernel/artifacts/line-index.ts";
import { inArchive, inFolder, withArchive, testHost } from "../testing-archive.ts";
import { closeArchive, openArchive } from "../archive.ts";
import type { Archive } from "../base/archive-type.ts";
import { linesQuery } from "#lib/wire/artifacts-schema.ts";
import { artifactLines } from "./artifact-lines.ts";
import type { ArtifactDbRow } from "../base/artifact-row.ts";
import { createSession } from "./create-session.ts";
import { readBytes, readText, type ReadAsk } from "./read-artifact.ts";
import { resolveArtifact } from "./resolve.ts";
import { storeArtifact } from "./store-artifact.ts";

const CAPS = { bytes: 262_144, lines: 200, chars: 65_536 };

async function rowOf(archive: Archive, bytes: Uint8Array | AsyncIterable<Uint8Array>): Promise<ArtifactDbRow> {
  const { id } = await createSession(archive, { id: "s" });
  return resolveArtifact(archive, (await storeArtifact(archive, { session: id }, bytes)).pointer);
}

async function textOf(archive: Archive, row: ArtifactDbRow, ask: ReadAsk, caps = CAPS) {
  const part = await readText(archive, row, ask, caps);
  if (part.kind !== "text") throw new Error(part.kind);
  return part;
}

const numbered = (count: number): string => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");

test("lines 100 to 200 of 14,020 are 101 lines", () =>
  inArchive(async (archive) => {
    const row = await rowOf(archive, Buffer.from(numbered(14_020)));
    const { text, cut } = await textOf(archive, row, { startLine: 100, endLine: 200 });
    expect(text.split("\n")).toHaveLength(101);
    expect([text.startsWith("line 100\n"), text.endsWith("\nline 200"), cut]).toEqual([true, true, null]);
  }));

test("a range of 5,000 lines gives 200 and says where to go on", () =>
  inArchive(async (archive) => {
    const row = await rowOf(archive, Buffer.from(numbered(14_020)));
    const { text, cut } = await textOf(archive, row, { startLine: 1000, endLine: 6000 });
    expect(text.split("\n")).toHaveLength(201);
    expect(cut).toBe("[lines 1000–1199 of 14020; continue with start_line=1200]");
  }));

test("300,000 bytes without a range are 200 lines and where to go on", () =>
  inArchive(async (archive) => {
    const row = await rowOf(archive, Buffer.from(`${"x".repeat(99)}\n`.repeat(3000)));
    const { text, cut } = await textOf(archive, row, {});
    expect(text).toBe(`${"x".repeat(99)}\n`.repeat(200));
    expect(cut).toBe("[lines 1–200 of 3000; continue with start_line=201]");
  }));

test.each([
  ["nothing", ""],
  ["a byte order mark", "\uFEFFa\nb"],
  ["lone carriage returns", "a\rb\rc\nd"],
  ["CRLF", "a\r\nb\r\n"],
  ["no newline at the end", "a\nb"],
  ["newlines alone", "\n\n\n"],
])("text with %s comes back exactly", (_, text) =>
  inArchive(async (archive) => {
    const row = await rowOf(archive, Buffer.from(text));
    expect((await textOf(archive, row, {})).text).toBe(text);
    const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
    expect(row.line_count).toBe(lines.length);
    for (const [i, line] of lines.entries()) {
      const one = await textOf(archive, row, { startLine: i + 1, endLine: i + 1 });
      expect(one.text.replace(/\n$/, "")).toBe(line);
    }
    expect(await readText(archive, row, { startLine: lines.length + 1 })).toEqual({
      kind: "past end",
      lineCount: lines.length,
    });
  }),
);

test("bytes with a NUL are no text, and come back in base64", () =>
  inArchive(async (archive) => {
    const bytes = Buffer.from("a\0b\n\xff", "latin1");
    const row = await rowOf(archive, bytes);
    await expect(readText(archive, row, {})).rejects.toThrow(/is not text/);
    expect((await readBytes(archive, row, {}, 100)).data.equals(bytes)).toBe(true);
    expect(await readBytes(archive, row, { startChar: 1, maxChars: 2 }, 100)).toEqual({
      data: Buffer.from("\0b"),
      nextByte: 3,
    });
    await expect(readBytes(archive, row, { startLine: 1 }, 100)).rejects.toThrow(/no lines/);
  }));

test("characters inside a long line are code points", () =>
  inArchive(async (archive) => {
    const line = "aé€😀".repeat(100_000);
    const row = await rowOf(archive, Buffer.from(`first\n${line}\nlast`));
    const part = await textOf(archive, row, { startLine: 2, startChar: 200_003, maxChars: 5 });
    expect(part).toEqual({
      kind: "text",
      text: "😀aé€😀",
      cut: "[chars 200003–200008 of 400000 in line 2; continue with start_line=2, start_char=200008]",
    });
    expect(await textOf(archive, row, { startLine: 2, startChar: 399_999 })).toMatchObject({
      text: "😀",
      cut: "[chars 399999–400000 of 400000 in line 2; continue with start_line=3]",
    });
    expect(await readText(archive, row, { startLine: 2, startChar: 400_000 })).toEqual({
      kind: "past line",
      line: 2,
      chars: 400_000,
    });
  }));

test("readings that go on as they are told add up to the bytes", () =>
  inArchive(async (archive) => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 30 }),
      fc.constantFrom("\n", "\r\n", "\r", "\uFEFF", "😀"),
      fc.integer({ min: 1, max: 900 }).map((length) => "é".repeat(length)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 12 }).map((parts) => parts.join("").replaceAll("\0", "")),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 40, max: 700 }),
        async (text, lines, chars) => {
          const bytes = Buffer.from(text.toWellFormed());
          fc.pre(bytes.length > 0);
          const row = await rowOf(archive, bytes);
          fc.pre(row.line_count !== null);
          const caps = { bytes: 1000, lines, chars };
          let read = "";
          let ask: ReadAsk = {};
          for (let rounds = 0; rounds < 2000; rounds++) {
            const part = await textOf(archive, row, ask, caps);
            expect(Buffer.byteLength(part.text)).toBeLessThanOrEqual(caps.bytes);
            const next = /start_line=(\d+)(?:, start_char=(\d+))?\]$/.exec(part.cut ?? "");
            read += part.text;
            if (next === null) break;
            // A part of a line that ends with it comes without the line's end.
            if (part.cut!.startsWith("[chars") && next[2] === undefined) read += "\n";
            ask = { startLine: Number(next[1]), ...(next[2] !== undefined && { startChar: Number(next[2]) }) };
          }
          expect(read.replace(/\n$/, "")).toBe(bytes.toString().replace(/\n$/, ""));
        },
      ),
      { numRuns: 60 },
    );
  }));

test("a reader that may not write builds the index in memory, one that may keeps it", () =>
  inFolder(async (dir) => {
    const text = Buffer.from("0123456789".repeat(9).concat("\n").repeat(10_000));
    const pointer = await withArchive(dir, async (archive) => (await rowOf(archive, text)).pointer);
    const drop = (archive: Archive) => archive.sqlite.exec("DELETE FROM blob_lines");
    const kept = (archive: Archive) => archive.sqlite.prepare("SELECT count(*) FROM blob_lines").pluck().get();
    await withArchive(dir, async (archive) => drop(archive));
    const reader = await openArchive({ dir, host: testHost(), mode: "read" });
    const request = { startLine: 5000, endLine: 5000 };
    expect((await textOf(reader, resolveArtifact(reader, pointer), request)).text).toHaveLength(90);
    expect(kept(reader)).toBe(0);
    await closeArchive(reader);
    await withArchive(dir, async (archive) => {
      expect((await textOf(archive, resolveArtifact(archive, pointer), request)).text).toHaveLength(90);
      await expect.poll(() => kept(archive)).toBe(1);
      const stored = archive.sqlite.prepare("SELECT line_index FROM blob_lines").pluck().get() as Uint8Array;
      expect(LineIndex.decode(stored, text.length).newlines).toBe(10_000);
    });
  }));

test("the page's lines of a text with very long lines are cut and say how long they are", () =>
  inArchive(async (archive) => {
    const row = await rowOf(archive, Buffer.from(`short\r\n${"€".repeat(3_000_000)}\nend`));
    const { lines, lineCount } = await artifactLines(archive, row.pointer, { from: 1, count: 10 });
    expect(lineCount).toBe(3);
    expect(lines.map(({ text, chars, cut }) => [text.length, chars, cut])).toEqual([
      [5, 5, false],
      [4000, 3_000_000, true],
      [3, 3, false],
    ]);
    const longer = await artifactLines(archive, row.pointer, { from: 2, count: 1, chars: 100_000 });
    expect(longer.lines[0]).toEqual({ text: "€".repeat(100_000), chars: 3_000_000, cut: true });
    expect(linesQuery.safeParse({ count: 2000 }).success).toBe(true);
    expect(linesQuery.safeParse({ count: 81, chars: 100_000 }).success).toBe(false);
  }));

test("any 200 lines of 200 MB are read in 20 ms and few megabytes", { timeout: 60_000 }, () =>
  inArchive(async (archive) => {
    const line = `${"log ".repeat(24)}end\n`;
    const block = Buffer.from(line.repeat(10_000));
    const digest = createHash("sha256");
    async function* blocks() {
      for (let i = 0; i < 200; i++) {
        digest.update(block);
        yield block;
      }
    }
    const row = await rowOf(archive, blocks());
    // The first reading of a process checks the digest of all of it.
    await textOf(archive, row, { startLine: 1 });
    const before = process.memoryUsage.rss();
    const times: number[] = [];
    for (let at = 1; at < 2_000_000; at += 97_001) {
      const from = process.cpuUsage();
      await textOf(archive, row, { startLine: at });
      const { user, system } = process.cpuUsage(from);
      // Time of the processor: what else the machine does is not this reading's.
      times.push((user + system) / 1000);
    }
    times.sort((a, b) => a - b);
    expect(times[Math.floor(times.length / 2)]).toBeLessThan(20);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  }),
);
