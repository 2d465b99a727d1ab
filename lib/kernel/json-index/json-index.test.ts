import fc from "fast-check";
import { expect, test } from "vitest";
import { IndexScan } from "./index-scan.ts";
import { pathSteps, pathText } from "./path-text.ts";
import { chainAlong, stepsOf } from "./json-path.ts";
import { containersBelow, rowsOf } from "./tree-rows.ts";
import { lastHit, needleOf, nextHit } from "./search.ts";
import { lineOfChain, textLines } from "./text-lines.ts";
import { decodeString, isInexact } from "./token-bytes.ts";
import { chainTo, childAt, childrenFrom, documentOf, isContainer, type Document, type Value } from "./walk.ts";

const encoder = new TextEncoder();
const MB = 1_000_000;

function read(source: string | Uint8Array, isLines = false, slices: readonly number[] = [MB]): Document {
  const bytes = typeof source === "string" ? encoder.encode(source) : source;
  const scan = new IndexScan(bytes, { isLines, mostBytes: 64 * MB });
  const document: Document = { bytes, index: scan.index, isLines };
  // A document of 1 MB read by single bytes would take minutes: the last pieces are larger.
  for (let turn = 0; !scan.run(turn > 200 ? 50_000 : slices[turn % slices.length]!); turn++) {
    // What is known so far can be walked at any time.
    if (turn % 16 > 0) continue;
    for (const child of childrenFrom(document, documentOf(document), { ordinal: 0 }))
      if (child.end !== null && child.end > scan.index.readTo) throw new Error("a value past what was read");
  }
  return document;
}

const textOf = ({ bytes }: Document, { at, end }: Value): string => new TextDecoder().decode(bytes.subarray(at, end!));
const keyOf = ({ bytes }: Document, { key }: Value): string | null =>
  key === null ? null : decodeString(bytes, key.at + 1, key.end - 1);
const rootOf = (document: Document): Value => childAt(document, documentOf(document), 0)!;

/** Every value below one, with its chain. */
function* everything(document: Document, value: Value): Generator<Value> {
  yield value;
  for (const child of childrenFrom(document, value, { ordinal: 0 })) yield* everything(document, child);
}

const wild = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "length",
    "then",
    "",
    "0",
    "a b",
    "é",
    "\u0000",
  ),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const { one } = fc.letrec((tie) => ({
  one: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    fc.constantFrom<unknown>(null, true, false, 0, -1.5, 1e21, "", "x".repeat(1100), 'é"\\\n😀'.repeat(300)),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
    fc.string({ unit: "binary" }),
    fc.array(tie("one"), { maxLength: 12 }),
    fc.dictionary(wild, tie("one"), { maxKeys: 12, noNullPrototype: false }),
  ),
}));
/** One value, or many like it: enough for points and entries. */
const json = fc
  .tuple(one, fc.constantFrom(0, 1, 40, 400))
  .map(([value, count]) => (count === 0 ? value : Array.from({ length: count }, (_, i) => (i % 7 === 3 ? i : value))));
const slices = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 6 });

test("the index has the values, ranges, keys, order and counts that JSON.parse has, whatever pieces it is read in", () => {
  fc.assert(
    fc.property(json, slices, fc.constantFrom(undefined, 1, 2, "\t"), (value, pieces, space) => {
      const source = JSON.stringify(value, null, space);
      if (source.length > 2 * MB) return;
      const document = read(source, false, pieces);
      expect(document.index.brokenAt).toBeNull();
      const pairs: [Value, unknown][] = [[rootOf(document), JSON.parse(source)]];
      for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
        const [found, wanted] = pair;
        if (!isContainer(found)) {
          expect(JSON.parse(textOf(document, found))).toEqual(wanted);
          continue;
        }
        const children = [...childrenFrom(document, found, { ordinal: 0 })];
        const entries = Object.entries(wanted as object);
        expect(found.count).toBe(entries.length);
        expect(children.length).toBe(entries.length);
        expect(textOf(document, found)).toMatch(found.kind === "object" ? /^\{[^]*\}$/ : /^\[[^]*\]$/);
        const byKey = new Map(entries);
        children.forEach((child, i) => {
          const key = keyOf(document, child) ?? String(i);
          if (!byKey.has(key)) throw new Error(`no ${JSON.stringify(key)}`);
          if (pairs.length < 3000) pairs.push([child, byKey.get(key)]);
        });
      }
    }),
    { numRuns: 60 },
  );
});

