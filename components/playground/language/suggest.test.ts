import { describe, expect, test } from "vitest";
import { ShapeReader, type ShapeKind } from "#lib/kernel/shape-tree/read-shape.ts";
import { lex } from "./lexer.ts";
import { functionsAt, placeAt, suggestionsAt, type Known } from "./suggest.ts";

function shapeOf(text: string, kind: ShapeKind = "json"): NonNullable<Known["shape"]> {
  const reader = new ShapeReader(kind);
  reader.add(new TextEncoder().encode(text));
  return reader.end(null);
}

const chart = shapeOf(
  JSON.stringify({
    harbour: "Rye",
    "high water": "09:40",
    soundings: [
      { at: "09:00", fathoms: 3, taken: { by: "mate", watch: "dog" } },
      { at: "09:10", fathoms: 4, note: "sand" },
      { at: "09:20", fathoms: 4 },
    ],
    lights: { red: { metres: 7 }, green: { metres: 5 } },
  }),
);
const runs = shapeOf(
  ['{"Test":"a","Action":"fail","Elapsed":0.3}', '{"Test":"a","Action":"run"}', '{"Test":"b","Action":"run"}'].join(
    "\n",
  ),
  "lines",
);

/** Labels at the `▮` of a program. */
function at(marked: string, known: Known = { shape: chart }, kinds = ["path"]): string[] {
  const offset = marked.indexOf("▮");
  return suggestionsAt(marked.replace("▮", ""), offset, known)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ label }) => label);
}

const TOP = [".harbour", '.["high water"]', ".soundings", ".lights"];
const SOUNDING = [".at", ".fathoms", ".taken", ".note"];

describe("keys at the cursor", () => {
  test.each<[program: string, keys: string[]]>([
    [".▮", TOP],
    ["▮", TOP],
    [".so▮", TOP],
    [". | .▮", TOP],
    [".soundings[] | .▮", SOUNDING],
    [".soundings[].▮", SOUNDING],
    [".soundings[0].▮", SOUNDING],
    [".soundings[1:2][] | .▮", SOUNDING],
    [".soundings | map(.▮", SOUNDING],
    [".soundings | map(select(.fathoms > 3 and .▮", SOUNDING],
    [".soundings[] | select(.▮)", SOUNDING],
    [".soundings | sort_by(.▮", SOUNDING],
    [".soundings | sort_by(.at)[0] | .▮", SOUNDING],
    [".soundings | group_by(.at)[] | .[] | .▮", SOUNDING],
    [".soundings | group_by(.at) | map(first | .▮", SOUNDING],
    [".soundings | max_by(.fathoms).▮", SOUNDING],
    [".soundings[] | .taken.▮", [".by", ".watch"]],
    [".soundings[].taken | {b▮", ["by", "watch"]],
    [".soundings[] | {at, ▮", ["at", "fathoms", "taken", "note"]],
    [".soundings[] | {at, deep: .▮", SOUNDING],
    [".soundings[] | {when: .at, who: .taken} | .▮", [".when", ".who"]],
    [".soundings[] | {when: .at, who: .taken} | .who.▮", [".by", ".watch"]],
    ['."high water" as $x | .▮', TOP],
    [".soundings[] as $one | $one.▮", SOUNDING],
    [".soundings[] as $one | .▮", TOP],
    ['.["soundings"][].▮', SOUNDING],
    ['."soundings"[].▮', SOUNDING],
    ["[.soundings[] | .taken] | .[] | .▮", [".by", ".watch"]],
    [".soundings | first(.[] | select(.note)).▮", SOUNDING],
    [".soundings | limit(2; .[]).▮", SOUNDING],
    [".soundings | to_entries[] | .▮", [".key", ".value"]],
    [".soundings | to_entries[].value.▮", SOUNDING],
    [".lights | with_entries(.▮", [".key", ".value"]],
    [".lights | map_values(.▮", [".metres"]],
    [".lights[].▮", [".metres"]],
    ["if .harbour then .▮", TOP],
    ["if .harbour then .soundings[] else empty end | .▮", SOUNDING],
    ["(.soundings[], .lights.red) | .▮", [...SOUNDING, ".metres"]],
    ["(.lights.red // .soundings[0]) | .▮", [".metres", ...SOUNDING]],
    ['"\\(.soundings[] | .▮', SOUNDING],
    ['"deep: \\(.harbour)" | . as $x | .soundings', []],
    ["# a comment .x\n.soundings[] | .▮", SOUNDING],
    [".soundings[]? | .▮", SOUNDING],
    ["[.soundings[] | .fathoms] | add / length | .▮", []],
    [".soundings | any(.▮", SOUNDING],
    ["reduce .soundings[] as $s (0; . + $s.▮", SOUNDING],
    ["def deep: .fathoms; .soundings[] | .▮", SOUNDING],
    ["try .soundings[] catch . | .▮", SOUNDING],
    [".soundings | del(.[0]) | map(.▮", SOUNDING],
    [".soundings |\n  map(\n    .▮\n  )", SOUNDING],
  ])("%s", (program, keys) => {
    if (program.includes("▮")) expect(at(program).filter((label) => !label.startsWith(".[]"))).toEqual(keys);
    else expect(at(`${program}▮`)).toEqual(keys);
  });

  test("an array offers its elements and their keys", () => {
    expect(at(".soundings.▮")).toEqual(["[]", "[].at", "[].fathoms", "[].taken", "[].note"]);
    expect(at(".soundings | .▮")).toEqual([".[]", ".[].at", ".[].fathoms", ".[].taken", ".[].note"]);
  });

  test("what is not known offers all keys of the data", () => {
    expect(at("fromjson | .▮")).toEqual([
      ...TOP.slice(0, 3),
      ...[".at", ".fathoms", ".taken", ".by", ".watch", ".note", ".lights", ".red", ".metres", ".green"],
    ]);
  });

  test("-s makes an array of the input, -n takes it away until inputs", () => {
    const known = { shape: runs, slurp: true };
    expect(at(".[] | .▮", known)).toEqual([".Test", ".Action", ".Elapsed"]);
    expect(at("group_by(.▮", known)).toEqual([".Test", ".Action", ".Elapsed"]);
    expect(at(".▮", { shape: runs, nullInput: true })).toEqual([]);
    expect(at("[inputs | .▮", { shape: runs, nullInput: true })).toEqual([".Test", ".Action", ".Elapsed"]);
  });

  test("a key that is not always there says so, and what to take in its place", () => {
    const shown = suggestionsAt("select(.Elap", 12, { shape: runs });
    expect(
      shown.filter(({ label }) => label.startsWith(".Elapsed")).map(({ label, detail }) => [label, detail]),
    ).toEqual([
      [".Elapsed", "number, in 1 of 3"],
      [".Elapsed // 0", "0 where it is missing"],
    ]);
    expect(shown[0]).toMatchObject({ detail: "string, in all 3", from: 7 });
  });

  test("an odd key is put in quotes, with what hides in it as escapes", () => {
    const odd = shapeOf(JSON.stringify({ "a\u202Eb": 1, 'q"uote\\(x)': 2, "7": 3 }));
    expect(at(".▮", { shape: odd })).toEqual(
      ['.["7"]', String.raw`.["a\u202eb"]`, String.raw`.["q\"uote\\(x)"]`].toSorted(order(odd)),
    );
  });
});

