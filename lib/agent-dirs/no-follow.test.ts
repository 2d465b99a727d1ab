// A link in the place of a file of an agent's folder is never followed: what it leads to is neither read nor changed.
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { appendBytes, appendLines, stampOf, swapFile } from "./autobyteus/files.ts";
import { appendEntries, registryPath } from "./openclaw/artifact-registry.ts";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-agent-links-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const outside = (): string => join(dir, "outside");

/** A link at `name` to a file with these bytes; its path. */
function linked(name: string): string {
  writeFileSync(outside(), "outside\n");
  chmodSync(outside(), 0o640);
  symlinkSync(outside(), join(dir, name));
  return join(dir, name);
}

const line = Buffer.from("line\n");

const WAYS: readonly (readonly [string, () => unknown])[] = [
  ["lines are not added to it", () => appendLines(linked("traces.jsonl"), line, stampOf(outside()))],
  ["bytes are not added to it", () => appendBytes(linked("traces.jsonl"), line)],
  ["it is not opened to be swapped", () => swapFile(linked("manifest.json"), line)],
  [
    "no entry is added to it",
    async () => {
      linked("registry.jsonl");
      expect(registryPath(dir)).toBe(join(dir, "registry.jsonl"));
      const artifact = { id: "art_0123456789abcdef", path: "art_0123456789abcdef.txt" };
      await appendEntries(dir, [{ hash: "0".repeat(64), artifact } as never]);
    },
  ],
];

test.each(WAYS)("a link in the place of a file: %s", async (_, write) => {
  await expect((async () => write())()).rejects.toMatchObject({ code: "ELOOP" });
  expect(readFileSync(outside(), "utf8")).toBe("outside\n");
  expect(statSync(outside()).mode & 0o777).toBe(0o640);
  expect(readdirSync(dir, { withFileTypes: true }).filter((entry) => entry.isSymbolicLink())).toHaveLength(1);
});
