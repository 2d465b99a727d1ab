// Bundles that somebody made to do harm, or that broke on the way: refused with what is wrong, and the archive is as it was.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { beforeAll, expect, test, vi } from "vitest";
import { ZipFile } from "yazl";
import { answer, asks, jsonl, prompt, result, SESSION } from "#lib/formats/claude-code/testing-claude.ts";
import { createSession } from "../artifacts/create-session.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { tellTurns } from "../memory/testing-run.ts";
import { inArchive, inFolder, put, withArchive } from "../testing-archive.ts";
import { importAll } from "./import-all.ts";
import type { Manifest } from "./bundle-manifest.ts";
import { bundleBytes, planBundle } from "./write-bundle.ts";

type Parts = Map<string, Buffer>;

let file: Parts;
let held: Parts;

/** The entries of a sound bundle: of a session with a file, and of one without. */
beforeAll(() =>
  inFolder((dir) =>
    withArchive(join(dir, "archive"), async (archive) => {
      const lines = [
        prompt("p1", 0, "Look"),
        answer("a1", 1, "m1", asks("t1", "Bash", { command: "ls" })),
        result("r1", 2, "t1", "pier\n".repeat(2000)),
      ];
      const { files } = await importPaths(archive, [put(join(dir, "logs"), `${SESSION}.jsonl`, jsonl(...lines))]);
      file = await partsOf(archive, files[0]!.sessions[0]!);
      const { id } = await createSession(archive, { id: "run" });
      await tellTurns(archive, id, 2);
      await storeArtifact(archive, { session: id, name: "chart" }, Buffer.from("tides ".repeat(900)));
      held = await partsOf(archive, id);
    }),
  ),
);

async function partsOf(archive: Archive, id: string): Promise<Parts> {
  const plan = planBundle(archive, id);
  const parts: Parts = new Map();
  for (const { entry, read } of plan.parts) parts.set(entry.name, await buffer(Readable.from(read())));
  // The bytes are measured while they are written.
  await buffer(Readable.from(bundleBytes(plan)));
  return parts.set("manifest.json", Buffer.from(JSON.stringify(plan.manifest)));
}

const manifestOf = (parts: Parts): Manifest => JSON.parse(parts.get("manifest.json")!.toString()) as Manifest;

/** The entries with a changed manifest; `name` has other bytes, with a right digest. */
function changed(parts: Parts, change: (manifest: Manifest) => void, name?: string, bytes?: string | Buffer): Parts {
  const manifest = structuredClone(manifestOf(parts));
  const result: Parts = new Map(parts);
  if (name !== undefined) {
    const given = Buffer.from(bytes ?? "");
    result.set(name, given);
    for (const one of [...manifest.files.map((own) => own.entry), ...manifest.sessions.map((own) => own.rows)])
      if (one?.name === name)
        Object.assign(one, { sizeBytes: given.length, sha256: createHash("sha256").update(given).digest("hex") });
  }
  change(manifest);
  return result.set("manifest.json", Buffer.from(JSON.stringify(manifest)));
}

async function zipOf(parts: Parts, zip64 = false): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of parts) zip.addBuffer(bytes, name, { forceZip64Format: zip64, compressionLevel: 9 });
  zip.end({ forceZip64Format: zip64 } as never);
  return buffer(zip.outputStream as Readable);
}

/** The same bytes with a name of the same length in place of one, in both directories. */
const renamed = (zip: Buffer, from: string, to: string): Buffer =>
  Buffer.from(zip.toString("latin1").replaceAll(from, to), "latin1");

/** The directory entry of a name, to be changed in place. */
function directoryAt(zip: Buffer, name: string): number {
  for (
    let at = zip.indexOf("PK\u0001\u0002", 0, "latin1");
    at >= 0;
    at = zip.indexOf("PK\u0001\u0002", at + 4, "latin1")
  )
    if (zip.toString("latin1", at + 46, at + 46 + name.length) === name) return at;
  throw new Error(`no ${name}`);
}