/** JavaScript moves keys that are numbers to the front. */
const order = ({ nodes }: NonNullable<Known["shape"]>) => {
  const paths = nodes.map(({ path }) => path);
  return (a: string, b: string) => paths.indexOf(a) - paths.indexOf(b);
};

describe("names at the cursor", () => {
  test("functions with their arguments, keywords, and what the program defines", () => {
    const found = suggestionsAt("def deepest: .; map(sel", 23, { shape: chart });
    expect(found.find(({ filter }) => filter === "select")).toMatchObject({
      label: "select(condition)",
      insert: "select(${1:condition})",
      isSnippet: true,
      from: 20,
    });
    expect(found.map(({ filter }) => filter)).toEqual(
      expect.arrayContaining(["deepest", "if", "sort_by", "ascii_downcase"]),
    );
  });

  test("variables of the program and of --arg", () => {
    const known = { shape: chart, args: ["port"] };
    expect(at(".harbour as $h | $▮", known, ["variable"])).toEqual(["$h", "$port", "$ENV", "$__loc__"]);
    expect(at(". | @c▮", known, ["format"])).toContain("@csv");
  });

  test("behind a whole term only what goes on from it", () => {
    expect(at(".harbour an▮", { shape: chart }, ["keyword", "function"])).toEqual(
      expect.arrayContaining(["and", "or", "as"]),
    );
    expect(at(".harbour an▮", { shape: chart }, ["function", "path"])).toEqual([]);
  });

  test.each(['"a .▮', "# note .▮", '"a \\(.x) b▮'])("nothing in %s", (program) => {
    expect(at(program, { shape: chart }, ["path", "function", "variable", "keyword"])).toEqual([]);
  });

  test("whatever is typed, it answers", () => {
    for (const program of [
      ")",
      "]]",
      "}",
      '"\\(',
      "{(",
      "{a:",
      "as $x",
      "if",
      "end end",
      "..",
      ".[",
      "$",
      "@",
      "reduce . as $x",
      "def",
      "def f",
      "?//",
      "label $",
      ". as [$a, {b: $c}] | $c.",
    ])
      for (const text of [program, `.soundings[] | ${program}`, `${program} | .`, `${program}.`])
        for (let offset = 0; offset <= text.length; offset++)
          expect(Array.isArray(suggestionsAt(text, offset, { shape: chart }))).toBe(true);
  });
});

describe("hovers", () => {
  test("a key tells of its place", () => {
    const program = ".soundings[] | select(.fathoms > 3)";
    const found = placeAt(program, program.indexOf("thoms"), { shape: chart });
    expect(found).toMatchObject({ start: 22, end: 30, node: { path: ".soundings[].fathoms", count: 3 } });
    expect(placeAt(program, 16, { shape: chart })).toBeNull();
  });

  test("a function tells what it does, by all of its forms", () => {
    expect(functionsAt("map(first)", 5)?.about.map(({ parameters }) => parameters.length)).toEqual([0, 1]);
    expect(functionsAt(". | @csv", 6)?.about[0]?.name).toBe("@csv");
    expect(functionsAt("nobody", 2)).toBeNull();
  });
});

describe("words", () => {
  const words = (text: string) => lex(text).tokens.map(({ kind, text: said }) => `${kind} ${said}`);
  test("strings hold programs, and those strings", () => {
    expect(words('"a\\(.b | "c\\(1)") d" | .e')).toEqual([
      "open-string a",
      "interpolate \\(",
      "field .b",
      "sign |",
      "open-string c",
      "interpolate \\(",
      "number 1",
      "sign \\)",
      "string ",
      "sign \\)",
      "string  d",
      "sign |",
      "field .e",
    ]);
  });

  test("brackets inside an interpolation are its own", () => {
    expect(words('"\\((1)+2)x"').slice(-2)).toEqual(["sign \\)", "string x"]);
    expect(lex('"\\((1)+2').endsIn).toBe("code");
    expect(lex('"abc').endsIn).toBe("string");
    expect(lex("1 # abc").endsIn).toBe("comment");
  });
});
