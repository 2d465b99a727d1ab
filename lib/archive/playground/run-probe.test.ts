// What jq itself says of the position where somebody types: the spec of completion, asked of the real jq.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHEAT_SHEET } from "#lib/kernel/jq/cheat-sheet.ts";
import { cursorAt, termAt } from "#lib/kernel/jq/cursor.ts";
import { jqProbe, probeAnswer, type ProbeAnswer } from "#lib/wire/playground-schema.ts";
import { closeArchive, openArchive } from "../archive.ts";
import type { Archive } from "../base/archive-type.ts";
import { createSession } from "../artifacts/create-session.ts";
import { storeArtifact } from "../artifacts/store-artifact.ts";
import { testHost } from "../testing-archive.ts";
import type { RunAsker } from "./inputs.ts";
import { runProbe } from "./run-probe.ts";

const PERSON: RunAsker = { who: "browser:1", isPerson: true, session: null };
const CHART = JSON.stringify({
  harbour: "Rye",
  "high water": "09:40",
  soundings: [
    { at: "09:00", fathoms: 3, taken: { by: "mate", watch: "dog" } },
    { at: "09:10", fathoms: 4, note: "sand" },
    { at: "09:20", fathoms: 4 },
  ],
  lights: { red: { metres: 7 }, green: { metres: 5 } },
});
const RUNS = '{"Test":"a","Action":"fail","Elapsed":0.3}\n{"Test":"a","Action":"run"}\n{"Test":"b","Action":"run"}';

const dir = mkdtempSync(join(tmpdir(), "plimsoll-probe-"));
let archive: Archive;
beforeAll(async () => {
  archive = await openArchive({ dir, host: testHost() });
  await createSession(archive, { id: "s" });
});
afterAll(async () => {
  await closeArchive(archive);
  rmSync(dir, { recursive: true, force: true });
});

/** Patient, where the time is not what is tested. */
const PATIENT_MS = 30_000;

async function ask(
  program: string | null,
  text = CHART,
  options: object = {},
  deadlineMs: number | undefined = PATIENT_MS,
): Promise<ProbeAnswer> {
  if (program === null) return { nodes: [], isAll: false };
  const probe = jqProbe.parse({ program, options, inputs: [{ text }] });
  return probeAnswer.parse(await runProbe(archive, probe, PERSON, deadlineMs));
}

const split = (marked: string): [string, number] => [marked.replace("▮", ""), marked.indexOf("▮")];
/** What comes to the `▮` of a program. */
const at = (marked: string, text?: string, options?: object, deadlineMs?: number) =>
  ask(cursorAt(...split(marked))?.probe ?? null, text, options, deadlineMs);
const below = ({ nodes }: ProbeAnswer, parent: number) => nodes.filter((node) => node.parent === parent);
/** Null when nothing comes there. */
function keysOf(answer: ProbeAnswer, parent = 0): string[] | null {
  const keys = below(answer, parent).filter(({ step }) => step === "key");
  return answer.nodes.length === 0 ? null : keys.map(({ key }) => key);
}
const keysAt = async (...request: Parameters<typeof at>) => keysOf(await at(...request));

const TOP = ["harbour", "high water", "soundings", "lights"];
const FIRST = ["at", "fathoms", "taken"];
const SOUNDING = [...FIRST, "note"];
const NOTED = ["at", "fathoms", "note"];