test("any child, the chain to any value, its path and its line are found without those before", () => {
  fc.assert(
    fc.property(json, fc.nat(), (value, seed) => {
      const source = JSON.stringify(value, null, 2);
      if (source.length > MB) return;
      const document = read(source, false, [777]);
      const laidOut = source.split("\n");
      expect(rootOf(document).lines).toBe(laidOut.length);
      const all = [...everything(document, rootOf(document))];
      for (let i = 0; i < 20; i++) {
        const one = all[(seed + i * 7919) % all.length]!;
        const chain = chainTo(document, one.at)!;
        expect(chain.at(-1)).toMatchObject({ at: one.at, end: one.end, ordinal: one.ordinal, count: one.count });
        const steps = stepsOf(document, chain);
        expect(pathSteps(pathText(steps))).toEqual(steps.map((step) => step));
        expect(chainAlong(document, steps)).toMatchObject({ isWhole: true });
        expect(chainAlong(document, steps).chain.at(-1)!.at).toBe(one.at);
        const line = lineOfChain(chain);
        const [shown] = textLines(document, line, 1);
        expect(shown!.at).toBe(one.at);
        const parent = chain.at(-2);
        if (parent) expect(childAt(document, parent, one.ordinal)!.at).toBe(one.at);
      }
      const from = seed % laidOut.length;
      const lines = textLines(document, from, 40).map((line) => {
        const text = line.chars === null ? line.text : "cut";
        return `${"  ".repeat(line.indent)}${line.key === null ? "" : `${line.key}: `}${text}${line.comma ? "," : ""}`;
      });
      laidOut.slice(from, from + 40).forEach((wanted, i) => {
        if (!lines[i]!.includes("cut") && wanted.length < 900) expect(lines[i]).toBe(wanted);
      });
      expect(lines.length).toBe(Math.min(40, laidOut.length - from));
    }),
    { numRuns: 60 },
  );
});

test("search finds the keys, strings and numbers that hold a text, forwards and backwards", () => {
  const words = fc.constantFrom("cask", "Cask", "aft", ": {", '"q"', "12", "\\", "é", "tr", ",");
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(words, fc.oneof(words, fc.integer(), fc.constant(true), fc.string()), { maxKeys: 6 }), {
        maxLength: 300,
      }),
      words,
      fc.boolean(),
      (value, sought, isExact) => {
        const document = read(JSON.stringify(value), false, [500]);
        const fold = (text: string): string => (isExact ? text : text.toLowerCase());
        const wanted: number[] = [];
        for (const one of everything(document, rootOf(document))) {
          if (one.key && fold(keyOf(document, one)!).includes(fold(sought))) wanted.push(one.key.at);
          if (isContainer(one)) continue;
          const text = one.kind === "string" ? (JSON.parse(textOf(document, one)) as string) : textOf(document, one);
          if (fold(text).includes(fold(sought))) wanted.push(one.at);
        }
        const needle = needleOf(sought, isExact);
        const found: number[] = [];
        for (let at = 0; ;) {
          const hit = nextHit(document, needle, at, document.bytes.length);
          if (hit === null) break;
          found.push(hit.at);
          at = hit.end;
        }
        expect(found).toEqual(wanted);
        const backwards: number[] = [];
        for (let at = document.bytes.length; ;) {
          const hit = lastHit(document, needle, at);
          if (hit === null) break;
          backwards.unshift(hit.at);
          at = hit.at;
        }
        expect(backwards).toEqual(wanted);
      },
    ),
    { numRuns: 200 },
  );
});