function patched(zip: Buffer, name: string, change: (zip: Buffer, at: number) => void): Buffer {
  const result = Buffer.from(zip);
  change(result, directoryAt(result, name));
  return result;
}

const EMPTY = createHash("sha256").digest("hex");
const same = (): void => undefined;
const first = (parts: Parts): string => [...parts.keys()][0]!;
const rows = (parts: Parts): string => [...parts.keys()].find((name) => name.startsWith("rows/"))!;
const withFileRow = (table: string, row: object): Parts => withRow({ table, row }, () => false, file);
const CONTINUED = {
  id: "con_0123456789abcdef",
  ...{ origin: `claude-code:${SESSION}`, native_id: "claude-code:5e1ec7ed-0000-4000-8000-000000000002" },
  ...{ path: "/home/ada/x.jsonl", size: 1, digest: "0".repeat(64), mode: "summary", at_seq: 2, tokens_now: 2 },
  ...{ tokens_next: 1, written_at: 1, taken_back_at: null },
};
const withRow = (line: object, drop: (line: string) => boolean = () => false, parts = held): Parts =>
  changed(
    parts,
    same,
    rows(parts),
    [
      ...parts
        .get(rows(parts))!
        .toString()
        .split("\n")
        .filter((one) => one !== "" && !drop(one)),
      JSON.stringify(line),
      "",
    ].join("\n"),
  );