describe("keys at the cursor", () => {
  test.each<[program: string, keys: string[] | null]>([
    [".▮", TOP],
    ["▮", TOP],
    [".so▮", TOP],
    [". | .▮", TOP],
    [".soundings[] | .▮", SOUNDING],
    [".soundings[].▮", SOUNDING],
    [".soundings[0].▮", FIRST],
    [".soundings[1:2][] | .▮", NOTED],
    [".soundings | map(.▮", SOUNDING],
    [".soundings | map(select(.▮", SOUNDING],
    [".soundings | map(select(.fathoms > 3 and .▮", NOTED],
    [".soundings[] | select(.▮)", SOUNDING],
    [".soundings | sort_by(.▮", SOUNDING],
    [".soundings | sort_by(.at)[0] | .▮", FIRST],
    [".soundings | group_by(.at)[] | .[] | .▮", SOUNDING],
    [".soundings | group_by(.at) | map(first | .▮", SOUNDING],
    [
      ".soundings | group_by(.fathoms) | map({at: .[0].at, most: max_by(.at).▮",
      SOUNDING.filter((key) => key !== "note"),
    ],
    [".soundings | max_by(.fathoms).▮", ["at", "fathoms"]],
    [".soundings[] | .taken.▮", ["by", "watch"]],
    [".soundings[].taken | {b▮", ["by", "watch"]],
    [".soundings[] | {at, ▮", SOUNDING],
    [".soundings[] | {at, deep: .▮", SOUNDING],
    [".soundings[] | {at, deep: (.taken | .▮", ["by", "watch"]],
    [".soundings[] | {when: .at, who: .taken} | .▮", ["when", "who"]],
    [".soundings[] | {when: .at, who: .taken} | .who.▮", ["by", "watch"]],
    ['."high water" as $x | .▮', TOP],
    [".soundings[] as $one | $one.▮", SOUNDING],
    [".soundings[] as $one | .▮", TOP],
    [".soundings[] as {taken: $who} | $who.▮", ["by", "watch"]],
    ['.["soundings"][].▮', SOUNDING],
    ['."soundings"[].▮', SOUNDING],
    ["[.soundings[] | .taken] | .[] | .▮", ["by", "watch"]],
    [".soundings | first(.[] | select(.note)).▮", NOTED],
    [".soundings | limit(2; .[]).▮", SOUNDING],
    [".soundings | limit(2; .[] | .▮", SOUNDING],
    [".soundings | to_entries[] | .▮", ["key", "value"]],
    [".soundings | to_entries[].value.▮", SOUNDING],
    [".lights | with_entries(.▮", ["key", "value"]],
    [".lights | map_values(.▮", ["metres"]],
    [".lights[].▮", ["metres"]],
    ["if .harbour then .▮", TOP],
    ["if .▮", TOP],
    ["if .harbour == 1 then 1 elif .▮", TOP],
    ["if .harbour then .soundings[] else empty end | .▮", SOUNDING],
    ["(.soundings[], .lights.red) | .▮", [...SOUNDING, "metres"]],
    ["(.lights.red // .soundings[0]) | .▮", ["metres"]],
    ['"\\(.soundings[] | .▮', SOUNDING],
    ['"deep: \\(.harbour)" | . as $x | .soundings▮', []],
    ["# a comment .x\n.soundings[] | .▮", SOUNDING],
    [".soundings[]? | .▮", SOUNDING],
    ["[.soundings[] | .fathoms] | add / length | .▮", []],
    [".soundings | any(.▮", SOUNDING],
    ["reduce .▮", TOP],
    ["reduce .soundings[] as $s (0; . + $s.▮", SOUNDING],
    ["reduce .soundings[] as $s ({deep: 0}; .▮", ["deep"]],
    ["foreach .soundings[] as $s (0; . + 1; $s | .▮", SOUNDING],
    ["def deep: .fathoms; .soundings[] | .▮", SOUNDING],
    ["def of(f): .soundings[] | f; of(.▮", SOUNDING],
    ["def of($x; f): $x | f; of(.lights.red; .▮", ["metres"]],
    ["def deep: .▮", TOP],
    ["def deep: .▮; .soundings[] | deep", SOUNDING],
    ["def a: def b: {▮}; b; .lights[] | a", ["metres"]],
    [".lights | map(def deep: .▮; deep)", ["metres"]],
    ["try .soundings[] catch . | .▮", SOUNDING],
    ["try .soundings[] catch .▮", null],
    [".soundings | del(.[0]) | map(.▮", SOUNDING.filter((key) => key !== "taken")],
    [".soundings | del(.[] | .▮", SOUNDING],
    [".soundings[0] |= .▮", FIRST],
    [".soundings |\n  map(\n    .▮\n  )", SOUNDING],
    ["label $out | .soundings[] | .▮", SOUNDING],
    [".soundings as [$a] ?// $a | $a.▮", FIRST],
    ["fromjson | .▮", null],
    [". as $x▮", null],
    [".harbour an▮", null],
  ])("%s", async (program, keys) => expect(await keysAt(program)).toEqual(keys));

  test("an array has the keys of its elements, on both sides of a pipe", async () => {
    for (const program of [".soundings.▮", ".soundings | .▮"]) {
      const found = await at(program);
      expect(found.nodes[0]).toMatchObject({ types: [{ type: "array", count: 1 }], lengths: null });
      expect(below(found, 0).map(({ step }) => step)).toEqual(["element"]);
      expect(keysOf(found, 1)).toEqual(SOUNDING);
    }
  });

  test("a large object has the keys of its values", async () => {
    const large = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`p${i}`, { berth: i }]));
    const found = await at(".▮", JSON.stringify(large));
    expect(found.nodes[0]).toMatchObject({ isMap: true });
    expect(keysOf(found, 1)).toEqual(["berth"]);
  });

  test("-s makes an array of the input, -n takes it away until inputs, --arg has its names", async () => {
    const run = ["Test", "Action", "Elapsed"];
    expect(await keysAt(".[] | .▮", RUNS, { slurp: true })).toEqual(run);
    expect(await keysAt("group_by(.▮", RUNS, { slurp: true })).toEqual(run);
    expect(await keysAt(".▮", RUNS, { nullInput: true })).toEqual([]);
    expect(await keysAt("[inputs | .▮", RUNS, { nullInput: true })).toEqual(run);
    expect(await keysAt("$gate.▮", RUNS, { jsonArgs: { gate: '{"open":1}' } })).toEqual(["open"]);
  });

  test("a key says in how many objects it stands, with which values", async () => {
    const found = await at("select(.▮", RUNS);
    expect(found).toMatchObject({ isAll: true });
    expect(below(found, 0)).toMatchObject([
      { key: "Test", owners: 3, of: 3, types: [{ type: "string", count: 3 }], values: [{ text: "a" }, { text: "b" }] },
      { key: "Action", owners: 3, of: 3 },
      { key: "Elapsed", owners: 1, of: 3, types: [{ type: "number", count: 1 }], values: [{ text: "0.3" }] },
    ]);
  });

  test("a term under the mouse has its types and samples", async () => {
    const program = ".soundings[] | select(.fathoms > 3)";
    const term = termAt(program, program.indexOf("thoms"))!;
    expect(term).toMatchObject({ start: 22, end: 30 });
    expect((await ask(term.probe)).nodes).toMatchObject([
      { types: [{ type: "number", count: 3 }], values: [{ text: "4", count: 2 }, { text: "3" }] },
    ]);
    expect(termAt(program, 16)).toBeNull();
  });
});

