// The scan is held against plain readers of the whole: JSON.parse, TextDecoder, split. Pieces of any size are the same.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CHUNK_BYTES } from "./line-index.ts";
import { countChars, headOf, tailOf } from "./preview.ts";
import { ContentScan } from "./scan.ts";
import type { ContentFacts } from "./scan.ts";
import { shapeOfValue } from "./shape.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function scan(content: string | Uint8Array, step = Infinity): ContentFacts {
  const bytes = typeof content === "string" ? bytesOf(content) : content;
  const scanning = new ContentScan();
  for (let at = 0; at < bytes.length; at += step) scanning.add(bytes.subarray(at, at + step));
  return scanning.end();
}

const plain = ({ index, ...facts }: ContentFacts): object => ({ ...facts, index: [...index.encode()] });

const typeOf = (text: string): string => scan(text).contentType;

/** Texts of every kind that is told apart, whole and broken. */
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  fc.array(fc.json(), { minLength: 1, maxLength: 5 }).map((lines) => lines.join("\n")),
  fc
    .array(fc.array(fc.stringMatching(/^[a-z",\n]*$/), { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
    .map((table) => table.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\r\n")),
  fc.stringMatching(/^[[\]{}:,"\\\n0-9eE.+\-utrfalsn ]*$/),
);
const anyBytes = fc.oneof(anyText.map(bytesOf), fc.uint8Array({ maxLength: 200 }));

describe("pieces", () => {
  test("bytes in pieces of any size are the same as bytes at once", () => {
    fc.assert(
      fc.property(anyBytes, fc.array(fc.nat({ max: 12 })), fc.nat({ max: 7 }), (bytes, cuts, shift) => {
        // Pieces that do not begin at a word of memory, and empty ones.
        const moved = new Uint8Array(bytes.length + shift).subarray(shift);
        moved.set(bytes);
        const scanning = new ContentScan();
        let at = 0;
        for (const cut of cuts) {
          scanning.add(moved.subarray(at, at + cut));
          at = Math.min(at + cut, moved.length);
        }
        scanning.add(moved.subarray(at));
        expect(plain(scanning.end())).toEqual(plain(scan(bytes)));
      }),
      { numRuns: 2000 },
    );
  });

  test("a piece may be filled anew once it was taken", () => {
    const buffer = new Uint8Array(4);
    const scanning = new ContentScan();
    for (const part of ['{"ab', 'c":[', "1]} "]) {
      buffer.set(bytesOf(part));
      scanning.add(buffer);
    }
    expect(scanning.end()).toMatchObject({ shape: { abc: "array(1) of number" }, head: '{"abc":[1]} ' });
  });

  test("pieces past both ends of the chunks of the index are the same", () => {
    const text = `${"é".repeat(100)}\n`.repeat(8000);
    const whole = plain(scan(text));
    for (const step of [CHUNK_BYTES - 1, CHUNK_BYTES, 65_537]) expect(plain(scan(text, step))).toEqual(whole);
  });
});

describe("text", () => {
  test("length, lines, characters and both ends are those of the text", () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 3 }), fc.nat({ max: 3000 }), (texts, repeat) => {
        const text = texts
          .join("é\n")
          .repeat(repeat % 40)
          .toWellFormed();
        fc.pre(!text.slice(0, 8192).includes("\0"));
        const facts = scan(text);
        const lines = text.split("\n");
        expect(facts).toMatchObject({
          sizeBytes: bytesOf(text).length,
          lineCount: lines.length - (lines.at(-1) === "" ? 1 : 0),
          chars: countChars(text),
          isText: true,
          head: headOf(text, 2000),
          tail: tailOf(text, 400),
        });
      }),
      { numRuns: 500 },
    );
  });

  test("what TextDecoder refuses is no text, and nothing else", () => {
    const nearly = fc
      .array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc1, 0xc3, 0xe0, 0xa0, 0xed, 0x9f, 0xf0, 0x90, 0xf4, 0x8f, 0xff), {
        maxLength: 12,
      })
      .map((bytes) => Uint8Array.from(bytes));
    fc.assert(
      fc.property(fc.oneof(nearly, fc.uint8Array({ min: 1 })), (bytes) => {
        let isText = true;
        try {
          new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        } catch {
          isText = false;
        }
        const facts = scan(bytes);
        expect(facts.isText).toBe(isText);
        expect(facts.chars === null).toBe(!isText);
      }),
      { numRuns: 3000 },
    );
  });

  test("a NUL in the first 8 KB makes bytes of a text, a later one does not", () => {
    expect(scan(`${"a".repeat(8191)}\0`).contentType).toBe("application/octet-stream");
    expect(scan(`${"a".repeat(8192)}\0`).contentType).toBe("text/plain");
    expect(scan(`${"a".repeat(8191)}\0`, 1000).isText).toBe(false);
  });

  test("a byte order mark is a character of the text, and JSON behind it is JSON", () => {
    expect(scan('\uFEFF{"a":1}')).toMatchObject({ contentType: "application/json", chars: 8, head: '\uFEFF{"a":1}' });
    expect(typeOf('\uFEFFid,name\n1,"a"\n')).toBe("text/csv");
  });
});

