// One contract for every way to search: ripgrep over a file, re2js over a file, re2js over text.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createJobs, type GrepAnswer, type GrepLimits, type Jobs } from "./index.ts";

const LIMITS: GrepLimits = { deadlineMs: 2000, lines: 200, bytes: 64 * 1024, lineChars: 2000 };
const folder = mkdtempSync(join(tmpdir(), "plimsoll-grep-"));
const best = createJobs();
const re2 = createJobs({ grepEngine: "re2" });
let files = 0;

afterAll(async () => {
  await Promise.all([best.close(), re2.close()]);
  rmSync(folder, { recursive: true });
});

const fileOf = (bytes: string | Uint8Array): string => {
  const path = join(folder, `blob-${++files}`);
  writeFileSync(path, bytes);
  return path;
};

const TEN_MB = "a".repeat(10_000_000);

type Search = (
  bytes: string | Uint8Array,
  pattern: string,
  options?: string[],
  limits?: Partial<GrepLimits>,
) => Promise<GrepAnswer>;

const overFile =
  (jobs: Jobs): Search =>
  async (bytes, pattern, options = [], limits = {}) => {
    const path = fileOf(bytes);
    try {
      return await jobs.grep({ path, pattern, options, limits: { ...LIMITS, ...limits } });
    } finally {
      rmSync(path);
    }
  };

const overText: Search = (bytes, pattern, options = [], limits = {}) =>
  re2.grep({ text: Buffer.from(bytes as string).toString(), pattern, options, limits: { ...LIMITS, ...limits } });

const ENGINES: readonly (readonly [string, Search])[] = [
  ["ripgrep over a file", overFile(best)],
  ["re2js over a file", overFile(re2)],
  ["re2js over text", overText],
];

/** `12:text` for a match, `12-text` for its context. */
const shown = (answer: GrepAnswer): string[] => {
  if (!answer.ok) throw new Error(`${answer.kind}: ${answer.message}`);
  return answer.lines.map(({ line, text, isContext }) => `${line}${isContext ? "-" : ":"}${text}`);
};

const LOG = ["start", "ERROR one", "warn: cats", "error two", "", "concatenate", "the cat", "ERROR ERROR", "end"].join(
  "\n",
);