describe("a probe", () => {
  test("masks secrets, and cuts what is long", async () => {
    const token = `ghp_${"aB3dE6gH9j".repeat(4)}`.slice(0, 40);
    const found = await at(
      ".▮",
      JSON.stringify({ note: `use ${token}`, password: "tr0ub4dor&3x", log: "é".repeat(999) }),
    );
    expect(JSON.stringify(found)).not.toContain(token);
    expect(JSON.stringify(found)).not.toContain("tr0ub4dor&3x");
    expect(below(found, 0)[2]?.examples).toMatchObject([{ text: "é".repeat(80), isCut: true }]);
  });

  test("ends after some values, at its deadline with what came until then, and the next one works", async () => {
    expect(await keysAt("[range(1e9)] | .[0] | .▮", "null", {}, 500)).toBeNull();
    expect(await at("range(1e9) | .▮", "null")).toMatchObject({ nodes: [{ count: 200 }], isAll: false });
    const late = await at("(1, (def f: f; f)) | .▮", "null", {}, 1000);
    expect(late).toMatchObject({ nodes: [{ count: 1, values: [{ text: "1" }] }], isAll: false });
    expect(await keysAt(".▮")).toEqual(TOP);
  });

  test("has nothing of the host, and no more than a run may have", async () => {
    expect(await keysAt("env | .▮")).toEqual([]);
    expect(await keysAt("$ENV | .▮")).toEqual([]);
    expect(await at("input_filename | .▮")).toMatchObject({ nodes: [{ types: [{ type: "null" }] }] });
    expect(await keysAt('include "a"; .▮')).toBeNull();
    expect(await keysAt(`"${"x".repeat(65_400)}" | .▮`)).toBeNull();
    expect(await keysAt('[limit(40; repeat("x"))] | .[0] * 1e9 | .▮')).toBeNull();
  });

  test("is not told what the program itself says", async () => {
    expect(await keysAt('debug, debug("x"), stderr | empty | .▮')).toBeNull();
    expect(await keysAt('error("\n{\n") | .▮')).toBeNull();
    expect(await keysAt(".soundings[] | debug | .▮")).toEqual(SOUNDING);
  });

  test("of a large document is not run; JSON lines may be of any size", async () => {
    const large = JSON.stringify(
      Array.from({ length: 60_000 }, (_, i) => ({ id: i, name: `berth ${i}`, note: "sand" })),
    );
    expect(large.length).toBeGreaterThan(2_000_000);
    expect(await keysAt(".[] | .▮", large)).toBeNull();
    const lines = JSON.parse(large)
      .map((one: object) => JSON.stringify(one))
      .join("\n");
    const { pointer } = await storeArtifact(
      archive,
      { session: "s", name: "berths", contentType: "application/x-ndjson" },
      Buffer.from(lines),
    );
    const over = async (options: object) =>
      keysOf(
        await runProbe(archive, jqProbe.parse({ program: "_probe", options, inputs: [{ artifact: pointer }] }), PERSON),
      );
    expect(await over({})).toEqual(["id", "name", "note"]);
    expect(await over({ slurp: true })).toBeNull();
  });
});

