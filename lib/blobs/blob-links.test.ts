// A link in the place of a file of ours is never followed, whatever it leads to.
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileBlobs } from "./file.ts";
import { holds } from "./holds.ts";
import { appendRegistry, flushRegistry, readRegistry, registryText } from "./session-registry.ts";

const ID = "s_0123456789abcdef";
let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-links-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A file elsewhere, and a link to it at `path`. */
function linked(path: string, text: string): string {
  const elsewhere = join(dir, "elsewhere");
  writeFileSync(elsewhere, text);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(elsewhere, path);
  return elsewhere;
}

test("a blob that is a link to its very bytes is not taken for them, and not read", async () => {
  const text = "the very bytes";
  const digest = hash("sha256", text, "hex");
  const path = join(dir, "blobs", digest.slice(0, 2), digest.slice(2, 4), digest);
  linked(path, text);
  expect(holds(path, Buffer.from(text))).toBe(false);
  const blobs = fileBlobs(dir);
  try {
    expect(await blobs.verify(digest)).toBe("corrupt");
    const reading = async (): Promise<void> => {
      for await (const piece of blobs.read(digest)) expect(piece).toBeUndefined();
    };
    await expect(reading()).rejects.toMatchObject({ code: "conflict" });
  } finally {
    blobs.close();
  }
});

test("a registry that is a link is neither read nor added to", async () => {
  const path = join(dir, "sessions", ID, "registry.jsonl");
  const elsewhere = linked(path, registryText([{ pointer: "art:1" }]));
  const before = readFileSync(elsewhere, "utf8");
  const reading = async (): Promise<void> => {
    for await (const line of readRegistry(dir, ID)) expect(line).toBeUndefined();
  };
  await expect(reading()).rejects.toMatchObject({ code: "ELOOP" });
  expect(() => appendRegistry(dir, ID, registryText([{ pointer: "art:2" }]))).toThrow(/ELOOP/);
  await flushRegistry();
  expect(readFileSync(elsewhere, "utf8")).toBe(before);
});
