// Archives that strangers made: names are only names, bounds hold, damage leaves what came before it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { ZipFile } from "yazl";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSource } from "./source-handle.ts";
import { archiveKind, budgetFor, unpack, type Budget } from "./unpack.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-unpack-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const write = (name: string, bytes: Uint8Array | string): string => {
  const path = join(dir, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
  return path;
};

/** A ustar archive of regular files, or of what `type` says. */
function tarOf(entries: readonly (readonly [name: string, text: string, type?: string])[]): Buffer {
  const blocks = entries.flatMap(([name, text, type = "0"]) => {
    const header = Buffer.alloc(512);
    const body = Buffer.from(text);
    header.write(name.slice(0, 100), 0);
    header.write("0000644\0", 100);
    header.write(`${body.length.toString(8).padStart(11, "0")}\0`, 124);
    header.write("14724145171\0", 136);
    header.write("        ", 148);
    header.write(type, 156);
    header.write("ustar\0", 257);
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

async function zipOf(entries: readonly (readonly [name: string, bytes: Uint8Array | string])[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of entries) zip.addBuffer(Buffer.from(bytes as string), name);
  zip.end();
  return buffer(zip.outputStream as NodeJS.ReadableStream);
}

async function unpacked(path: string, budget?: Budget) {
  const handle = await openSource(path, [dir]);
  try {
    const kind = await archiveKind(handle);
    if (kind === null) return null;
    const out = await unpack(handle, kind, join(dir, "copies"), budget ?? budgetFor(handle.size));
    const texts = [...out.entries.values()].map(({ name, file }) => [name, readFileSync(file!, "utf8")]);
    out.close();
    return { kind, texts, problem: out.problem };
  } finally {
    await handle.close();
  }
}

const FILES = [
  ["a.jsonl", "one\n"],
  ["folder/b.json", "{}"],
] as const;

test("zip, tar, gzip and zstd give the same files", async () => {
  const tar = tarOf(FILES);
  for (const [name, bytes, kind] of [
    ["x.zip", await zipOf(FILES), "zip"],
    ["x.tar", tar, "tar"],
    ["x.tgz", gzipSync(tar), "tar.gz"],
    ["x.tar.zst", zstdCompressSync(tar), "tar.zst"],
  ] as const)
    expect(await unpacked(write(name, bytes))).toEqual({ kind, texts: FILES, problem: null });
  expect((await unpacked(write("a.jsonl.gz", gzipSync("one\n"))))!.texts).toEqual([["a.jsonl", "one\n"]]);
  expect(await unpacked(write("b.jsonl.zst", zstdCompressSync("one\n")))).toBeNull();
  expect(await unpacked(write("c.jsonl", "{}\n"))).toBeNull();
  expect(readdirSync(join(dir, "copies"))).toEqual([]);
});

test("what the tar of this system writes is read, long names too", async () => {
  const long = `${"deep/".repeat(40)}${"n".repeat(120)}.jsonl`;
  write(`in/${long}`, "deep\n");
  symlinkSync("/etc/passwd", join(dir, "in", "link.jsonl"));
  for (const format of ["gnu", "pax"]) {
    const path = join(dir, `${format}.tar.gz`);
    execFileSync("tar", ["-C", join(dir, "in"), `--format=${format}`, "-czf", path, "."]);
    expect((await unpacked(path))!.texts).toEqual([[`./${long}`, "deep\n"]]);
  }
});

test("names that lead out, absolute ones and ones with NUL are only names", async () => {
  const hostile = [
    ["../../out/evil.jsonl", "a"],
    ["/etc/evil.jsonl", "b"],
    ["aa\u0007b.jsonl", "c"],
    ["same.jsonl", "first"],
    ["same.jsonl", "last"],
  ] as const;
  const seen = [
    ["../../out/evil.jsonl", "a"],
    ["/etc/evil.jsonl", "b"],
    ["aa\uFFFDb.jsonl", "c"],
    ["same.jsonl", "last"],
  ];
  const before = readdirSync(dirname(dir));
  expect((await unpacked(write("x.tar", tarOf([...hostile, ["way", "", "2"]]))))!.texts).toEqual(seen);
  const plain = hostile.slice(2).map(([name], at) => [`${"x".repeat(name.length - 1)}${at}`, "c"] as const);
  const zip = await zipOf(plain);
  expect(
    (await unpacked(write("y.zip", Buffer.from(zip.toString("latin1").replaceAll("xxx", "../"), "latin1"))))!.texts,
  ).toHaveLength(3);
  expect(readdirSync(dirname(dir)).filter((name) => !before.includes(name))).toEqual([]);
});

test("an archive that unpacks to too much is refused, and leaves nothing", async () => {
  const bomb = write("bomb.zip", await zipOf([["zeros.jsonl", Buffer.alloc(4 * 1024 * 1024)]]));
  const small = (): Budget => ({ bytes: 0, entries: 0, most: 1024 * 1024 });
  await expect(unpacked(bomb, small())).rejects.toThrow(/unpacks to more than 1,048,576 bytes/);
  const gz = write("bomb.jsonl.gz", gzipSync(Buffer.alloc(4 * 1024 * 1024)));
  await expect(unpacked(gz, small())).rejects.toThrow(/Unpack it/);
  const many = write("many.tar", tarOf(FILES));
  await expect(unpacked(many, { ...small(), entries: 99_999 })).rejects.toThrow(/more than 100,000 entries/);
  expect(readdirSync(join(dir, "copies"))).toEqual([]);
});

test("damage leaves the entries before it", async () => {
  const tar = tarOf([...FILES, ["c.jsonl", "x".repeat(9000)]]);
  const cut = (await unpacked(write("cut.tar", tar.subarray(0, 4000))))!;
  expect(cut.texts.slice(0, 2)).toEqual(FILES);
  expect(cut.problem).toMatch(/The archive is damaged: The archive ends inside an entry/);
  const broken = (await unpacked(write("cut.tgz", gzipSync(tar).subarray(0, 120))))!;
  expect(broken.problem).toMatch(/damaged/);
  const zip = await zipOf(FILES);
  expect((await unpacked(write("cut.zip", zip.subarray(0, zip.length - 10))))!.problem).toMatch(/damaged/);
});