const PROGRAMS = [
  '.soundings | map(select(.fathoms > 3 and (.note // "" | test("s.nd"))) | {at, deep: .fathoms, "odd \\(.at)": [.taken.by?]})',
  "reduce .soundings[] as {at: $at, taken: {by: $by}} ({}; .[$at] += [$by // null]) | to_entries[] | .value",
  'def up(f; $n): if $n <= 0 then . elif . == null then 0 else (f | up(f; $n - 1)) end; .lights | map_values(up(.metres; 1)) | @json "\\(.red + 1) of \\("\\(.green)")"',
  "label $out | foreach (.soundings | group_by(.fathoms)[] | .[]) as $s (0; . + 1; if . > 2 then ., break $out else $s end) # the end",
  'try (.harbour | tonumber) catch (. | ascii_downcase) | ., .[1:2] |= -(1) | sub("a"; "b"; "g") // ..',
].map((program) => ({ program, text: CHART, args: {} }));
const EXAMPLES = CHEAT_SHEET.map(({ program, input, options }) => ({
  program,
  text: input,
  args: options?.args ?? {},
}));

/** Every beginning of a program is answered, by a probe that jq compiles and that comes to an end. */
test.each([...PROGRAMS, ...EXAMPLES])(
  "any beginning is answered: $program",
  async ({ program, text, args }) => {
    const probes = new Set<string>();
    for (let offset = 0; offset <= program.length; offset++) {
      const beginning = program.slice(0, offset);
      for (const cursor of [cursorAt(beginning, offset), cursorAt(program, offset), termAt(beginning, offset)])
        if (cursor !== null && cursor.probe !== null) probes.add(cursor.probe);
    }
    expect(probes.size).toBeGreaterThan(0);
    const limits = { deadlineMs: PATIENT_MS, memoryBytes: 256 * 1024 * 1024, outputBytes: 1000 };
    for (const probe of probes) {
      const answer = await archive.jobs.jq({ text, program: `def _probe: empty; ${probe}`, options: { args }, limits });
      // What a program makes of the rest of the data is its own affair.
      expect([probe, answer.ok || answer.kind]).toEqual([probe, answer.ok || "runtime"]);
    }
  },
  PATIENT_MS,
);
