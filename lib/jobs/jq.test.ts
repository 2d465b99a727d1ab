import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { createJobs, type JqAnswer, type JqLimits, type JqRequest } from "./index.ts";
import { withLargerMemory } from "./jq-module.ts";

const MB = 1024 * 1024;
const AGENT: JqLimits = { deadlineMs: 5000, memoryBytes: LIMITS.jqMemoryBytes, outputBytes: 500_000 };
const folder = mkdtempSync(join(tmpdir(), "plimsoll-jq-"));
const jobs = createJobs();

afterAll(async () => {
  await jobs.close();
  rmSync(folder, { recursive: true });
});

type Params = Partial<Pick<JqRequest, "options" | "isJsonLines" | "signal">> & Partial<JqLimits>;

const ask = (text: string, program: string, input: Params = {}): Promise<JqAnswer> => askOf({ text }, program, input);

function askOf(
  input: { text: string } | { path: string },
  program: string,
  { options = { compact: true }, isJsonLines, signal, ...limits }: Params = {},
): Promise<JqAnswer> {
  return jobs.jq({ ...input, program, options, isJsonLines, signal, limits: { ...AGENT, ...limits } });
}

/** The values that jq wrote. */
async function values(text: string, program: string, input: Params = {}): Promise<string[]> {
  const answer = await ask(text, program, input);
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.message}`);
  return answer.output.split("\n").slice(0, -1);
}

function fileOf(name: string, bytes: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

describe("a program", () => {
  test("gives one value a line", async () => {
    const text = '{"rows":[{"id":1,"score":0.7},{"id":2,"score":0.3}]}';
    expect(await values(text, ".rows[0]")).toEqual(['{"id":1,"score":0.7}']);
    expect(await values(text, ".rows[] | select(.score > 0.5)")).toEqual(['{"id":1,"score":0.7}']);
    expect(await values(text, "empty")).toEqual([]);
    expect(await ask('{"a":[1]}', ".", { options: {} })).toMatchObject({ output: '{\n  "a": [\n    1\n  ]\n}\n' });
  });

  test("has jq's options", async () => {
    expect(await values('"é\\n"', ".", { options: { raw_output: true } })).toEqual(["é", ""]);
    expect(await values("1 2\n3", ".", { options: { slurp: true, compact: true } })).toEqual(["[1,2,3]"]);
    expect(await values("1 2", "[inputs]", { options: { null_input: true, compact: true } })).toEqual(["[1,2]"]);
    expect(await values('{"b":1,"a":2}', ".", { options: { sort_keys: true, compact: true } })).toEqual([
      '{"a":2,"b":1}',
    ]);
    const named = { args: { word: "-n" }, json_args: { limit: "[2]" }, compact: true };
    expect(await values("0", "[$word, $limit]", { options: named })).toEqual(['["-n",[2]]']);
    expect(await ask("0", "$x", { options: { json_args: { x: "{" } } })).toMatchObject({ ok: false, kind: "runtime" });
  });

  test("is never an option, whatever it begins with", async () => {
    expect(await values("5", "-1")).toEqual(["-1"]);
    for (const program of ["-n", "--version", "--from-file=x", "-L/"])
      expect(await ask("5", program)).toMatchObject({ ok: false, kind: "compile" });
  });

  test("with a mistake is told where it is", async () => {
    expect(await ask("1", ".[")).toMatchObject({ ok: false, kind: "compile", output: "" });
    const answer = await ask("1", "input_filename | .[");
    expect(answer).toMatchObject({ ok: false, kind: "compile" });
    if (!answer.ok) expect(answer.message).toMatch(/^error: syntax error.*column 19:\n {4}input_filename \| \.\[/);
  });

  test("with a mistake behind a long beginning is told where it is", async () => {
    const program = `${". | ".repeat(3000)}nope`;
    const answer = await ask("null", program);
    expect(answer).toMatchObject({ ok: false, kind: "compile", position: { line: 1, column: 12_001 } });
    expect(!answer.ok && answer.message).toContain("nope/0 is not defined");
  });

  test("fails by what jq says, not by words of the data", async () => {
    for (const text of ["module not found: oars", "jq: 3 compile errors", "cannot allocate memory"]) {
      const answer = await ask(JSON.stringify(text), "error(.)");
      expect(answer).toMatchObject({ ok: false, kind: "runtime" });
      expect(!answer.ok && answer.message).toContain(text);
    }
    expect(await ask('"oars"', "halt_error(3)")).toMatchObject({ kind: "runtime", message: "oars" });
    const query = "1, input_filename, halt_error";
    expect(await ask('"jq: 3 compile errors"', query)).toMatchObject({ output: "1\nnull\n", kind: "runtime" });
  });

  test("that says much before it fails is told what it failed of", async () => {
    const answer = await ask("null", '[range(2000) | debug] | error("the end")');
    expect(answer).toMatchObject({ ok: false, kind: "runtime", message: "error (at <stdin>:0): the end" });
    expect(Buffer.byteLength(answer.messages)).toBe(4096);
  });

  test("that fails keeps what it wrote before", async () => {
    const error = 'error (at <stdin>:0): string ("x") and number (1) cannot be added';
    expect(await ask('1 "x"', ". + 1")).toMatchObject({ ok: false, kind: "runtime", output: "2\n", message: error });
    // jq goes on with the next value, and its last one decides.
    expect(await ask('1 "x" 2', ". + 1")).toMatchObject({ ok: true, output: "2\n3\n", messages: `jq: ${error}\n` });
    expect(await ask("{no", ".")).toMatchObject({ ok: false, kind: "runtime" });
    expect(await ask('"gone"', "halt_error")).toMatchObject({ ok: false, kind: "runtime", message: "gone" });
    expect(await ask("1", "halt, 2")).toMatchObject({ ok: true, output: "" });
    expect(await ask("1", "debug")).toMatchObject({ ok: true, output: "1\n", messages: '["DEBUG:",1]\n' });
  });

  test("keeps numbers as they were written", async () => {
    const digits = "100000000000000000000000000000000000001";
    expect(await values(`[${digits}, 9007199254740993, 1.000, -0]`, ".[]")).toEqual([
      digits,
      "9007199254740993",
      "1.000",
      "-0",
    ]);
    expect(await values("1e1000", ".")).toEqual(["1E+1000"]);
    expect(await values("[1e400, 12345678901234567890, 1.0, -0.0, 0.10]", ".[]")).toEqual([
      "1E+400",
      "12345678901234567890",
      "1.0",
      "-0.0",
      "0.10",
    ]);
    // Arithmetic is of doubles, and says so by its result.
    expect(await values("[9007199254740993, 1e400, -0]", ".[] + 0")).toEqual([
      "9007199254740992",
      "1.7976931348623157e+308",
      "0",
    ]);
  });

  test("gives the right dates after memory has grown", async () => {
    const program =
      '([range(300000)] | length), (1425599507 | todate), ("2015-03-05T23:51:47Z" | fromdate), (0 | localtime | mktime)';
    expect(await values("0", program)).toEqual(["300000", '"2015-03-05T23:51:47Z"', "1425599507", "0"]);
  });
});

describe("bytes that are no good JSON", () => {
  test("are answered or refused in jq's words", async () => {
    const invalid = fileOf("invalid.json", Buffer.from([0x22, 0x61, 0xff, 0xfe, 0x62, 0x22]));
    expect(await askOf({ path: invalid }, ".")).toMatchObject({ ok: true, output: '"a\ufffd\ufffdb"\n' });
    expect(await ask('"\ud800"', ".")).toMatchObject({ ok: true, output: '"\ufffd"\n' });
    const half = await ask('"\\ud800"', ".");
    expect(half).toMatchObject({
      ok: false,
      kind: "runtime",
      message: expect.stringMatching(/^parse error: Invalid .* surrogate pair/) as string,
    });
    expect(await ask('"a\0b"', ".")).toMatchObject({ ok: false, kind: "runtime" });
    expect(await ask('"a\\u0000b"', "length")).toMatchObject({ ok: true, output: "3\n" });
    const nul = fileOf("nul.json", Buffer.from([0x5b, 0x31, 0x00, 0x5d]));
    // jq reads a number up to it.
    expect(await askOf({ path: nul }, ".")).toMatchObject({ ok: true, output: "[1]\n" });
    expect(await ask('"\\ud83d\\ude00\\uffff"', "explode")).toMatchObject({ ok: true, output: "[128512,65535]\n" });
    const keys = '{"__proto__":1,"constructor":{"a":2},"":3,"a":4,"a":5}';
    expect(await ask(keys, ".")).toMatchObject({ output: '{"__proto__":1,"constructor":{"a":2},"":3,"a":5}\n' });
    expect(await ask(keys, ".toString")).toMatchObject({ output: "null\n" });
    expect(await ask("", ".")).toMatchObject({ ok: true, output: "" });
    expect(await ask("\ufeff[1]", ".[0]")).toMatchObject({ ok: true, output: "1\n" });
  });

  test("may be nested 10,000 levels deep, and what is deeper is refused in jq's words", async () => {
    for (const depth of [64, 255, 256, 257, 512, 513, 4999, 5000, 9999, 10_000])
      expect((await ask("[".repeat(depth) + "]".repeat(depth), ".")).output).toHaveLength(2 * depth + 1);
    // An object counts twice: as itself and as the value of its key.
    expect(await values('{"a":'.repeat(4999) + "1" + "}".repeat(4999), "[.. | numbers]")).toEqual(["[1]"]);
    for (const depth of [10_001, 100_000, 1_000_000])
      expect(await ask("[".repeat(depth) + "]".repeat(depth), ".")).toMatchObject({
        ok: false,
        kind: "runtime",
        message: expect.stringContaining("Exceeds depth limit for parsing") as string,
      });
    expect(await values("[1]", ".[0]")).toEqual(["1"]);
  });

  test("may be built and compared as deep as jq goes, and no deeper", async () => {
    const nested = (levels: number): string => `(reduce range(${levels}) as $_ (null; [.]))`;
    const objects = (levels: number): string => `(reduce range(${levels}) as $_ (1; {a: .}))`;
    expect(await values("0", `${nested(9999)} | tojson | length`)).toEqual(["20002"]);
    expect(await values("0", `[${nested(9000)}, ${nested(9000)}] | .[0] == .[1], (sort | length)`)).toEqual([
      "true",
      "2",
    ]);
    expect(await values("0", `${nested(1000)} | [paths] | length`)).toEqual(["1000"]);
    expect(await values("0", `${objects(9000)} | . * . | [.. | numbers]`)).toEqual(["[1]"]);
    for (const program of [
      `${nested(10_002)} | [., .] | sort`,
      `${objects(10_002)} | . * .`,
      `${nested(10_002)} | contains(.)`,
    ])
      expect(await ask("0", program)).toMatchObject({
        ok: false,
        kind: "runtime",
        message: expect.stringContaining("too deep") as string,
      });
    expect(await values("0", `[range(10001)] as $path | try getpath($path) catch .`)).toEqual(['"Path too deep"']);
    expect(await values("[1]", ".[0]")).toEqual(["1"]);
  });
});

test("jq sees nothing of the host: no environment, no file, no name, no zone", async () => {
  process.env["PLIMSOLL_SECRET"] = "hidden";
  expect(await values("0", "env, $ENV, $ENV.HOME, $ENV.PLIMSOLL_SECRET")).toEqual(["{}", "{}", "null", "null"]);
  expect(await values("0", "input_filename, $__loc__.file")).toEqual(["null", '"<top-level>"']);
  expect(await values("0", "[localtime, gmtime] | .[0] == .[1]")).toEqual(["true"]);
  delete process.env["PLIMSOLL_SECRET"];
  for (const program of [
    'include "x"; .',
    'import "x" as x; .',
    'import "/etc/passwd" as $d; $d',
    'import "a" as a {search:"/"}; .',
  ])
    expect(await ask("0", program)).toMatchObject({
      ok: false,
      kind: "unsupported",
      message: expect.stringMatching(/include and import/) as string,
    });
});

/** A program that would hold, fill or crash the process that runs it; what may come of it. */
const HOSTILE: readonly (readonly [program: string, kinds: readonly string[]])[] = [
  ["def f: f; f", ["timeout"]],
  ["def f: 1 + f; f", ["memory", "timeout"]],
  ["last(range(1e12))", ["timeout"]],
  ["[range(3e7)]", ["memory", "timeout"]],
  ["[range(1e9)]", ["memory", "timeout"]],
  ['reduce range(40) as $i ("a"; . + .)', ["memory"]],
  ["reduce range(20000) as $i ({}; {a: .}) | . * .", ["runtime"]],
  ["reduce range(100000) as $i ({}; {a: .})", ["ok"]],
  ['"x" * 1e9', ["memory"]],
  ["input", ["runtime"]],
  ["[limit(1e9; repeat(1))]", ["memory", "timeout"]],
  ["$ENV.PATH, env.PATH", ["ok"]],
  ['include "x"; .', ["unsupported"]],
  ['import "/etc/passwd" as $d; .', ["unsupported"]],
  ["input_filename", ["ok"]],
  ["halt_error", ["runtime"]],
  ["[.] | @sh", ["ok"]],
  ["[[.]] | @sh", ["runtime"]],
  ['ltrimstr("x")', ["ok", "runtime"]],
  ["getpath([range(100000) | 0])", ["runtime"]],
  ['getpath([range(100000) | "a"])', ["runtime"]],
  ["$__prog_args", ["compile"]],
  ["get_search_list", ["ok"]],
  ["now, (now | localtime | mktime)", ["ok"]],
  ['"../../etc/passwd" | modulemeta', ["unsupported", "runtime"]],
  ['"/etc/passwd" | modulemeta', ["unsupported"]],
  ['"x" | input_line_number, $__loc__, ltrimstr(1), splits("")', ["ok", "runtime"]],
  ["[limit(0; error)], [range(1e7)] | length", ["ok", "memory", "timeout"]],
  ["def f(g): def h: g | h; h; f(.)", ["timeout", "memory"]],
  ["path(..) |= error", ["runtime", "compile"]],
  ["[recurse(.; true)]", ["memory", "timeout"]],
  ["[range(1e5)] | tojson | . * 1e5", ["memory", "runtime"]],
  ['"a" * 1e6 | test("(a*)*b")', ["timeout", "runtime", "ok", "memory"]],
  [`${"(".repeat(35_000)}1${")".repeat(35_000)}`, ["too_large"]],
  [`${"(".repeat(30_000)}1${")".repeat(30_000)}`, ["compile", "runtime", "memory"]],
  ["1 | 2\0", ["compile"]],
  ['@json "\\(range(1e12))"', ["timeout"]],
];

test("hostile programs end within 1 s of their deadline, and the next one is answered", async () => {
  for (const [program, kinds] of HOSTILE) {
    const startedAt = performance.now();
    const answer = await ask("7", program, { deadlineMs: 1000 });
    const name = program.slice(0, 60);
    expect(performance.now() - startedAt, name).toBeLessThan(2000);
    expect([name, answer.ok ? "ok" : answer.kind]).toEqual([name, expect.toBeOneOf([...kinds])]);
    if (!answer.ok) expect(answer.message, name).not.toBe("");
    expect(await values("[1,2]", "add"), name).toEqual(["3"]);
  }
}, 120_000);

test("whatever a program is made of, the next one is answered", async () => {
  const words = [
    ".",
    "[",
    "]",
    "{",
    "}",
    "|",
    ",",
    "(",
    ")",
    '"a"',
    "..",
    ".a",
    "1e9",
    "range(9)",
    "reduce",
    "as",
    "$x",
  ];
  const more = [
    "def f:",
    "f;",
    "try",
    "catch",
    "error",
    "input",
    "limit(3;",
    "repeat(.)",
    "tojson",
    "@base64d",
    "?//",
    "-",
    "*",
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...words, ...more), { maxLength: 12 }), async (program) => {
      const answer = await ask('{"a":[1]}', program.join(" "), { deadlineMs: 300 });
      if (!answer.ok) expect(answer.message).not.toBe("");
    }),
    { numRuns: 200 },
  );
  expect(await values("[1,2]", "add")).toEqual(["3"]);
});

test("the event loop answers in time while hostile programs run", async () => {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const programs = [
    "def f: f; f",
    "[range(1e9)]",
    "last(range(1e12))",
    "[range(1e6)|tostring]|add|length",
    "[range(1e9)]",
  ];
  await Promise.all(programs.map((program) => ask("7", program, { deadlineMs: 700 })));
  delay.disable();
  expect(delay.percentile(99) / 1e6).toBeLessThan(250);
  expect(await values("[1,2]", "add")).toEqual(["3"]);
});

test("the sample expressions run, the environment is empty, a program too long is refused, and what stops [range(1e9)] is said", async () => {
  const text = '{"rows":[{"a":1}],"list":[{"score":1},{"score":0.1}]}';
  expect(await values(text, ".rows[0]")).toEqual(['{"a":1}']);
  expect(await values(text, ".list | .[] | select(.score > 0.5)")).toEqual(['{"score":1}']);
  expect(await values(text, "env, $ENV.HOME")).toEqual(["{}", "null"]);
  const longest = `.${" ".repeat(LIMITS.jqProgramChars - 1)}`;
  expect(await values("1", longest, { programChars: LIMITS.jqProgramChars })).toEqual(["1"]);
  expect(await ask("1", `${longest} `, { programChars: LIMITS.jqProgramChars })).toMatchObject({
    ok: false,
    kind: "too_large",
    message: "The program has 4097 characters; at most 4096 are run here.",
  });
  const stopped = await ask(text, "[range(1e9)]");
  expect(stopped).toMatchObject({ ok: false });
  if (!stopped.ok) {
    expect(["memory", "timeout"]).toContain(stopped.kind);
    expect(stopped.message).toMatch(stopped.kind === "memory" ? /256 MB of memory/ : /5000 ms/);
  }
});

describe("limits", () => {
  test("a program of 64 KB runs, a byte more does not", async () => {
    expect(await values("1", `.${" ".repeat(LIMITS.jqProgramBytes - 1)}`)).toEqual(["1"]);
    expect(await ask("1", `.${" ".repeat(LIMITS.jqProgramBytes)}`)).toMatchObject({ kind: "too_large" });
    expect(await ask("1", "$a", { options: { args: { a: "x".repeat(70_000) } } })).toMatchObject({ kind: "too_large" });
  });

  test("output is cut at a line end and counted whole", async () => {
    const answer = await ask("null", "range(100000)", { outputBytes: 1000 });
    expect(answer).toMatchObject({ ok: true, truncated: true, outputBytes: 588_890 });
    if (!answer.ok) return;
    expect(Buffer.byteLength(answer.output)).toBeLessThanOrEqual(1000);
    expect(answer.output).toMatch(/^0\n1\n(?:.*\n)+\d\d\d\n$/);
    const one = await ask("null", '"é" * 5000', { outputBytes: 1000 });
    expect(one).toMatchObject({ ok: true, truncated: true, output: `"${"é".repeat(499)}`, outputBytes: 10_003 });
    expect(await ask("null", "range(3)", { outputBytes: 6 })).toMatchObject({ truncated: false, output: "0\n1\n2\n" });
  });

  test("memory is what the caller gives, and the message says how much", async () => {
    const program = "[range(1e6)] | length";
    expect(await ask("0", program, { memoryBytes: 20 * MB })).toMatchObject({
      kind: "memory",
      message: expect.stringMatching(/more than 20 MB/) as string,
    });
    expect(await values("0", program, { memoryBytes: 128 * MB })).toEqual(["1000000"]);
  });

  test("one large document is refused with what to do, or answered when there is memory for it", async () => {
    const path = fileOf("large.json", `[${`{"id":1,"tags":["a","b"],"name":"somebody"},`.repeat(900_000)}0]`);
    for (const program of ["length", "."])
      expect(await askOf({ path }, program)).toMatchObject({
        ok: false,
        kind: "too_large",
        message: expect.stringMatching(
          /document of \d+ MB exceeds jq's memory .* artifact_read or artifact_grep/,
        ) as string,
      });
    const answer = await askOf({ path }, "length", { memoryBytes: LIMITS.jqPersonMemoryBytes, deadlineMs: 20_000 });
    expect(answer).toMatchObject({ ok: true, output: "900001\n" });
    expect(await askOf({ path }, "length", { memoryBytes: 64 * MB })).toMatchObject({ kind: "too_large" });
    rmSync(path);
  });

  test("many values one a line need memory for one alone", async () => {
    const path = join(folder, "lines.jsonl");
    const file = openSync(path, "w");
    for (let i = 0; i < 30; i++) writeSync(file, `{"id":${i},"text":"${"x".repeat(1000)}"}\n`.repeat(1000));
    closeSync(file);
    const input = { isJsonLines: true, memoryBytes: 20 * MB };
    expect(await askOf({ path }, "select(.id == 29).id", input)).toMatchObject({ ok: true, outputBytes: 3000 });
    expect(await askOf({ path }, "length", { ...input, options: { slurp: true } })).toMatchObject({
      kind: "too_large",
    });
    rmSync(path);
  });
});