const HOSTILE: readonly [what: string, make: () => Promise<Buffer>, reason: RegExp][] = [
  [
    "a path that leads up",
    async () => renamed(await zipOf(file), "files/1-", "../../1-"),
    /refused: invalid relative path/,
  ],
  ["an absolute path", async () => renamed(await zipOf(file), "files/1-", "/iles/1-"), /refused: absolute path/],
  [
    "a path with backslashes",
    async () => renamed(await zipOf(file), "files/1-", "files\\1-"),
    /refused: invalid characters/,
  ],
  ["a name that no bundle has", async () => renamed(await zipOf(file), "files/1-", "filez/1-"), /an entry is named/],
  [
    "a link",
    async () =>
      patched(await zipOf(file), first(file), (zip, at) => zip.writeUInt32LE((0o120777 << 16) >>> 0, at + 38)),
    /is a link/,
  ],
  [
    "an encrypted entry",
    async () =>
      patched(await zipOf(file), first(file), (zip, at) => zip.writeUInt16LE(zip.readUInt16LE(at + 8) | 1, at + 8)),
    /is encrypted/,
  ],
  [
    "another compression",
    async () => patched(await zipOf(file), first(file), (zip, at) => zip.writeUInt16LE(93, at + 10)),
    /compression method 93/,
  ],
  ["a zip64", () => zipOf(file, true), /zip64/],
  [
    "two entries of one name",
    async () => {
      const parts: Parts = new Map([...file, ["files/9-a", Buffer.from("a")], ["files/9-b", Buffer.from("b")]]);
      return renamed(await zipOf(parts), "files/9-b", "files/9-a");
    },
    /two entries are named/,
  ],
  [
    "an entry that the manifest does not list",
    () => zipOf(new Map([...file, ["files/9-a", Buffer.from("a")]])),
    /does not list the entry "files\/9-a"/,
  ],
  ["an entry that is missing", () => zipOf(new Map([...file].filter(([name]) => name !== first(file)))), /is missing/],
  [
    "a size that is another",
    () => zipOf(changed(file, ({ files }) => Object.assign(files[0]!.entry, { sizeBytes: 7 }))),
    /its manifest says 7/,
  ],
  [
    "a digest that is another",
    () => zipOf(changed(file, ({ files }) => Object.assign(files[0]!.entry, { sha256: "0".repeat(64) }))),
    /do not match their digest/,
  ],
  [
    "an entry that unpacks to more than it says",
    async () =>
      patched(
        await zipOf(changed(file, ({ files }) => Object.assign(files[0]!.entry, { sizeBytes: 7 }))),
        first(file),
        (zip, at) => zip.writeUInt32LE(7, at + 24),
      ),
    /refused: .*(too many bytes|more than 7)/,
  ],
  ["a bomb", () => zipOf(changed(file, same, first(file), Buffer.alloc(120_000_000))), /over 500 times its size/],
  [
    "a bomb that says less of itself",
    async () =>
      patched(
        await zipOf(
          changed(
            file,
            ({ files }) => Object.assign(files[0]!.entry, { sizeBytes: 50 }),
            first(file),
            Buffer.alloc(80_000_000),
          ),
        ),
        first(file),
        (zip, at) => zip.writeUInt32LE(50, at + 24),
      ),
    /refused/,
  ],
  [
    "more than a bundle may have",
    async () => patched(await zipOf(file), first(file), (zip, at) => zip.writeUInt32LE(4_100_000_000, at + 24)),
    /over the limit of 4000000000/,
  ],
  [
    "a manifest from the future",
    () => zipOf(changed(file, (manifest) => Object.assign(manifest, { plimsollBundle: 3 }))),
    /has version 3.*Update Plimsoll/,
  ],
  ["a manifest that is not JSON", () => zipOf(new Map([...file, ["manifest.json", Buffer.from("{")]])), /is not JSON/],
  [
    "a manifest without its sessions",
    () => zipOf(changed(file, (manifest) => Object.assign(manifest, { sessions: [] }))),
    /wrong at "sessions"/,
  ],
  [
    "an unknown format",
    () => zipOf(changed(file, ({ files }) => Object.assign(files[0]!, { format: "elsewhere" }))),
    /format "elsewhere"/,
  ],
  [
    "another session's name for a file",
    () => zipOf(changed(file, ({ files }) => Object.assign(files[0]!, { nativeId: "claude-code:victim" }))),
    /is the session claude-code:5e/,
  ],
  [
    "an id that is not of its name",
    () =>
      zipOf(
        changed(held, (manifest) => {
          Object.assign(manifest.sessions[0]!, { id: "s_0000000000000000" });
          Object.assign(manifest, { session: "s_0000000000000000" });
        }),
      ),
    /is not the id of/,
  ],
  ["a row of a table that is none", () => zipOf(withRow({ table: "tokens", row: { id: "x" } })), /names no table/],
  [
    "a column that is none",
    () => zipOf(withRow({ table: "recall_runs", row: { session_pk: 1 } })),
    /has no column "session_pk"/,
  ],
  [
    "a value of another type",
    () =>
      zipOf(
        withRow({
          table: "recall_runs",
          row: { query: "q", budget: "{}", items: "[]", chars: "many", omitted: 0, created_at: 1 },
        }),
      ),
    /a row does not fit/,
  ],
  [
    "an event that is none",
    () =>
      zipOf(
        withRow({
          table: "events",
          row: { seq: 900, type: "user", turn: 1, bytes: 1, byte_start: 0, byte_end: 0, body: '{"type":"elsewhere"}' },
        }),
      ),
    /event 900 is not an event/,
  ],
  [
    "rows without their session",
    () => zipOf(withRow({ table: "recall_runs", row: {} }, (line) => line.startsWith('{"table":"sessions"'))),
    /does not begin with its session/,
  ],
  [
    "a file beside a session that leads out of its folder",
    () =>
      zipOf(
        withFileRow("beside_files", {
          ...{ path: "/home/ada/../eve/x.json", size: 0, mtime_ms: 1, digest: EMPTY, bytes: "" },
        }),
      ),
    /leads out of its folder/,
  ],
  [
    "a file beside a session with other bytes",
    () => zipOf(withFileRow("beside_files", { path: "/x.json", size: 1, mtime_ms: 1, digest: EMPTY, bytes: "41" })),
    /other bytes than it says/,
  ],
  [
    "a recipe that is none",
    () => zipOf(withFileRow("version_recipes", { size: 1, digest: EMPTY, records: "41" })),
    /version_recipes at "records"/,
  ],
  [
    "a continuation of another session",
    () => zipOf(withFileRow("continuations", { ...CONTINUED, origin: "claude-code:victim" })),
    /of another session/,
  ],
  [
    "a continuation whose name is an option of a command",
    () => zipOf(withFileRow("continuations", { ...CONTINUED, native_id: "claude-code:--dangerously" })),
    /continuations at "native_id"/,
  ],
  [
    "a continuation with a command of its own",
    () => zipOf(withFileRow("continuations", { ...CONTINUED, resume: "rm -rf ~" })),
    /continuations at/,
  ],
  [
    "rows cut off in a line",
    () => zipOf(changed(held, same, rows(held), held.get(rows(held))!.subarray(0, -20))),
    /refused|rows of the bundle are wrong/,
  ],
];