test("a long string is looked through once, also where the search begins inside it", () => {
  // Read again at each of its matches this would take hours.
  const document = read(JSON.stringify({ log: "tar ".repeat(500_000), mate: "tar" }));
  const [log, mate] = [7, document.bytes.length - 6];
  expect(lastHit(document, needleOf("tar", true), mate)).toMatchObject({ at: log });
  expect(nextHit(document, needleOf("tar", true), log + 1, document.bytes.length)).toMatchObject({ at: mate });
  expect(lastHit(document, needleOf("tar", true), log)).toBeNull();
});

test("text that is stored as escapes is found too", () => {
  const document = read('{"a":"caf\\u00e9 \\"x\\" a\\/b"}');
  for (const sought of ["café", "É", '"X"', "a/b"])
    expect(nextHit(document, needleOf(sought, false), 0, document.bytes.length)).toMatchObject({ at: 5, isKey: false });
  expect(nextHit(document, needleOf("É", true), 0, document.bytes.length)).toBeNull();
});

test("keys that stand twice, numbers that a double does not hold and odd strings are marked", () => {
  const small =
    '{"large":9007199254740993,"huge":1e400,"none":-0,"one":1.0,"same":1,"s\\u0061me":2,"__proto__":3,"half":"\\ud800"}';
  for (const source of [small, small.replace("{", `{"pad":"${"x".repeat(2000)}",`)]) {
    const document = read(source);
    const rows = rowsOf(document, rootOf(document), 0, 50).filter(({ key }) => key !== "pad");
    expect(rows.map(({ key, marks }) => [key, ...marks])).toEqual([
      ["large", "inexact"],
      ["huge", "inexact"],
      ["none"],
      ["one"],
      ["same", "sameKey"],
      ["same", "sameKey"],
      ["__proto__"],
      ["half", "loneSurrogate"],
    ]);
    expect(rows[0]).toMatchObject({ text: "9007199254740993", double: "9007199254740992" });
    expect(rows[1]).toMatchObject({ text: "1e400", double: "Infinity" });
    expect(document.index.counters).toMatchObject({ sameKey: 1, inexact: 2, loneSurrogate: 1 });
  }
  const torn = read(Uint8Array.of(...encoder.encode('["ab'), 0xe2, 0x82, ...encoder.encode('"]')));
  expect(rowsOf(torn, rootOf(torn), 0, 5)[0]).toMatchObject({ marks: ["notUtf8"], text: "ab\ufffd" });
});

test("of 10,000 numerals the marked ones are those that a double does not give back", () => {
  const numeral = fc.stringMatching(/^-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,8})?(e[-+]?[0-9]{1,3})?$/);
  fc.assert(
    fc.property(numeral, (text) => {
      // The same comparison in whole numbers: digits times a power of ten, on both sides.
      const scaled = (one: string): { digits: bigint; power: number } => {
        const [mantissa = "", power = "0"] = one.toLowerCase().split("e");
        const [whole = "", fraction = ""] = mantissa.split(".");
        return { digits: BigInt(whole.replace("-", "") + fraction), power: Number(power) - fraction.length };
      };
      const [said, kept] = [scaled(text), Number.isFinite(Number(text)) ? scaled(String(Number(text))) : null];
      const least = Math.min(said.power, kept?.power ?? 0);
      const at = ({ digits, power }: { digits: bigint; power: number }): bigint =>
        digits * 10n ** BigInt(power - least);
      expect(isInexact(text)).toBe(kept === null || at(said) !== at(kept));
    }),
    { numRuns: 10_000 },
  );
});

test("a broken document is shown up to the break", () => {
  const document = read('{\n"a": 1,\n"b": [1, 2, x');
  const root = rootOf(document);
  expect(document.index.brokenAt).toBe(22);
  expect(rowsOf(document, root, 0, 9).map(({ key, count, marks }) => [key, count, ...marks])).toEqual([
    ["a", 0],
    ["b", 2, "cutOff"],
  ]);
});

