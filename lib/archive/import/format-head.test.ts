// A file whose first record is longer than a head: somebody began with a pasted log.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FORMATS } from "#lib/formats/index.ts";
import { isDocument, type SourceFile } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { openSource } from "#lib/sources/source-handle.ts";
import { inFolder, put } from "../testing-archive.ts";
import { findFormat } from "./format-head.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");

/** The record with so many words more in its first text of several words; null where it has none. */
function longer(record: string, words: number): string | null {
  let isFound = false;
  const text = JSON.stringify(JSON.parse(record), (_key, value: unknown) => {
    if (isFound || typeof value !== "string" || !/[a-z] [a-z]/u.test(value)) return value;
    isFound = true;
    return value + " word".repeat(words);
  });
  return isFound ? text : null;
}

test("a file is known by a first record of any length up to the limit", () =>
  inFolder(async (dir) => {
    let tried = 0;
    for (const name of readdirSync(FIXTURES)) {
      const format = FORMATS.find(({ id }) => name.startsWith(`${id}-synthetic-`))!;
      const text = readFileSync(join(FIXTURES, name), "utf8");
      const file: SourceFile = { path: name, head: Buffer.from(text).subarray(0, 65_536), sidecars: new Map() };
      const first = isDocument(format, file) ? null : longer(text.slice(0, text.indexOf("\n")), 30_000);
      if (first === null) continue;
      tried++;
      for (const before of ["", "\uFEFF", "\n \r\n"]) {
        const path = put(dir, name, before + first + text.slice(text.indexOf("\n")));
        const handle = await openSource(path, [dir]);
        const found = await findFormat(handle, FORMATS);
        expect(found.format?.id, name).toBe(format.id);
        const { head } = found;
        expect(isDocument(format, { path, head, sidecars: new Map() }), `${name}, read as one document`).toBe(false);
        await handle.close();
      }
    }
    expect(tried).toBeGreaterThan(15);
    const path = put(dir, "long.jsonl", `{"type":"user","text":"${"x".repeat(LIMITS.firstRecordBytes)}"}\n`);
    const handle = await openSource(path, [dir]);
    const { format, head } = await findFormat(handle, FORMATS);
    expect([format, head.length]).toEqual([null, LIMITS.oversizedHeadBytes]);
    await handle.close();
  }));

test("a file is known that begins within a record of any length up to the limit, or with a long one that is odd", () =>
  inFolder(async (dir) => {
    const name = "claude-code-synthetic-session.jsonl";
    const text = readFileSync(join(FIXTURES, name), "utf8");
    const long = "word ".repeat(30_000);
    for (const before of [`${long}"}]}}`, JSON.stringify({ type: 7, text: long })]) {
      const path = put(dir, name, `${before}\n${text}`);
      const handle = await openSource(path, [dir]);
      expect((await findFormat(handle, FORMATS)).format?.id).toBe("claude-code");
      await handle.close();
    }
  }));

test("lines behind a first one that is longer than what a file is known by are lines", () =>
  inFolder(async (dir) => {
    const long = "word ".repeat(LIMITS.firstRecordBytes / 4);
    const lines = [
      { role: "user", content: long },
      { role: "assistant", content: "Two." },
    ];
    const path = put(dir, "lines.jsonl", lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
    const handle = await openSource(path, [dir]);
    const { format, head } = await findFormat(handle, FORMATS);
    expect([format?.id, isDocument(format!, { path, head, sidecars: new Map() })]).toEqual(["messages", false]);
    await handle.close();
  }));

/** Members that a newer release, or another program, may write first. */
const FIRST = {
  "a long text": { zz_notes: "a note \u{1f41f} ".repeat(8000) },
  "a long list": { zz_rows: Array.from({ length: 8000 }, (_, i) => ({ i, of: [i, "row"] })) },
  "a long table": { zz_table: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`row ${i}`, { i }])) },
  "a short text": { zz_notes: "a note" },
};

test.each(Object.entries(FIRST))("a document is known with %s before all else", (_label, first) =>
  inFolder(async (dir) => {
    let tried = 0;
    for (const name of readdirSync(FIXTURES)) {
      const format = FORMATS.find(({ id }) => name.startsWith(`${id}-synthetic-`))!;
      const text = readFileSync(join(FIXTURES, name), "utf8");
      const head = Buffer.from(text).subarray(0, 65_536);
      if (!isDocument(format, { path: name, head, sidecars: new Map() }) || !/^\s*[{[]/.test(text)) continue;
      const isLines = /\.jsonl$/.test(name);
      const value: unknown = JSON.parse(isLines ? text.slice(0, text.indexOf("\n")) : text);
      const made = Array.isArray(value)
        ? [{ ...first, ...(value[0] as object) }, ...value.slice(1)]
        : { ...first, ...(value as object) };
      for (const indent of isLines ? [0] : [0, 2]) {
        const path = put(dir, name, `${JSON.stringify(made, null, indent)}\n`);
        const handle = await openSource(path, [dir]);
        const found = await findFormat(handle, FORMATS);
        expect(found.format?.id, name).toBe(format.id);
        if (indent > 0) expect(isDocument(format, { path, head: found.head, sidecars: new Map() }), name).toBe(true);
        await handle.close();
      }
      tried++;
    }
    expect(tried).toBeGreaterThan(20);
  }),
);