const rowsIn = (archive: Archive): unknown =>
  [
    "sources",
    "sessions",
    "events",
    "artifacts",
    "compactions",
    "raw_blocks",
    "blobs",
    "deleted_pointers",
    "search",
  ].map((table) => archive.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get());

test.each(HOSTILE)("%s is refused, and nothing of it is in the archive", (_, make, reason) =>
  inArchive(async (archive, logs) => {
    const path = join(logs, "x.zip");
    writeFileSync(path, await make());
    const { files } = await importAll(archive, [path]);
    expect(files).toMatchObject([{ status: "failed", events: 0, reason: expect.stringMatching(reason) as string }]);
    expect(rowsIn(archive)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const blobs: string[] = [];
    for await (const digest of archive.blobs.list()) blobs.push(digest);
    expect(blobs).toEqual([]);
  }),
);

test("a bundle that is refused late, on a slow machine, leaves no output either", () =>
  inArchive(async (archive, logs) => {
    const path = join(logs, "x.zip");
    const [, make] = HOSTILE.find(([what]) => what === "another session's name for a file")!;
    writeFileSync(path, await make());
    // Each look at the clock is a second later: whatever waits for time to pass is due at once.
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 1000));
    const { files } = await importAll(archive, [path]).finally(() => clock.mockRestore());
    expect(files).toMatchObject([{ status: "failed" }]);
    const blobs: string[] = [];
    for await (const digest of archive.blobs.list()) blobs.push(digest);
    expect(blobs).toEqual([]);
  }));

test("a bundle that is cut off anywhere is refused; the whole of it is imported", () =>
  inArchive(async (archive, logs) => {
    const zip = await zipOf(file);
    const path = join(logs, "x.zip");
    for (let end = 4; end < zip.length; end += Math.ceil(zip.length / 40)) {
      writeFileSync(path, zip.subarray(0, end));
      const { files } = await importAll(archive, [path]);
      expect(files).toMatchObject([{ status: "failed", reason: expect.stringMatching(/refused/) as string }]);
    }
    expect(rowsIn(archive)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0]);
    writeFileSync(path, zip);
    expect((await importAll(archive, [path])).files).toMatchObject([{ status: "imported" }]);
  }));

test("every flipped byte of a bundle is refused, or changes nothing that is read", () =>
  inArchive(async (archive, logs) => {
    const zip = await zipOf(held);
    const path = join(logs, "x.zip");
    let imported = 0;
    for (let at = 30; at < zip.length; at += Math.ceil(zip.length / 60)) {
      const bad = Buffer.from(zip);
      bad[at]! ^= 0x41;
      writeFileSync(path, bad);
      const [one] = (await importAll(archive, [path])).files;
      if (one!.status === "failed") continue;
      // Of a zip times, and fields that are in it twice, may differ: then all is as it was.
      imported++;
      expect(one!.reason).toBeUndefined();
    }
    expect(imported).toBeLessThan(10);
  }));

test("a zip that is no bundle is told of as a file that no format matches", () =>
  inArchive(async (archive, logs) => {
    const path = join(logs, "x.zip");
    writeFileSync(path, await zipOf(new Map([["readme.txt", Buffer.from("hello")]])));
    expect((await importAll(archive, [path])).files).toMatchObject([{ path, status: "skipped" }]);
    expect(readFileSync(path).length).toBeGreaterThan(0);
  }));
