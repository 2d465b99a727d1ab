// The shape of random documents against a plain walk over what JSON.parse makes of them, and what no walk can tell.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ShapeNode } from "./describe.ts";
import { ShapeReader, type ShapeKind, type TextShape } from "./read-shape.ts";

const encoder = new TextEncoder();

/** Reads a text in pieces of so many bytes, whose buffer is used again, as a file's is. */
function shapeOf(text: string | Uint8Array, kind: ShapeKind = "json", piece = 7): TextShape {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  const reader = new ShapeReader(kind);
  const buffer = new Uint8Array(piece);
  for (let at = 0; at < bytes.length; at += piece) {
    const part = bytes.subarray(at, at + piece);
    buffer.set(part);
    if (!reader.add(buffer.subarray(0, part.length))) break;
    buffer.fill(0x21);
  }
  return reader.end(null);
}

const at = (shape: TextShape, path: string): ShapeNode => {
  const node = shape.nodes.find((one) => one.path === path);
  if (node === undefined) throw new Error(`${path} is not among ${shape.nodes.map((one) => one.path).join(" ")}`);
  return node;
};

type Counted = { types: Record<string, number>; owners: number; of: number; lengths: number[] };

/** The same counts by walking values, under names that no path rule has a part in. */
function walk(values: readonly unknown[]): Map<string, Counted> {
  const found = new Map<string, Counted>();
  const countedAt = (name: string): Counted => {
    let counted = found.get(name);
    if (counted === undefined) found.set(name, (counted = { types: {}, owners: 0, of: 0, lengths: [] }));
    return counted;
  };
  const visit = (value: unknown, name: string): void => {
    const counted = countedAt(name);
    const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
    counted.types[type] = (counted.types[type] ?? 0) + 1;
    if (Array.isArray(value)) {
      counted.lengths.push(value.length);
      for (const one of value) visit(one, `${name}\n[]`);
    } else if (type === "object")
      for (const [key, one] of Object.entries(value as object)) {
        visit(one, `${name}\n.${key}`);
        countedAt(`${name}\n.${key}`).owners++;
      }
  };
  for (const value of values) visit(value, "");
  for (const [name, counted] of found)
    if (name[name.lastIndexOf("\n") + 1] === ".")
      counted.of = found.get(name.slice(0, name.lastIndexOf("\n")))!.types["object"]!;
  return found;
}

function nodesByPath({ nodes }: TextShape): Map<string, Counted> {
  const names: string[] = [];
  return new Map(
    nodes
      .map((node, index): [string, Counted] => {
        const above = names[node.parent] ?? "";
        const name = node.step === "root" ? "" : `${above}\n${node.step === "element" ? "[]" : `.${node.key}`}`;
        names[index] = name;
        const isKey = node.step === "key";
        return [
          name,
          {
            types: Object.fromEntries(node.types.map(({ type, count }) => [type, count])),
            owners: isKey ? node.owners : 0,
            of: isKey ? node.of : 0,
            lengths: node.lengths === null ? [] : [node.lengths.min, node.lengths.max],
          },
        ];
      })
      .filter(([, counted]) => Object.keys(counted.types).length > 0),
  );
}

const ends = (lengths: readonly number[]): number[] =>
  lengths.length === 0 ? [] : [Math.min(...lengths), Math.max(...lengths)];

const ODD_KEYS = [
  "__proto__",
  "constructor",
  "toString",
  "length",
  "then",
  "",
  "a b",
  "a\u0000b",
  "0",
  "é",
  '"',
  "\\(x)",
];
// Once an object with a key that ends in a backslash was parsed, V8 13.6 reads the key of `{"\"":1}` as `\`: those
// stay out, so that the walk is right.
const key = fc
  .oneof(fc.constantFrom("a", "b", "c"), fc.constantFrom(...ODD_KEYS), fc.string({ maxLength: 6 }))
  .filter((name) => !name.endsWith("\\"));
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.constant(null), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string()),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 6 }).map((pairs) => new Map(pairs)),
  ),
})).value;