describe("JSON", () => {
  const parses = (text: string): boolean => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === "object" && value !== null;
    } catch {
      return false;
    }
  };

  test("what JSON.parse takes is JSON with the shape of its value, and nothing else is", () => {
    /** JSON with some characters taken out, put in or changed. */
    const broken = fc
      .tuple(
        fc.json(),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...'[]{}:,"\\0-.eE+1u\ntn \u0001é')), {
          maxLength: 2,
        }),
      )
      .map(([json, edits]) =>
        edits.reduce((text, [at, gone, put]) => {
          const position = at % (text.length + 1);
          return text.slice(0, position) + put + text.slice(position + gone);
        }, json),
      );
    const loose = fc.stringMatching(/^[[{][[\]{}:,"\\0-9eE.+\-u ]*$/);
    let good = 0;
    fc.assert(
      fc.property(fc.oneof({ arbitrary: broken, weight: 4 }, loose), (text) => {
        const facts = scan(text);
        fc.pre(facts.isText && facts.contentType !== "application/x-ndjson");
        expect(facts.contentType === "application/json").toBe(parses(text));
        if (facts.contentType !== "application/json") return;
        good++;
        expect(facts.shape).toEqual(shapeOfValue(JSON.parse(text)));
      }),
      { numRuns: 5000 },
    );
    expect(good).toBeGreaterThan(100);
  });

  test("lines that each hold a document are JSON lines", () => {
    fc.assert(
      fc.property(fc.array(fc.json().filter(parses), { minLength: 2, maxLength: 6 }), (lines) => {
        const facts = scan(lines.join("\r\n"));
        expect(facts.contentType).toBe("application/x-ndjson");
        const whole = shapeOfValue(lines.map((line) => JSON.parse(line) as unknown)) as string;
        // One level of arrays less is told of an array of the lines.
        if (!whole.includes("…")) expect(facts.shape).toBe(whole.replace(/^array/, "jsonl"));
      }),
    );
  });

  test.each([
    ['{"a":1}', "application/json"],
    ['{\n"a":1\n}\n', "application/json"],
    ['{"a":1}\n\n{"a":2}\n', "application/x-ndjson"],
    ['{"a":1} {"a":2}', "text/plain"],
    ['{\n"a":1}\n{"a":2}', "text/plain"],
    ['{"a":1}\n{"a":\n2}', "text/plain"],
    ['{"a":1}\n{"a":2', "text/plain"],
    ["1\n2\n", "text/plain"],
    ['"text"', "text/plain"],
    ["[INFO] started", "text/plain"],
    ["[1,]", "text/plain"],
    ["[01]", "text/plain"],
    ["[1e5,-0.5E+3,0,-0]", "application/json"],
    ["[1.]", "text/plain"],
    ["[-]", "text/plain"],
    ["[tru]", "text/plain"],
    ['["\\ud83d\\ude00 \\/"]', "application/json"],
    ['["\\x"]', "text/plain"],
    ['["\t"]', "text/plain"],
    ["[}", "text/plain"],
  ])("%j is %s", (text, type) => expect(typeOf(text)).toBe(type));

  test("a key in pieces is the key, escapes and length included", () => {
    const key = "name\\n\\u00e9\\ud83d\\ude00 é";
    const long = "k".repeat(3000);
    const text = `{"${key}":1,"${long}":[2],"${long}x":"a"}`;
    const shape = {
      "name\uFFFDé😀 é": "number",
      [`${"k".repeat(59)}…`]: "array(1) of number",
      [`${"k".repeat(55)} (2)`]: "string",
    };
    for (const step of [1, 7, 1000, Infinity]) expect(scan(text, step).shape).toEqual(shape);
  });
});

describe("tables", () => {
  test.each([
    ["a,b\n1,2\n", "csv(1 rows × 2 columns): a, b"],
    ["a;b\r\n1;2\r\n3;4", "csv(2 rows × 2 columns): a, b"],
    ["a\tb\n1\t\n", "csv(1 rows × 2 columns): a, b"],
    ['"a ""x""",b\n"1\n\n,",""""\n', 'csv(1 rows × 2 columns): a "x", b'],
    ['id,"name, first"\n1,2\n', "csv(1 rows × 2 columns): id, name, first"],
    ["a,b\n1,2\n\n3,4\n", "csv(2 rows × 2 columns): a, b"],
    // A header alone, a row of another length, a quote inside a cell, a quote that does not end:
    ["a,b\n", "text(1 lines)"],
    ["a,b\n1,2,3\n", "text(2 lines)"],
    ['a,b\n1,x"y\n', "text(2 lines)"],
    ['a,b\n1,"x"y\n', "text(2 lines)"],
    // Prose and logs:
    ["Dear reader, hello\nthis is, prose\n", "text(2 lines)"],
    ["2024-05-01 10:00:00,123 start\n2024-05-01 10:00:00,456 stop\n", "text(2 lines)"],
    ["one line\nanother\n", "text(2 lines)"],
  ])("%j has the shape %s", (text, shape) => {
    for (const step of [1, 3, Infinity]) expect(scan(text, step).shape).toBe(shape);
  });

  test("cells that are quoted come back as rows and columns", () => {
    const cell = fc.stringMatching(/^[a-z ,"\n\r;\t]*$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), (table) => {
        const text = [["id", "name", "note"], ...table]
          .map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(","))
          .join("\r\n");
        expect(scan(text).shape).toBe(`csv(${table.length} rows × 3 columns): id, name, note`);
      }),
    );
  });
});
