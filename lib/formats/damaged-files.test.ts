// Damaged files through every format: what stands whole in them is read as if it stood alone. The property damaged-records of
// `npm run long` does the same for a million records.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isDocument, type SourceFile } from "#lib/kernel/draft.ts";
import { FORMATS } from "./index.ts";
import { elementsOf, scanJson } from "./json-parts.ts";
import { readableHead } from "./readable-head.ts";
import { damage, damagedFile, firstLost, linesOf } from "./testing-damage.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const files = readdirSync(FIXTURES).flatMap((name) => {
  const format = FORMATS.find(({ id }) => name.startsWith(`${id}-synthetic-`))!;
  const bytes: Uint8Array = readFileSync(join(FIXTURES, name));
  const file: SourceFile = { path: name, head: bytes.subarray(0, 65_536), sidecars: new Map() };
  return isDocument(format, file) ? [] : [{ name, format, file, records: linesOf(bytes).map((one) => one.bytes) }];
});

describe.each(files)("$name", ({ name, format, file, records }) => {
  test("no whole record is lost beside damaged ones", () => {
    fc.assert(
      fc.property(fc.array(damage, { minLength: 7, maxLength: 31 }), fc.boolean(), (damages, hasBom) => {
        expect(firstLost(format, file, damagedFile(records, damages, hasBom))).toBeNull();
      }),
      { numRuns: 16 },
    );
  });

  test("is known behind a run of NUL, blank lines, values that are no records, and records that were cut", () => {
    const cut = records[0]!.subarray(0, Math.floor(records[0]!.length / 2));
    for (const before of [new Uint8Array(512), encode("\n\r\n"), encode("null\n42\n"), cut, [...cut, 10]]) {
      const bytes = Uint8Array.from([...before, ...records.flatMap((record) => [...record, 10])]);
      const head = readableHead(name, bytes.subarray(0, 65_536));
      expect(FORMATS.find((one) => one.detect({ path: name, head, sidecars: new Map() }))?.id).toBe(format.id);
    }
  });
});

test("text with records in it is no session", () => {
  const notes = encode('Notes of Monday\n\n{"role":"user","content":"Hi"}\n{"role":"assistant","content":"Hello"}\n');
  const head = readableHead("notes.md", notes);
  expect(FORMATS.filter((one) => one.detect({ path: "notes.md", head, sidecars: new Map() }))).toEqual([]);
});

test("a document that ends behind a whole record has it", () => {
  const bytes = encode('{"messages":[{"n":1},{"n":2}');
  expect(elementsOf(bytes, scanJson(bytes, ["messages"]).lists.get("messages")).map(({ value }) => value)).toEqual([
    { n: 1 },
    { n: 2 },
  ]);
});