/** Maps keep `__proto__` as a key like any other. */
const write = (value: unknown, space: string): string => {
  if (value instanceof Map)
    return `{${[...value].map(([name, one]) => `${space}${JSON.stringify(name)}${space}:${write(one, space)}`).join(",")}}`;
  if (Array.isArray(value)) return `[${value.map((one) => write(one, space)).join(`${space},`)}${space}]`;
  return JSON.stringify(value);
};

describe("counts are those of a walk over the parsed values", () => {
  const check = (values: readonly unknown[], shape: TextShape) => {
    const walked = walk(values);
    const result = nodesByPath(shape);
    expect([...result.keys()].toSorted()).toEqual([...walked.keys()].toSorted());
    for (const [name, { types, owners, of, lengths }] of walked)
      expect([name, result.get(name)]).toEqual([name, { types, owners, of, lengths: ends(lengths) }]);
  };

  test("of one document, in pieces of any size", () => {
    fc.assert(
      fc.property(json, fc.constantFrom("", " ", "\n\t"), fc.integer({ min: 1, max: 40 }), (value, space, piece) => {
        const text = write(value, space);
        check([JSON.parse(text)], shapeOf(text, "json", piece));
      }),
      { numRuns: 400 },
    );
  });

  test("of JSON lines, some of them broken", () => {
    const line = fc.oneof(
      json.map((value) => ({ text: write(value, " "), isGood: true })),
      fc
        .constantFrom('{"a":1', "{]", "nul", "[1,]", '{"a":1} {"b":2}', "01", '"\\x"')
        .map((text) => ({ text, isGood: false })),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), (lines, piece) => {
        const shape = shapeOf(lines.map(({ text }) => text).join("\n"), "lines", piece);
        const good = lines.filter(({ isGood }) => isGood);
        expect([shape.values, shape.broken]).toEqual([good.length, lines.length - good.length]);
        if (good.length > 0)
          check(
            good.map(({ text }) => JSON.parse(text) as unknown),
            shape,
          );
      }),
      { numRuns: 300 },
    );
  });

  test("what JSON.parse refuses is broken, and nothing else is", () => {
    const torn = fc
      .tuple(json, fc.nat(), fc.constantFrom("", "}", ",", '"', "x", "\\", "\u0001"))
      .map(([value, position, by]) => {
        const text = write(value, "");
        const cut = position % (text.length + 1);
        return text.slice(0, cut) + by + text.slice(cut + 1);
      });
    fc.assert(
      fc.property(torn, fc.integer({ min: 1, max: 9 }), (text, piece) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const { broken, values } = shapeOf(text, "lines", piece);
        if (text.trim() !== "" && !text.includes("\n"))
          expect([text, values, broken]).toEqual([text, isJson ? 1 : 0, isJson ? 0 : 1]);
      }),
      { numRuns: 600 },
    );
  });
});

