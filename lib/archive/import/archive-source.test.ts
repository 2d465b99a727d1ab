// Archives among the files of an import: entries are sniffed like files, change with the archive, and are answered for.
import { readdirSync, readlinkSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { ZipFile } from "yazl";
import { expect, test, vi } from "vitest";
import type { ImportProgress } from "#lib/wire/sources-schema.ts";
import { Batch } from "../base/batch.ts";
import { importAll } from "../bundle/import-all.ts";
import { listSources } from "../sources/list-sources.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const session = (id: string, text: string): string =>
  [
    { type: "session", version: 3, id, timestamp: "2026-03-02T09:00:41.000Z", cwd: "/home/ada" },
    {
      ...{ type: "message", id: `${id}1`, parentId: null, timestamp: "2026-03-02T09:00:42.000Z" },
      message: { role: "user", content: text, timestamp: 1772442042000 },
    },
  ]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join("");

async function zipOf(entries: Readonly<Record<string, string | Uint8Array>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of Object.entries(entries)) zip.addBuffer(Buffer.from(bytes as string), name);
  zip.end();
  return buffer(zip.outputStream as NodeJS.ReadableStream);
}

test("a file beside a session that says more of it is not unmatched in an archive either", () =>
  inArchive(async (archive, logs) => {
    const trace = { id: "rt_1", ts: 1, turn_id: "turn_0001", seq: 1, trace_type: "user", content: "Draw the tide." };
    const zip = await zipOf({
      "agents/Tide_1/working_context_snapshot.json": JSON.stringify({ agent_id: "tide", messages: [] }),
      "agents/Tide_1/raw_traces.jsonl": `${JSON.stringify(trace)}\n`,
    });
    const { files, unmatched } = await importPaths(archive, [put(logs, "memory.zip", zip)]);
    expect([files.map(({ format }) => format), unmatched]).toEqual([["archive", "autobyteus"], []]);
  }));

test("an archive in a folder gives its sessions once; what no format matches is counted under it", () =>
  inArchive(async (archive, logs) => {
    const inner = await zipOf({ "deep.jsonl": session("d", "Nested") });
    const entries = { "a.jsonl": session("a", "Packed"), "notes/n.json": "{}", "p.png": "x", "inner.zip": inner };
    const path = put(logs, "old.zip", await zipOf(entries));
    const told: ImportProgress[] = [];
    const onProgress = (progress: ImportProgress) => told.push(progress);
    const { files, unmatched } = await importPaths(archive, [logs], { onProgress });
    const { filesDone, bytesDone, ...all } = told.at(-1)!;
    expect([filesDone, bytesDone]).toEqual([all.files, all.bytes]);
    // The archive, and three entries that were looked into.
    expect(all.files).toBe(4);
    expect(files.map(({ path: one, format, status }) => [one, format, status])).toEqual([
      [path, "archive", "imported"],
      [`${path}#a.jsonl`, "pi", "imported"],
      [`${path}#inner.zip#deep.jsonl`, "pi", "imported"],
    ]);
    expect(unmatched).toMatchObject([{ path, files: 2 }]);
    const again = await importPaths(archive, [logs]);
    expect(again.files).toMatchObject([{ path, status: "unchanged", sessions: { length: 2 } }]);
    const { sources } = await listSources(archive, { limit: 10, offset: 0 });
    expect(sources.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
    expect(readdirSync(join(archive.dir, "copies"))).toEqual([]);

    writeFileSync(path, await zipOf({ ...entries, "b.jsonl": session("b", "Added") }));
    utimesSync(path, 1, 1);
    const later = await importPaths(archive, [logs]);
    expect(later.files.filter(({ status }) => status === "imported").map(({ path: one }) => one)).toEqual([
      path,
      `${path}#b.jsonl`,
    ]);
    rmSync(path);
    expect((await listSources(archive, { limit: 10, offset: 0 })).sources).toHaveLength(4);
  }));

test("a gzip file and a zstd file of several frames are read by what is in them", () =>
  inArchive(async (archive, logs) => {
    const lines = session("z", "In frames").split(/(?<=\n)/);
    const gz = put(logs, "one.jsonl.gz", gzipSync(session("g", "In gzip")));
    const zst = put(logs, "two.jsonl.zst", Buffer.concat(lines.map((line) => zstdCompressSync(line))));
    const { files } = await importAll(archive, [gz, zst]);
    expect(files.map(({ format, events }) => [format, events])).toEqual([
      ["archive", 0],
      ["pi", 2],
      ["pi", 2],
    ]);
  }));

test("a plain zip with a file manifest.json is no bundle", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "mine.zip", await zipOf({ "manifest.json": "{}", "a.jsonl": session("a", "Packed") }));
    expect((await importAll(archive, [path])).files.map(({ format }) => format)).toEqual(["archive", "pi"]);
  }));

test("an archive that is too large is refused with a sentence", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, "bomb.zip", await zipOf({ "zeros.jsonl": Buffer.alloc(70 * 1024 * 1024) }));
    const { files } = await importPaths(archive, [path]);
    expect(files).toMatchObject([
      { status: "failed", reason: expect.stringMatching(/unpacks to more than/) as string },
    ]);
  }));

test("an archive whose import was cancelled is read to its end by the next one", () =>
  inArchive(async (archive, logs) => {
    const entries = { "a.jsonl": session("a", "First"), "b.jsonl": session("b", "Second") };
    const path = put(logs, "old.zip", await zipOf(entries));
    const stop = new AbortController();
    // Each file has its own commit here, and what is committed stays.
    const isFull = vi.spyOn(Batch.prototype, "isFull", "get").mockReturnValue(true);
    const first = await importPaths(archive, [logs], { onSessions: () => stop.abort(), signal: stop.signal });
    isFull.mockRestore();
    expect([first.cancelled, first.files.map(({ path: one }) => one)]).toEqual([true, [path, `${path}#a.jsonl`]]);
    const { files } = await importPaths(archive, [logs]);
    expect(files.map(({ path: one, status }) => [one, status])).toEqual([
      [path, "imported"],
      [`${path}#a.jsonl`, "unchanged"],
      [`${path}#b.jsonl`, "imported"],
    ]);
    expect((await importPaths(archive, [logs])).files).toMatchObject([{ path, status: "unchanged" }]);
  }));

/** Files below a folder that this process has open, those that are deleted by now too. */
const openBelow = (folder: string): string[] =>
  readdirSync("/proc/self/fd")
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return "";
      }
    })
    .filter((path) => path.startsWith(folder));

test.skipIf(process.platform !== "linux")("an archive inside of one that cannot be unpacked leaves no file open", () =>
  inArchive(async (archive, logs) => {
    const inner = await zipOf({ "zeros.jsonl": Buffer.alloc(70 * 1024 * 1024) });
    const path = put(logs, "outer.zip", await zipOf({ "inner.zip": inner }));
    const { files } = await importPaths(archive, [path]);
    expect(files).toMatchObject([{ status: "failed" }]);
    expect(openBelow(archive.dir).filter((one) => one.includes("unpacked-"))).toEqual([]);
  }),
);
