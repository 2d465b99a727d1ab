import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Seen } from "./fingerprint.ts";
import { compare, fingerprint } from "./fingerprint.ts";
import { openSource } from "./source-handle.ts";

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-fingerprint-"));
  path = join(dir, "s.jsonl");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => `{"n":${from + i},"text":"${"x".repeat(80)}"}\n`).join("");

/** What is remembered after the file was read to its last newline. */
async function see(offset?: number): Promise<Seen> {
  const handle = await openSource(path, [dir]);
  const { dev, ino, size } = handle;
  const upTo = offset ?? size;
  const seen = { dev, ino, size, offset: upTo, ...(await fingerprint(handle, upTo)) };
  await handle.close();
  return seen;
}

async function compared(seen: Seen): Promise<string> {
  const handle = await openSource(path, [dir]);
  try {
    return await compare(handle, seen);
  } finally {
    await handle.close();
  }
}

const SCENARIOS: [name: string, count: number, change: () => void, expected: string][] = [
  ["nothing happened", 1000, () => undefined, "unchanged"],
  ["touched", 1000, () => utimesSync(path, 1, 1), "unchanged"],
  ["appended", 1000, () => appendFileSync(path, lines(1000, 1)), "grown"],
  ["appended to a short file", 2, () => appendFileSync(path, lines(2, 500)), "grown"],
  ["appended to an empty file", 0, () => appendFileSync(path, lines(0, 5)), "grown"],
  ["truncated", 1000, () => truncateSync(path, 500), "changed"],
  ["truncated to nothing", 1000, () => truncateSync(path, 0), "changed"],
  ["rotated: renamed, and made anew with more", 100, () => rotate(lines(5000, 200)), "changed"],
  ["rotated: made anew with the same bytes", 100, () => rotate(lines(0, 100)), "changed"],
  ["copytruncate, then shorter", 1000, () => copyTruncate(lines(5000, 10)), "changed"],
  ["copytruncate, then grown past the old offset", 1000, () => copyTruncate(lines(5000, 2000)), "changed"],
  ["copytruncate, then exactly as large", 1000, () => copyTruncate(lines(0, 1000).replaceAll("x", "y")), "changed"],
  [
    "shrunk, then grown past the old offset",
    1000,
    () => writeFileSync(path, lines(0, 500) + lines(7000, 900)),
    "changed",
  ],
  ["rewritten with an earlier end (a rewind)", 1000, () => writeFileSync(path, lines(0, 900)), "changed"],
  ["replaced atomically by a longer one", 100, () => replace(lines(0, 101)), "changed"],
  ["deleted and made anew", 100, () => remake(lines(9000, 300)), "changed"],
  ["moved away and back", 100, () => moveFolder(), "unchanged"],
  ["head rewritten in place", 1000, () => writeFileSync(path, `#${lines(0, 1000).slice(1)}`), "changed"],
  ["tail rewritten in place", 1000, () => writeFileSync(path, `${lines(0, 1000).slice(0, -3)}#}\n`), "changed"],
];

function rotate(text: string): void {
  renameSync(path, `${path}.1`);
  writeFileSync(path, text);
}
function copyTruncate(text: string): void {
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
  appendFileSync(path, text);
}
function replace(text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
function remake(text: string): void {
  rmSync(path);
  // ext4 gives the same inode again, often: the bytes must tell.
  writeFileSync(path, text);
}
function moveFolder(): void {
  mkdirSync(join(dir, "elsewhere"));
  renameSync(path, join(dir, "elsewhere", "s.jsonl"));
  renameSync(join(dir, "elsewhere", "s.jsonl"), path);
}

for (const [name, count, change, expected] of SCENARIOS)
  test(`a file that was ${name} is ${expected}`, async () => {
    writeFileSync(path, lines(0, count));
    const seen = await see();
    change();
    expect(await compared(seen)).toBe(expected);
  });

test("a tail that was held back is compared from the last newline on", async () => {
  writeFileSync(path, `${lines(0, 10)}{"half":`);
  const seen = await see(lines(0, 10).length);
  expect(await compared(seen)).toBe("unchanged");
  appendFileSync(path, "1}\n");
  expect(await compared(seen)).toBe("grown");
  // Cut back to the last newline, nothing that was read is lost.
  truncateSync(path, lines(0, 10).length);
  expect(await compared(seen)).toBe("grown");
});

test("a tail that was held back and then written over with as many bytes is read again", async () => {
  writeFileSync(path, `${lines(0, 10)}{"half":`);
  const seen = await see(lines(0, 10).length);
  writeFileSync(path, `${lines(0, 10)}{"a":1}\n`);
  expect(await compared(seen)).toBe("grown");
});

test("what an import that was stopped has left is read later, although the file did not change", async () => {
  writeFileSync(path, lines(0, 1000));
  expect(await compared(await see(lines(0, 100).length))).toBe("grown");
  expect(await compared(await see(0))).toBe("grown");
});

test("the marks are digests of at most 4 KB at each end of what was read", async () => {
  writeFileSync(path, "a".repeat(10_000));
  const handle = await openSource(path, [dir]);
  const [none, short, long] = [
    await fingerprint(handle, 0),
    await fingerprint(handle, 10),
    await fingerprint(handle, 9000),
  ];
  await handle.close();
  expect([none.headBytes, short.headBytes, long.headBytes]).toEqual([0, 10, 4096]);
  expect(none.head).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(short.head).toBe(short.tail);
  expect(long.head).toBe(long.tail);
});
