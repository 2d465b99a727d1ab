import { describe, expect, test } from "vitest";
import { cursorAt, termAt } from "#lib/kernel/jq/cursor.ts";
import { ShapeReader, type ShapeKind } from "#lib/kernel/shape-tree/read-shape.ts";
import { candidatesInShape, type Candidates } from "./shape-candidates.ts";
import { functionsAt, suggestionsAt, type Suggestion } from "./suggest.ts";

function shapeOf(text: string, kind: ShapeKind = "json") {
  const reader = new ShapeReader(kind);
  reader.add(new TextEncoder().encode(text));
  return reader.end(null).nodes;
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

type Given = { nodes?: typeof chart; args?: string[]; slurp?: boolean; nullInput?: boolean; candidates?: Candidates };

/** Suggestions at the `▮` of a program, with what the shape says of the position. */
function suggested(
  marked: string,
  { nodes = chart, args = [], candidates, ...options }: Given = {},
): readonly Suggestion[] {
  const offset = marked.indexOf("▮");
  const program = marked.replace("▮", "");
  const cursor = cursorAt(program, offset);
  if (cursor === null) return [];
  const typed = program.slice(cursor.from, offset);
  return suggestionsAt({
    cursor,
    typed,
    args,
    candidates: candidates ?? candidatesInShape(nodes, cursor.path, options),
  });
}

const at = (marked: string, given: Given = {}, kinds = ["path"]): string[] =>
  suggested(marked, given)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ label }) => label);

const TOP = [".harbour", '.["high water"]', ".soundings", ".lights"];
const SOUNDING = [".at", ".fathoms", ".taken", ".note"];

describe("by the shape alone", () => {
  test.each<[program: string, keys: string[]]>([
    [".▮", TOP],
    ["▮", TOP],
    [".so▮", TOP],
    [". | .▮", TOP],
    [".soundings[] | .▮", SOUNDING],
    [".soundings[].▮", SOUNDING],
    [".soundings[0].▮", SOUNDING],
    [".soundings[]? | .▮", SOUNDING],
    [".soundings[] | .taken.▮", [".by", ".watch"]],
    ['.["soundings"][].▮', SOUNDING],
    ['."soundings"[].▮', SOUNDING],
    ["# a comment .x\n.soundings[] | .▮", SOUNDING],
    [".lights.red.▮", [".metres"]],
    [".harbour.▮", []],
  ])("a plain path leads to its keys: %s", (program, keys) => expect(at(program)).toEqual(keys));

  test("what does more has all keys below the plain path before it", () => {
    const below = [".at", ".fathoms", ".taken", ".by", ".watch", ".note"];
    expect(at(".soundings | map(select(.▮")).toEqual(below);
    expect(at(".lights | to_entries[] | .▮")).toEqual([".red", ".metres", ".green"]);
    expect(at("fromjson | .▮")).toEqual([...TOP.slice(0, 3), ...below, ".lights", ".red", ".metres", ".green"]);
    expect(at(".nosuch.▮")).toEqual(at("fromjson | .▮"));
    expect(at(".soundings[] as $one | $one.▮").length).toBe(TOP.length + below.length + 3);
  });

  test("-s makes an array of the input, -n takes it away until inputs", () => {
    const run = [".Test", ".Action", ".Elapsed"];
    expect(at(".[] | .▮", { nodes: runs, slurp: true })).toEqual(run);
    expect(at("group_by(.▮", { nodes: runs, slurp: true })).toEqual(run);
    expect(at(".▮", { nodes: runs, nullInput: true })).toEqual([]);
    expect(at("[inputs | .▮", { nodes: runs, nullInput: true })).toEqual(run);
  });

  test("a term under the mouse has its place", () => {
    const { path } = termAt(".soundings[].fathoms", 15)!;
    const candidates = candidatesInShape(chart, path)!;
    expect(candidates.at.map((one) => chart[one]!.path)).toEqual([".soundings[].fathoms"]);
    expect(candidatesInShape([], path)?.at).toEqual([]);
  });
});