describe.each(ENGINES)("%s", (_, search) => {
  test.each([
    [["ERROR"], ["2:ERROR one", "8:ERROR ERROR"]],
    [
      ["error", "-i"],
      ["2:ERROR one", "4:error two", "8:ERROR ERROR"],
    ],
    [
      ["error", "-in"],
      ["2:ERROR one", "4:error two", "8:ERROR ERROR"],
    ],
    [["ERROR|warn"], ["2:ERROR one", "3:warn: cats", "8:ERROR ERROR"]],
    [["cat", "-w"], ["7:the cat"]],
    [["end", "-x"], ["9:end"]],
    [
      ["e|r", "-v"],
      ["5:", "8:ERROR ERROR"],
    ],
    [
      ["ERROR", "-o"],
      ["2:ERROR", "8:ERROR", "8:ERROR"],
    ],
    [
      ["ERROR", "-ow"],
      ["2:ERROR", "8:ERROR", "8:ERROR"],
    ],
    [["ERROR", "-o", "-m1"], ["2:ERROR"]],
    [["[a-z]*", "-o", "-m", "1"], ["1:start"]],
    [["(cat|one)$"], ["2:ERROR one", "7:the cat"]],
    [["(cat|one)$", "-F"], []],
    [
      ["(cat|one)$", "-F", "-E"],
      ["2:ERROR one", "7:the cat"],
    ],
    [
      ["ERROR", "-A", "1"],
      ["2:ERROR one", "3-warn: cats", "8:ERROR ERROR", "9-end"],
    ],
    [
      ["ERROR", "-A1"],
      ["2:ERROR one", "3-warn: cats", "8:ERROR ERROR", "9-end"],
    ],
    [
      ["two", "-B", "2"],
      ["2-ERROR one", "3-warn: cats", "4:error two"],
    ],
    [
      ["two", "-C1"],
      ["3-warn: cats", "4:error two", "5-"],
    ],
    [["ERROR", "-m", "1"], ["2:ERROR one"]],
    [
      ["ERROR|warn", "-m1", "-A2"],
      ["2:ERROR one", "3-warn: cats", "4-error two"],
    ],
    [["ERROR", "-m0", "-A2"], []],
    [["end", "-vo"], []],
    [["^$"], ["5:"]],
  ] as const)("answers %j", async ([pattern, ...options], expected) => {
    expect(shown(await search(LOG, pattern, [...options]))).toEqual(expected);
  });

  test.each([
    [["ERROR", "-c"], 2],
    [["nowhere", "-c"], 0],
    [["ERROR", "-vc"], 7],
    [["ERROR", "-oc"], 2],
    [["e", "-c", "-m", "3"], 3],
  ] as const)("counts %j", async ([pattern, ...options], count) => {
    expect(await search(LOG, pattern, [...options])).toMatchObject({
      ok: true,
      count,
      matches: count,
      lines: [],
      omitted: 0,
    });
  });

  test("words side by side, each with -o", async () => {
    expect(shown(await search("- ", ".", ["-wo"]))).toEqual(["1:-", "1: "]);
    expect(shown(await search("- -a b  ", "[^a]", ["-wo"]))).toEqual(["1:-", "1: ", "1:b", "1: "]);
  });

  test("a line ends at \\n alone, and \\r\\n is an end too", async () => {
    const text = "one\r\ntwo\rthree\r\n\r\nfour\r";
    expect(shown(await search(text, "o$"))).toEqual(["2:two\rthree"].slice(1));
    expect(shown(await search(text, "e$"))).toEqual(["1:one", "2:two\rthree"]);
    expect(shown(await search(text, "one", ["-x"]))).toEqual(["1:one"]);
    expect(shown(await search(text, "^$"))).toEqual(["3:"]);
    expect(shown(await search(text, "three.*", ["-o"]))).toEqual(["2:three"]);
    expect(shown(await search(text, "four"))).toEqual(["4:four"]);
    expect(shown(await search(text, "two\\rthree"))).toEqual(["2:two\rthree"]);
  });

  test("an empty text has no line, and a last line needs no newline", async () => {
    expect(shown(await search("", "^"))).toEqual([]);
    expect(shown(await search("\n", "^"))).toEqual(["1:"]);
    expect(shown(await search("12\n345", "$"))).toEqual(["1:12", "2:345"]);
    expect(shown(await search("12\n345", "$", ["-o"]))).toEqual([]);
  });

  test("a long line is cut around its match, and says where", async () => {
    const line = `${"é".repeat(50_000)}needle${"x".repeat(50_000)}`;
    const answer = await search(`short\n${line}\n`, "needle", [], { lineChars: 100 });
    expect(answer).toMatchObject({ ok: true, matches: 1, omitted: 0 });
    if (!answer.ok) return;
    expect(answer.lines).toEqual([
      { line: 2, text: `${"é".repeat(25)}needle${"x".repeat(69)}`, isContext: false, cut: true, start: 49_975 },
    ]);
    const near = await search(`needle${"y".repeat(500)}`, "needle", [], { lineChars: 100 });
    if (!near.ok) throw new Error(near.message);
    expect(near.lines[0]).toMatchObject({ text: `needle${"y".repeat(94)}`, cut: true, start: 0 });
    expect(shown(await search(`${"é".repeat(5000)} ERROR 7`, "ERROR .", ["-o"]))).toEqual(["1:ERROR 7"]);
    const wide = await search(`${"😀".repeat(94)}needle`, "needle", [], { lineChars: 100 });
    expect(wide).toMatchObject({ lines: [{ cut: false, start: 0 }] });
    const whole = await search(`needle${"ö".repeat(94)}`, "needle", [], { lineChars: 100 });
    if (!whole.ok) throw new Error(whole.message);
    expect(whole.lines[0]).toMatchObject({ cut: false, start: 0 });
  });

  test("what is not shown is still counted", async () => {
    const text = Array.from({ length: 5000 }, (_, i) => `hit ${i}`).join("\n");
    expect(await search(text, "hit")).toMatchObject({ ok: true, matches: 5000, omitted: 4800, isCounted: true });
    expect(await search(text, "i", ["-o"])).toMatchObject({ ok: true, matches: 5000, omitted: 4800 });
    expect(await search(text, "hit", [], { bytes: 100 })).toMatchObject({ matches: 5000, omitted: 5000 - 15 });
    expect(await search(text, "hit", ["-m", "300"])).toMatchObject({ matches: 300, omitted: 100 });
    const context = await search(text, "99$", ["-C1"], { lines: 10 });
    // The line before the fourth match is not shown without it.
    expect(shown(context)).toHaveLength(9);
    expect(context).toMatchObject({ ok: true, matches: 50, omitted: 47 });
  });

  test("\\d \\w \\s \\b work everywhere, classes are ASCII, a dot is a character", async () => {
    expect(shown(await search("a1 é٣_b", "\\d+", ["-o"]))).toEqual(["1:1"]);
    expect(shown(await search("a1 é٣_b", "\\w+", ["-o"]))).toEqual(["1:a1", "1:_b"]);
    expect(shown(await search("a1 é٣_b", "[^\\s\\w]", ["-o"]))).toEqual(["1:é", "1:٣"]);
    expect(shown(await search("x😀y", "^...$"))).toEqual(["1:x😀y"]);
    expect(shown(await search("Straße ÉCOLE", "école", ["-io"]))).toEqual(["1:ÉCOLE"]);
    expect(shown(await search("cat concat cat", "\\<cat\\>", ["-o"]))).toEqual(["1:cat", "1:cat"]);
  });

  // 100 kB of pattern stand for the megabyte: both are refused by their length.
  test.each([
    ["one star in another", "^(a+)+$"],
    ["two ways to read each letter", "(a|aa)+$"],
    ["twenty stars", "(.*a){20}"],
    ["a million copies", "((a{1,100}){1,100}){1,100}"],
    ["a look ahead", "(?=a)b"],
    ["a reference back", "\\1"],
    ["an open bracket", "["],
    ["a pattern of 100 kB", "a".repeat(100_000)],
  ])("hostile: %s ends in time or is refused, and the next search works", async (_, pattern) => {
    const startedAt = performance.now();
    const answer = await search(TEN_MB, pattern);
    expect(performance.now() - startedAt).toBeLessThan(LIMITS.deadlineMs + 1000);
    if (answer.ok) expect(answer.lines[0]!.text).toHaveLength(2000);
    else expect(["pattern", "timeout"]).toContain(answer.kind);
    expect(shown(await search("next", "e"))).toEqual(["1:next"]);
  });

  test("a literal is found where a simple search finds it", async () => {
    const word = fc.string({ unit: fc.constantFrom(..."ab.*[(é\\"), minLength: 1, maxLength: 4 });
    const text = fc.string({ unit: fc.constantFrom(..."aabb.*[(é\\\n\r"), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, word, async (haystack, needle) => {
        const lines = haystack.split("\n");
        if (lines.at(-1) === "") lines.pop();
        const expected = lines.flatMap((line, i) =>
          line.includes(needle) ? [`${i + 1}:${line.replace(/\r$/, "")}`] : [],
        );
        expect(shown(await search(haystack, needle, ["-F"]))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

describe("bytes that are no text", () => {
  test.each(ENGINES.slice(0, 2))("are searched as they are: %s", async (_, search) => {
    const bytes = Buffer.from([0xff, 0x61, 0x00, 0x0a, 0x62, 0xfe, 0x63, 0x0a, 0xef, 0xbb, 0xbf, 0x64, 0x0a]);
    expect(shown(await search(bytes, "a"))).toEqual(["1:\ufffda\0"]);
    expect(shown(await search(bytes, "b|d"))).toEqual(["2:b\ufffdc", "3:\ufeffd"]);
    expect(await search(bytes, "", ["-c"])).toMatchObject({ count: 3 });
  });
});

test("both engines agree on any pattern over any text", async () => {
  const pattern = fc.string({ unit: fc.constantFrom(..."aab.*+?|()[]{}^$\\1,2-dwsbB<é"), minLength: 1, maxLength: 9 });
  const text = fc.string({ unit: fc.constantFrom(..."aab1-_ é{\n\r"), maxLength: 40 });
  const options = fc.subarray(["-i", "-v", "-w", "-x", "-o", "-C1"]);
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(pattern, text, options, async (wanted, haystack, words) => {
      // A word of no letters begins in the middle of é for ripgrep, and nowhere for RE2.
      const bytes = words.includes("-w") ? haystack.replaceAll("é", "e") : haystack;
      const [ours, theirs] = await Promise.all([overFile(best)(bytes, wanted, words), overText(bytes, wanted, words)]);
      if (ours.ok) answered++;
      expect({ ...ours, ms: 0 }).toEqual({ ...theirs, ms: 0 });
    }),
    { numRuns: 400 },
  );
  expect(answered).toBeGreaterThan(50);
});

const grep = spawnSync("grep", ["--version"]);
describe.skipIf(grep.status !== 0)("GNU grep, when the machine has it (skipped where it is absent)", () => {
  let path: string;
  beforeAll(() => {
    path = fileOf(
      `${LOG}\nfoo{bar}\n{"id": 7, "a": [1,2]}\nx.y*z\nfunction f() {\n  return a[0] || b;\n}\naaa\nab12 cd\n\ttab\n`,
    );
  });
  test.each<[readonly [string, ...string[]]]>([
    [["error|warn"]],
    [["error", "-i"]],
    [["{"]],
    [['{"id"']],
    [["foo{bar}"]],
    [["a{2}"]],
    [["a{2,3}"]],
    [["(a){,2}$"]],
    [["*error*"]],
    [["+cat"]],
    [["a|*b"]],
    [["[]0]"]],
    [["a[[]0"]],
    [["[[:digit:]]{2}"]],
    [["[[:space:]]+"]],
    [["[^[:alnum:] ]"]],
    [["\\<cat"]],
    [["cat\\>"]],
    [["\\bcat\\b"]],
    [["\\w+ \\w+"]],
    [["x\\.y\\*z"]],
    [["f\\(\\)"]],
    [["a**"]],
    [["(|x)y"]],
    [["x.y*z", "-F"]],
    [["cat", "-w"]],
    [["end", "-x"]],
    [["e", "-v"]],
    [["a", "-c"]],
    [["a", "-vc"]],
    [["o", "-m", "2"]],
    [["error", "-A1", "-i"]],
    [["cat", "-B", "1"]],
    [["}", "-C", "1"]],
    [["[a-c]+", "-o"]],
  ])("finds the same lines for %j", async ([pattern, ...words]) => {
    const theirs = spawnSync("grep", ["-n", words.includes("-F") ? "-F" : "-E", ...words, "-e", pattern, path], {
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    });
    const expected = theirs.stdout
      .toString()
      .split("\n")
      .slice(0, -1)
      .filter((line) => line !== "--");
    for (const jobs of [best, re2]) {
      const answer = await jobs.grep({ path, pattern, options: words, limits: LIMITS });
      if (words.some((word) => word.includes("c"))) expect(answer).toMatchObject({ count: Number(expected[0]) });
      else expect(shown(answer)).toEqual(expected);
    }
  });
});

const HOSTILE = ["^(a+)+$", "(a|aa)+$", "(.*a){20}", "((a{1,100}){1,100}){1,100}", "(?=a)b", "\\1", "["];

test("hostile patterns over a line of 10 MB end within 2 s or are refused, and the next search works", async () => {
  const path = fileOf(TEN_MB);
  for (const pattern of [...HOSTILE, "a".repeat(1 << 20)])
    for (const [name, input] of [
      ["file", { path }],
      ["text", { text: TEN_MB }],
    ] as const) {
      const startedAt = performance.now();
      const answer = await best.grep({ ...input, pattern, options: [], limits: LIMITS });
      expect(performance.now() - startedAt, `${name} ${pattern.slice(0, 30)}`).toBeLessThan(LIMITS.deadlineMs + 1000);
      if (!answer.ok) expect(["pattern", "timeout"]).toContain(answer.kind);
      expect(shown(await overFile(best)("next", "e"))).toEqual(["1:next"]);
    }
  for (const [pattern, why] of [
    ["(?=a)b", /looks around/],
    ["\\1", /refers back/],
    ["[", /without its \]/],
    [HOSTILE[3]!, /more than 1000 times/],
  ] as const)
    expect(await best.grep({ path, pattern, options: [], limits: LIMITS })).toMatchObject({
      kind: "pattern",
      message: expect.stringMatching(why) as string,
    });
});

test("no regular expression of JavaScript is made of what a user wrote", () => {
  // Its engine goes back and forth: (a+)+$ over 29 letters stops the process for seconds.
  const root = join(import.meta.dirname, "../..");
  const sources = ["lib", "db", "app", "components", "bin"].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
      .map((name) => `${top}/${name.replaceAll("\\", "/")}`),
  );
  expect(sources.length).toBeGreaterThan(100);
  const found = sources.filter((path) => /\bRegExp\(/.test(readFileSync(join(root, path), "utf8")));
  expect(found.filter((path) => !(path in REGEXPS))).toEqual([]);
});

/** Where one is made of parts, and of which. */
const REGEXPS: Readonly<Record<string, string>> = {
  "lib/kernel/artifacts/secret-patterns.ts": "tables of ours",
  "lib/kernel/hidden-text.ts": "tables of ours",
  "lib/kernel/artifacts/cut-secrets.ts": "tables of ours, each part bounded",
  "lib/archive/base/private-findings.ts": "a pattern of ours",
  "lib/formats/cline/cline-xml-calls.ts": "names of Cline's tools",
  "lib/kernel/jq/did-you-mean.ts": "operators of a table of ours",
  "lib/kernel/load/base.ts": "a label of ours",
  "lib/kernel/private-spans.ts": "names of home folders: letters, digits, and signs that are escaped",
  "lib/kernel/log/occurrences.ts": "words, with everything escaped",
  "lib/kernel/log/word-pattern.ts": "a class of ours; words, with everything escaped",
  "lib/kernel/search/unspaced.ts": "classes of ours",
  "lib/kernel/memory/extractive/choices.ts": "tables of ours, each part bounded",
  "lib/kernel/memory/extractive/constraints.ts": "tables of ours",
  "lib/kernel/memory/reflection.ts": "categories of ours",
  "bin/demo/tools.ts": "the demo's own script",
};

const VC13 = [
  "-i",
  "-v",
  "-n",
  "-c",
  "-w",
  "-x",
  "-o",
  "-F",
  "-E",
  "-A1",
  "-B1",
  "-C1",
  "-m1",
  "-in",
  "-A",
  "2",
  "-m",
  "2",
];

test("grep takes -i -v -n -c -w -x -o -F -E and -A -B -C -m with a number, and names any other", async () => {
  expect(await best.grep({ text: "x", pattern: "x", options: VC13, limits: LIMITS })).toMatchObject({ ok: true });
  const refused = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"].filter(
    (letter) => !"ivncwxoFEABCm".includes(letter),
  );
  for (const letter of refused)
    expect(await best.grep({ text: "x", pattern: "x", options: [`-${letter}`], limits: LIMITS })).toMatchObject({
      ok: false,
      kind: "option",
      message: `option not allowed: -${letter}`,
    });
});

test.each([
  [["-r"], "option not allowed: -r"],
  [["-nr"], "option not allowed: -r"],
  [["--include=*.ts"], "option not allowed: --include=*.ts"],
  [["-f", "x"], "option not allowed: -f"],
  [["/etc/passwd"], "option not allowed: /etc/passwd"],
  [["-"], "option not allowed: -"],
  [["--"], "option not allowed: --"],
  [[""], "option not allowed: "],
  [["-P"], "option not allowed: -P"],
  [["-A"], '-A needs a number: found ""'],
  [["-m", "-n"], '-m needs a number: found "-n"'],
  [["-C1x"], '-C needs a number: found "1x"'],
])("an option that is not known is named and not passed on: %j", async (options, message) => {
  expect(await best.grep({ text: "x", pattern: "x", options, limits: LIMITS })).toMatchObject({
    ok: false,
    kind: "option",
    message,
  });
});

test.each([
  ["a{5,2}", /second number is smaller/],
  ["a{1001}", /more than 1000 times/],
  ["(a{40}){40}", /more than 1000 times/],
  ["[b-a]", /runs backwards/],
  ["[[:letter:]]", /not a class; known are alnum/],
  ["[[.a.]]", /collating class/],
  ["[abc", /\[ without its \] at character 1/],
  ["a(b", /\( without its \)/],
  ["a)b", /\) without its \(/],
  ["a\\", /single backslash/],
  ["\\q", /has \\q, which is not supported/],
  ["a\\nb", /newline/],
  ["[\\n]", /newline/],
  ["\\x0a", /newline/],
  ["a\nb", /newline or NUL/],
  ["a\0b", /newline or NUL/],
  ["\\p{Klingon}", /\\p\{…\} that is not known/],
  ["(?x)a", /not supported; use/],
  ["(?<=a)b", /looks around/],
  ["(?!a)b", /looks around/],
  ["(a)\\1", /refers back/],
  ["\ud800", /surrogate/],
  ["(".repeat(200) + ")".repeat(200), /100 deep/],
])("a pattern that no engine takes is refused with the reason: %j", async (pattern, why) => {
  const answer = await best.grep({ text: "a", pattern, options: [], limits: LIMITS });
  expect(answer).toMatchObject({ ok: false, kind: "pattern", message: expect.stringMatching(why) as string });
});

test.each(["-e", "--version", "-f/etc/passwd", "--pre=sh"])("a pattern is never an option: %s", async (pattern) => {
  const answer = await overFile(best)(`first\n${pattern}\n`, pattern);
  expect(shown(answer)).toEqual([`2:${pattern}`]);
});

test("a search in a file that is gone is not_found", async () => {
  const request = { path: join(folder, "gone"), pattern: "x", options: [], limits: LIMITS };
  await expect(best.grep(request)).rejects.toMatchObject({ code: "not_found" });
  await expect(re2.grep(request)).rejects.toMatchObject({ code: "not_found" });
});

test("a search that is late tells what it found, or that it found nothing", async () => {
  const path = fileOf(Buffer.alloc(200_000_000, `${"x".repeat(60)} hit\n`));
  const late = await best.grep({ path, pattern: "hit", options: [], limits: { ...LIMITS, deadlineMs: 60 } });
  expect(late).toMatchObject({ ok: true, isCounted: false });
  const nothing = await re2.grep({ path, pattern: "(x|h)+y$", options: [], limits: { ...LIMITS, deadlineMs: 60 } });
  expect(nothing).toMatchObject({ ok: false, kind: "timeout" });
  rmSync(path);
});

test("a search that nobody waits for is stopped", async () => {
  const stop = new AbortController();
  const request = {
    text: "a".repeat(5_000_000),
    pattern: "(a?){500}b",
    options: [],
    limits: LIMITS,
    signal: stop.signal,
  };
  const search = re2.grep(request);
  setTimeout(() => stop.abort(), 20);
  await expect(search).rejects.toMatchObject({ name: "AbortError" });
  expect(shown(await overText("next", "e"))).toEqual(["1:next"]);
});

test("timers fire while a hostile pattern runs: the event loop is free", async () => {
  const stop = new AbortController();
  const limits = { ...LIMITS, deadlineMs: 60_000 };
  const request = { text: "a".repeat(1_000_000), pattern: "(a?){300}", options: ["-o"], limits, signal: stop.signal };
  let isAnswered = false;
  const search = re2.grep(request).finally(() => (isAnswered = true));
  search.catch(() => undefined);
  // The search takes many seconds. Where it held the loop, it would be answered before the timers fire.
  for (let fired = 0; fired < 20; fired++) await sleep(1);
  expect(isAnswered).toBe(false);
  stop.abort();
  await expect(search).rejects.toMatchObject({ name: "AbortError" });
});