test("more programs than threads wait for their turn, and each has its whole time", async () => {
  const slow = "last(range(1e12))";
  const programs = [slow, slow, slow, slow, "1", "2"];
  const answers = await Promise.all(programs.map((program) => ask("0", program, { deadlineMs: 300 })));
  expect(answers.map((answer) => (answer.ok ? answer.output : answer.kind))).toEqual([
    ...Array.from({ length: 4 }, () => "timeout"),
    "1\n",
    "2\n",
  ]);
});

test("a program that nobody waits for is stopped", async () => {
  const stop = new AbortController();
  const running = ask("0", "last(range(1e12))", { signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  await expect(running).rejects.toMatchObject({ name: "AbortError" });
  await expect(ask("0", ".", { signal: stop.signal })).rejects.toMatchObject({ name: "AbortError" });
  expect(await values("[1,2]", "add")).toEqual(["3"]);
});

test("a file that is gone is not_found, and the next program runs", async () => {
  await expect(askOf({ path: join(folder, "gone") }, ".")).rejects.toMatchObject({ code: "not_found" });
  expect(await values("[1,2]", "add")).toEqual(["3"]);
});

test("closing ends what runs, and nothing runs after", async () => {
  const own = createJobs({ jqWorkers: 1 });
  const request = { text: "0", program: "last(range(1e12))", options: {}, limits: AGENT };
  const running = [own.jq(request), own.jq(request)];
  const ended = Promise.allSettled(running);
  setTimeout(() => void own.close(), 100);
  expect((await ended).map((one) => one.status)).toEqual(["rejected", "rejected"]);
  await expect(own.jq(request)).rejects.toMatchObject({ code: "conflict" });
  await expect(
    own.grep({ text: "x", pattern: "x", options: [], limits: { deadlineMs: 1, lines: 1, bytes: 1, lineChars: 1 } }),
  ).rejects.toMatchObject({ code: "conflict" });
});

test("another build of jq keeps its own memory", () => {
  const other = Uint8Array.of(0, 1, 2, 3);
  expect(withLargerMemory(other)).toEqual(other);
  const known = Uint8Array.of(9, 5, 6, 1, 1, 0x80, 2, 0x80, 0x20, 7);
  expect(withLargerMemory(known)).toEqual(Uint8Array.of(9, 5, 7, 1, 1, 0x80, 2, 0xff, 0xff, 1, 7));
});

const DOCUMENT = JSON.stringify({
  users: [
    { id: 3, name: "Zoë", tags: ["x", "y"], score: 0.5, on: true },
    { id: 1, name: "Ann", tags: [], score: 2, on: false },
    { id: 2, name: 'quote " and \\', tags: ["y"], score: -1e-3, on: null },
  ],
  meta: { total: 3, next: null },
});

const native = spawnSync("jq", ["--version"]);
describe.skipIf(native.status !== 0)("the machine's own jq (skipped where there is none)", () => {
  test.each([
    ".",
    ".users[0]",
    ".users | length",
    ".users[].name",
    ".users | map(.id) | add",
    ".users | sort_by(.id) | map(.name)",
    ".users | group_by(.tags | length) | map(map(.id))",
    ".users | map(select(.score > 0)) | .[].id",
    ".users | map({(.name): .score}) | add",
    "[.users[] | .tags[]] | unique",
    ".users | max_by(.score).name",
    "[paths(scalars)] | length",
    "to_entries | map(.key)",
    ".meta | with_entries(.value |= tostring)",
    "del(.users[0], .meta)",
    ".users[0].name | ascii_downcase, explode[0], length, utf8bytelength",
    '.users | map(.name) | join(", ")',
    '.users[2].name | test("\\\\\\\\"), split(" ")',
    '.users[0] | "\\(.id): \\(.name)"',
    ".users[] | [.id, .name] | @csv, @tsv",
    ".users[0] | @base64, @json, @html, @uri",
    "reduce .users[] as $u (0; . + $u.id)",
    "[foreach .users[] as $u (0; . + $u.id; [., $u.id])]",
    "[limit(2; .users[].id)], first(.users[].id), ([.users[].id] | last)",
    'try error("x") catch .',
    ".users[0].tags as [$a, $b] | {$a, $b}",
    "def f(x): x * 2; .users[] | f(.score)",
    "[.. | numbers]",
    "tojson | fromjson == .",
    "input_line_number",
    '[range(0; 10; 3)], ([1, 2] | combinations(2)), ("a,b" | ascii_upcase)',
    '.users | indices({id: 1}), ("abcab" | indices("ab"))',
    '@text "a\\(1 + 1)", ([1, [2, [3]]] | flatten), ({} | .a.b.c = 1)',
    '"2015-03-05T23:51:47Z" | fromdate, (fromdate | todate), strptime("%Y-%m-%dT%H:%M:%SZ")',
    '[.users[] | .name | capture("(?<first>[A-Z])") | .first]',
    'walk(if type == "number" then . + 1 else . end)',
  ])("says the same of %s", async (program) => {
    const theirs = spawnSync("jq", ["-c", program], { input: DOCUMENT });
    expect(theirs.status).toBe(0);
    const answer = await ask(DOCUMENT, program);
    expect(answer).toMatchObject({ ok: true, output: theirs.stdout.toString() });
  });
});