describe("keys at the cursor", () => {
  test("an array offers its elements and their keys", () => {
    expect(at(".soundings.▮")).toEqual(["[]", "[].at", "[].fathoms", "[].taken", "[].note"]);
    expect(at(".soundings | .▮")).toEqual([".[]", ".[].at", ".[].fathoms", ".[].taken", ".[].note"]);
  });

  test("between braces they stand alone", () => {
    const candidates = candidatesInShape(chart, { path: ".soundings[]", isWhole: true })!;
    expect(at(".soundings[] | {▮", { candidates })).toEqual(["at", "fathoms", "taken", "note"]);
    expect(at(".soundings[] | {at, n▮", { candidates })).toEqual(["at", "fathoms", "taken", "note"]);
  });

  test("a key that is not always there says so, and what to take in its place", () => {
    const candidates = candidatesInShape(runs, { path: "", isWhole: true })!;
    const details = (given: Candidates) =>
      suggested("select(.Elap▮", { candidates: given })
        .filter(({ label }) => label.startsWith(".Elapsed"))
        .map(({ label, detail }) => [label, detail]);
    expect(details(candidates)).toEqual([
      [".Elapsed", "number, in 1 of 3"],
      [".Elapsed // 0", "0 where it is missing"],
    ]);
    expect(details({ ...candidates, isAll: false })[0]).toEqual([".Elapsed", "number, in 1 of the first 3"]);
    expect(suggested("select(.Elap▮", { candidates })[0]).toMatchObject({ detail: "string, in all 3", from: 7 });
  });

  test("an odd key is put in quotes, with what hides in it as escapes", () => {
    const nodes = shapeOf(JSON.stringify({ "a\u202Eb": 1, 'q"uote\\(x)': 2, "7": 3 }));
    // JavaScript moves keys that are numbers to the front.
    expect(at(".▮", { nodes })).toEqual(['.["7"]', String.raw`.["a\u202eb"]`, String.raw`.["q\"uote\\(x)"]`]);
  });
});

describe("names at the cursor", () => {
  test("functions with their arguments, keywords, and what the program defines", () => {
    const found = suggested("def deepest(f): .; map(sel▮");
    expect(found.find(({ filter }) => filter === "select")).toMatchObject({
      label: "select(condition)",
      insert: "select(${1:condition})",
      isSnippet: true,
      from: 23,
    });
    expect(found.map(({ filter }) => filter)).toEqual(
      expect.arrayContaining(["deepest", "f", "if", "sort_by", "ascii_downcase"]),
    );
  });

  test("variables of the program and of --arg", () => {
    const given = { args: ["port"] };
    expect(at(".harbour as $h | $▮", given, ["variable"])).toEqual(["$h", "$port", "$ENV", "$__loc__"]);
    expect(at("def f($n): $▮", {}, ["variable"])).toEqual(["$n", "$ENV", "$__loc__"]);
    expect(at(". as [$a, {b: $c}] | $▮", {}, ["variable"])).toEqual(["$a", "$c", "$ENV", "$__loc__"]);
    expect(at(". | @c▮", given, ["format"])).toContain("@csv");
  });

  test("behind a whole term only what goes on from it", () => {
    expect(at(".harbour an▮", {}, ["keyword", "function"])).toEqual(expect.arrayContaining(["and", "or", "as"]));
    expect(at(".harbour an▮", {}, ["function", "path"])).toEqual([]);
  });

  test.each(['"a .▮', "# note .▮", '"a \\(.x) b▮'])("nothing in %s", (program) => {
    expect(at(program, {}, ["path", "function", "variable", "keyword"])).toEqual([]);
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
      "def f(",
      "def f: def g:",
      "?//",
      "label $",
      ". as [$a, {b: $c}] | $c.",
    ])
      for (const text of [program, `.soundings[] | ${program}`, `${program} | .`, `${program}.`, `${program}; .a`])
        for (let offset = 0; offset <= text.length; offset++) {
          expect(Array.isArray(suggested(`${text.slice(0, offset)}▮${text.slice(offset)}`))).toBe(true);
          expect(termAt(text, offset)?.start ?? 0).toBeLessThanOrEqual(offset);
        }
  });

  test("a function tells what it does, by all of its forms", () => {
    expect(functionsAt("map(first)", 5)?.about.map(({ parameters }) => parameters.length)).toEqual([0, 1]);
    expect(functionsAt(". | @csv", 6)?.about[0]?.name).toBe("@csv");
    expect(functionsAt("nobody", 2)).toBeNull();
  });
});
