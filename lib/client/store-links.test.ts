// A link in the place of a file of a folder store is never followed, whatever it leads to.
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readChecked } from "./store-files.ts";
import { REGISTRY, RegistryReader, appendLine } from "./store-registry.ts";

let dir = "";
let folder = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-store-links-"));
  folder = join(dir, "session");
  mkdirSync(folder);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** A file outside of the store, and a link to it at `path`. */
function linked(path: string, text: string): string {
  const outside = join(dir, "outside");
  writeFileSync(outside, text);
  symlinkSync(outside, path);
  return outside;
}

const LINE = { v: 1, removed: "018f0000-0000-4000-8000-000000000000", sessionId: "session" } as const;

test("an artifact that is a link to its very bytes is not read", async () => {
  const path = join(folder, "art_0123456789abcdef.txt");
  linked(path, "the very bytes");
  expect(await readChecked(path, hash("sha256", "the very bytes", "hex"))).toBeNull();
});

test("a registry that is a link is not added to", () => {
  const outside = linked(join(folder, REGISTRY), "outside\n");
  expect(() => appendLine(folder, LINE)).toThrow(/ELOOP/);
  expect(readFileSync(outside, "utf8")).toBe("outside\n");
});

test("a registry that is a link is not read", () => {
  linked(join(folder, REGISTRY), `${JSON.stringify(LINE)}\n`);
  expect(() => new RegistryReader(folder).read()).toThrow(/ELOOP/);
});