describe("values", () => {
  const watches = ["first", "first", "middle", "first"].map((watch, fathoms) => ({ watch, fathoms: fathoms * 1.5 }));

  test("few different ones are told with their counts, most frequent first", () => {
    const shape = shapeOf(JSON.stringify(watches));
    expect(at(shape, ".[].watch").values).toEqual([
      { text: "first", type: "string", isCut: false, count: 3 },
      { text: "middle", type: "string", isCut: false, count: 1 },
    ]);
    expect(at(shape, ".[].watch").examples).toEqual([]);
  });

  test("many are told by three examples, numbers by their ends", () => {
    const casks = Array.from({ length: 21 }, (_, cask) => ({ mark: `cask ${cask}`, litres: cask - 10.5 }));
    const shape = shapeOf(JSON.stringify(casks));
    expect(at(shape, ".[].mark")).toMatchObject({ values: [], count: 21 });
    expect(at(shape, ".[].mark").examples.map(({ text }) => text)).toEqual(["cask 0", "cask 1", "cask 2"]);
    expect(at(shape, ".[].litres")).toMatchObject({ least: "-10.5", most: "9.5" });
  });

  test("one value is one, however it is written; a number and a string are two", () => {
    const shape = shapeOf(String.raw`["\u0061","a",1,"1",true,"true",null,"null"]`);
    expect(at(shape, ".[]").values.map(({ text, type, count }) => `${type} ${text} ${count}`)).toEqual([
      "string a 2",
      "number 1 1",
      "string 1 1",
      "boolean true 1",
      "string true 1",
      "null null 1",
      "string null 1",
    ]);
  });

  test("numbers keep their literal", () => {
    const shape = shapeOf("[9007199254740993,1e400,-0,0.1]");
    expect(at(shape, ".[]")).toMatchObject({ least: "-0", most: "1e400" });
    expect(at(shape, ".[]").values.map(({ text }) => text)).toEqual(["9007199254740993", "1e400", "-0", "0.1"]);
  });

  test("a long string is cut between characters, and never held whole", () => {
    const shape = shapeOf(JSON.stringify({ log: "🌊".repeat(100_000), short: "🌊".repeat(80) }), "json", 1000);
    const [log] = at(shape, ".log").examples;
    expect(log).toEqual({ text: "🌊".repeat(80), type: "string", isCut: true, count: 1 });
    expect(at(shape, ".short").examples[0]).toMatchObject({ text: "🌊".repeat(80), isCut: false });
  });

  test("secrets are masked, by how they look and by their key", () => {
    const token = `ghp_${"aB3dE6gH9j".repeat(4)}`.slice(0, 40);
    const shape = shapeOf(JSON.stringify([{ note: `use ${token}`, password: "tr0ub4dor&3x" }]));
    expect(JSON.stringify(shape)).not.toContain(token);
    expect(JSON.stringify(shape)).not.toContain("tr0ub4dor&3x");
    expect(at(shape, ".[].note").values[0]!.text).toMatch(/^use \*\*\*….{4}$/);
  });
});

describe("keys", () => {
  test("one that comes again in an object is counted as such", () => {
    const shape = shapeOf('[{"a":1,"a":"x","b":2},{"a":3}]');
    expect(at(shape, ".[].a")).toMatchObject({ owners: 2, of: 2, repeated: 1, count: 3 });
    expect(shape.repeatedKeys).toBe(1);
  });

  test("paths are jq programs, marked where a step into some values is an error", () => {
    const shape = shapeOf('{"a b":{"c":[{"d-e":1},{"f":null}]},"odd":[1,{"g":[]}],"\\\\(x)":2,"end":3}');
    expect(shape.nodes.map(({ path }) => path)).toEqual([
      ".",
      '.["a b"]',
      '.["a b"].c',
      '.["a b"].c[]',
      '.["a b"].c[]["d-e"]',
      '.["a b"].c[].f',
      ".odd",
      ".odd[]",
      ".odd[].g?",
      '.["\\\\(x)"]',
      ".end",
    ]);
  });

  test("over 200 at one place are a map, and the number of keys is told", () => {
    const ports = Object.fromEntries(
      Array.from({ length: 500 }, (_, port) => [`port ${port}`, { depth: port, tide: "low" }]),
    );
    const shape = shapeOf(JSON.stringify({ ports }), "json", 64);
    expect(shape.nodes.map(({ path }) => path)).toEqual([".", ".ports", ".ports[]", ".ports[].depth", ".ports[].tide"]);
    expect(at(shape, ".ports")).toMatchObject({ isMap: true, keys: 500, keysLeftOut: 0 });
    expect(at(shape, ".ports[]").types).toEqual([{ type: "object", count: 500 }]);
    expect(at(shape, ".ports[].depth")).toMatchObject({ owners: 500, of: 500, least: "0", most: "499" });
    expect(at(shape, ".ports[].tide").values).toMatchObject([{ text: "low", count: 500 }]);
  });

  test("200 are told one by one", () => {
    const ports = Object.fromEntries(Array.from({ length: 200 }, (_, port) => [`port${port}`, port]));
    expect(shapeOf(JSON.stringify(ports)).nodes).toHaveLength(201);
  });
});