test("a stream has a value a line, and a line that is no JSON stands alone", () => {
  const lines = [
    '{"a":1}',
    "",
    "the watch slept",
    '{"b":',
    `{"c":"${"x".repeat(3000)}"}`,
    "1 2",
    `"${"y".repeat(3000)}`,
    "[1]",
  ];
  for (const pieces of [[MB], [1], [13, 400]]) {
    const document = read(lines.join("\r\n"), true, pieces);
    const rows = rowsOf(document, documentOf(document), 0, 50);
    expect(rows.map(({ kind }) => kind)).toEqual(["object", "broken", "broken", "object", "broken", "broken", "array"]);
    expect(document.index.counters.brokenLines).toBe(4);
    expect(document.index.count[0]).toBe(7);
    const chain = chainAlong(document, [3, "c"]).chain;
    expect(pathText(stepsOf(document, chain))).toBe(".[3].c");
    expect(textLines(document, 0, 99).map(({ text }) => text.slice(0, 4))).toEqual([
      "{",
      "1",
      "}",
      "the ",
      '{"b"',
      "{",
      '"xxx',
      "}",
      "1 2",
      '"yyy',
      "[",
      "1",
      "]",
    ]);
  }
});

test.each([1, 64, 255, 256, 257, 511, 512, 513, 514, 4999, 5000, 9999, 10_001, 100_000, 1_000_000])(
  "%i levels of nesting are read",
  (depth) => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      const document = read(`${open.repeat(depth)}1${close.repeat(depth)}`);
      expect(document.index.brokenAt).toBeNull();
      const chain = chainAlong(
        document,
        Array.from({ length: depth }, () => (open === "[" ? 0 : "a")),
      ).chain;
      expect(chain.length).toBe(Math.min(depth + 1, 513));
      expect(chain.at(-1)!.kind).toBe(depth > 512 ? "deep" : "number");
      const { lines } = rootOf(document);
      expect(lines).toBe(2 * Math.min(depth, 512) + 1);
      expect(textLines(document, 0, 2000).length).toBe(lines);
      expect(read(open.repeat(depth)).index.brokenAt).toBe(open.length * depth);
    }
  },
);

test("no bytes whatever throw", () => {
  const bits = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    '"a"',
    "1",
    "-",
    "e",
    "true",
    "nul",
    "\n",
    " ",
    "\\",
    "\\u12",
    "\u00e9",
    "x".repeat(1100),
  );
  fc.assert(
    fc.property(
      fc.array(bits, { maxLength: 60 }),
      fc.uint8Array({ maxLength: 6 }),
      fc.nat(),
      fc.boolean(),
      slices,
      (parts, noise, where, isLines, pieces) => {
        const plain = encoder.encode(parts.join(""));
        const at = where % (plain.length + 1);
        const document = read(
          Uint8Array.of(...plain.subarray(0, at), ...noise, ...plain.subarray(at)),
          isLines,
          pieces,
        );
        const root = documentOf(document);
        const rows = rowsOf(document, root, 0, 100);
        expect(rows.length).toBe(Math.min(100, document.index.count[0]!));
        expect(textLines(document, 0, 10_000).length).toBe(root.lines);
        containersBelow(document, root, { containers: 50, children: 1000 });
        for (const text of ["a", ",", '"']) {
          nextHit(document, needleOf(text, false), 0, document.bytes.length);
          lastHit(document, needleOf(text, true), document.bytes.length);
        }
        for (let byte = 0; byte < document.bytes.length; byte += 3) chainTo(document, byte);
      },
    ),
    { numRuns: 600 },
  );
});

test("an index that would grow over its bound is refused in words", () => {
  const scan = new IndexScan(
    encoder.encode(`[${`${"[".repeat(300)}"${"x".repeat(2000)}"${"]".repeat(300)},`.repeat(400)}0]`),
    {
      isLines: false,
      mostBytes: MB,
    },
  );
  expect(() => {
    while (!scan.run(MB));
  }).toThrow(/the index exceeds 1 MB/);
});