describe("bounds", () => {
  test("2,000 places are told, and that there are more", () => {
    const rows = Array.from({ length: 100 }, (_, row) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, cell) => [`k${row}x${cell}`, { deep: [row] }])),
    );
    // Each behind a key of its own, so that no path has over 200 keys.
    const shape = shapeOf(JSON.stringify(Object.fromEntries(rows.map((row, at) => [`r${at}`, row]))), "json", 4096);
    expect(shape.nodes).toHaveLength(2000);
    expect(shape.isFull).toBe(true);
    expect(shape.notFollowed).toBeGreaterThan(2000);
    expect(shape.nodes.some(({ keysLeftOut }) => keysLeftOut > 0)).toBe(true);
  });

  test.each([63, 64, 65, 512, 10_001, 100_000])("nesting of %i levels is followed to the 64th", (depth) => {
    const shape = shapeOf(`${"[".repeat(depth)}1${"]".repeat(depth)}`, "json", 1000);
    expect(shape.values).toBe(1);
    expect(shape.nodes).toHaveLength(Math.min(depth, 64) + 1);
    expect(shape.isTooDeep).toBe(depth > 64);
    expect(shape.nodes.at(-1)!.isTooDeep).toBe(depth > 64);
    expect(shape.notFollowed).toBe(depth > 64 ? depth - 64 : 0);
  });

  test("a document that breaks off is told as far as it goes, and where", () => {
    const shape = shapeOf('{"a":[1,2,oops]}');
    expect(shape).toMatchObject({ stopped: "broken", brokenAt: 10, values: 0 });
    expect(at(shape, ".a[]").types).toEqual([{ type: "number", count: 2 }]);
    expect(shapeOf('{"a":[1,2').stopped).toBe("broken");
    expect(shapeOf("").stopped).toBeNull();
  });

  test("a mark at its start, several documents and bytes that are no UTF-8 are read", () => {
    expect(shapeOf('\uFEFF{"a":1}\n{"a":2}', "json", 64)).toMatchObject({ values: 2, stopped: null });
    const shape = shapeOf(Uint8Array.from([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d]));
    expect(at(shape, ".[]").values[0]!.text).toBe("\uFFFD\uFFFD");
  });
});

describe("tables", () => {
  test("columns are told as the keys of rows", () => {
    const shape = shapeOf(
      'port,depth,note\r\nLeith,7.5,"a ""quay"", dry"\r\nRye,,x\r\n\r\nHull,12,"two\nlines"',
      "table",
    );
    expect(shape).toMatchObject({ kind: "table", values: 3, broken: 0 });
    expect(shape.nodes.map(({ key }) => key)).toEqual(["", "port", "depth", "note"]);
    expect(at(shape, ".depth")).toMatchObject({ least: "7.5", most: "12", owners: 3 });
    expect(at(shape, ".depth").types).toEqual([
      { type: "number", count: 2 },
      { type: "null", count: 1 },
    ]);
    expect(at(shape, ".note").values.map(({ text }) => text)).toEqual(['a "quay", dry', "x", "two\nlines"]);
  });

  test("an empty line is no row and leaves nothing to the next, whatever ends it", () => {
    for (const end of ["\n", "\r\n"]) {
      const shape = shapeOf(["depth,port", "7.5,Leith", "", "", "12,Hull", ""].join(end), "table");
      expect(shape).toMatchObject({ values: 2, broken: 0 });
      expect(at(shape, ".depth")).toMatchObject({ types: [{ type: "number", count: 2 }], least: "7.5", most: "12" });
    }
  });

  test("rows of another length are counted, tabs and semicolons part cells too, a backslash is one", () => {
    const shape = shapeOf("a;b\n1;2\n3\n4;5;6\n\\u0041;\\", "table", 3);
    expect(shape).toMatchObject({ values: 4, broken: 2, firstBroken: 2 });
    expect(at(shape, ".a").values.map(({ text }) => text)).toEqual(["1", "3", "4", "\\u0041"]);
    expect(shapeOf("a\tb,c\n1\t2,3", "table", 2).nodes.map(({ key }) => key)).toEqual(["", "a", "b,c"]);
    // A header that is longer than a separator is looked for in.
    const heads = ["a,b", "c".repeat(70_000), "d"];
    for (const piece of [7, 65_536, 1e6]) {
      const { nodes } = shapeOf(`${heads.join(",")}\n1,2,3,4`, "table", piece);
      expect(nodes.map(({ key }) => key?.slice(0, 3))).toEqual(["", "a", "b", "ccc", "d"]);
    }
  });
});
