import { describe, expect, test } from "vitest";
import { firstSeqOf, loadOf, type ItemSpec, type LoadSpec } from "../testing-ledger.ts";
import { seenLines } from "../seen-lines.ts";
import { cacheBreak } from "./cache-break.ts";
import { compactionThrash } from "./compaction-thrash.ts";
import { fanOut } from "./fan-out.ts";
import { DETECT } from "./index.ts";
import { memoryFile } from "./memory-file.ts";
import { oversizedOutput } from "./oversized-output.ts";
import { reRead } from "./re-read.ts";
import { reasoning } from "./reasoning.ts";
import { retryLoop } from "./retry-loop.ts";
import { staleResult } from "./stale-result.ts";
import { DETECTORS, type EventFacts } from "./culprit-types.ts";
import { unusedSchemas } from "./unused-schemas.ts";

/** Results one a call from `from` on, with facts of each: seqs 1, 2, 3, … are out of the way of the calls'. */
function results(
  count: number,
  tokens: number,
  more: (i: number) => Partial<EventFacts> & { readonly item?: Partial<ItemSpec> },
  from = 1,
): Pick<LoadSpec, "items" | "facts"> {
  const made = Array.from({ length: count }, (_, i) => {
    const { item, ...facts } = more(i);
    return { item: { tokens, from: from + i, seq: i + 1, ...item }, facts: { seq: i + 1, ...facts } };
  });
  return { items: made.map(({ item }) => item), facts: made.map(({ facts }) => facts) };
}

test("every detector is in the registry under its own name", () => {
  expect(Object.keys(DETECT)).toEqual([...DETECTORS]);
});

describe("oversized output", () => {
  // 3 % of 160,000 are 4,800.
  const one = (tokens: number, facts: Partial<EventFacts> = {}, loadLine = 160_000) =>
    oversizedOutput(
      loadOf({
        calls: 5,
        items: [{ tokens, from: 1, seq: 7, label: "Read a.ts" }],
        facts: [{ seq: 7, ...facts }],
        loadLine,
      }),
    );

  test("an output over 3 % of the line is named, with what an envelope would leave", () => {
    expect(one(4801)).toMatchObject([
      { seq: 7, tokens: 4801, from: 1, last: 4, confidence: 0.9, cure: { do: "trim", seqs: [7], keep: [250] } },
    ]);
    expect(one(4800)).toEqual([]);
  });

  test("one that was used is less sure, and leaves the lines that were needed", () => {
    expect(one(9000, { lastUsed: 3 })).toMatchObject([{ confidence: 0.7, lastUsed: 3, cure: { keep: [2000] } }]);
  });

  test("a file that was read twice is one culprit, another is another", () => {
    const file = (path: string) => ({ path, item: { label: `Read ${path}` } });
    const session = loadOf({ calls: 5, ...results(3, 9000, (i) => file(i < 2 ? "a.ts" : "b.ts")) });
    expect(oversizedOutput(session)).toMatchObject([
      { label: "Read a.ts 2×", seqs: [1, 2], tokens: 18_000, cure: { do: "trim", keep: [250, 250] } },
      { label: "Read b.ts", seqs: [3] },
    ]);
  });

  test("the mark is never under 4,000 nor over 10,000 tokens", () => {
    expect(one(4001, {}, 20_000)).toHaveLength(1);
    expect(one(4000, {}, 20_000)).toHaveLength(0);
    expect(one(10_001, {}, 1_000_000)).toHaveLength(1);
    expect(one(10_000, {}, 1_000_000)).toHaveLength(0);
  });

  test.each([
    ["Read", {}, "Offload it, then grep"],
    ["Read", { lastUsed: 2 }, "Read only the lines needed"],
    ["Read", { range: { start: 1, lines: 1500 } }, "Read fewer than 1,500 lines at once"],
    ["Grep", {}, "Narrow it, or list files only"],
    ["write_stdin", {}, "Call write_stdin with a limit on its output"],
    ["exec_command", { command: "cat big.json" }, "Read fewer lines at once"],
    ["Bash", { command: "npm test" }, "Offload it, then grep"],
    ["Write", { writes: true }, "Edit parts, not the whole file"],
  ])("%s %j: %s", (toolName, facts, fix) => {
    const session = loadOf({
      calls: 3,
      items: [{ tokens: 9000, from: 1, seq: 7, toolName }],
      facts: [{ seq: 7, ...facts }],
    });
    expect(oversizedOutput(session)[0]!.fix).toBe(fix);
  });
});

describe("stale result", () => {
  const lump = (count: number, facts: (i: number) => Partial<EventFacts> = () => ({})) =>
    staleResult(loadOf({ calls: 100, ...results(count, 3000, facts) }));

  test("an exploration of a fifth of the line that nobody named again is cleared at once", () => {
    const [suspect, ...more] = lump(12);
    expect(more).toEqual([]);
    // 22 % of 160,000 are 35,200: twelve of 3,000 are over it. The last came at call 12, and is stale at 32; nine tenths before.
    expect(suspect).toMatchObject({ tokens: 36_000, confidence: 0.5, lastUsed: null, cure: { do: "drop", at: 30 } });
    expect(suspect!.seqs).toHaveLength(12);
    expect(suspect!.label).toBe("item 1 and 11 more old results");
    expect(lump(11)).toEqual([]);
  });

  test("what is named again waits until its last use is twenty calls ago", () => {
    expect(lump(12, () => ({ lastUsed: 50 }))).toMatchObject([{ lastUsed: 50, confidence: 0.3, cure: { at: 70 } }]);
    expect(lump(12, () => ({ lastUsed: 85 }))).toEqual([]);
  });

  test("results that came far apart are no exploration", () => {
    const apart = results(12, 3000, (i) => ({ item: { from: 1 + i * 4 } }));
    expect(staleResult(loadOf({ calls: 100, ...apart }))).toEqual([]);
  });

  test("what a compaction took in time is not named", () => {
    expect(staleResult(loadOf({ calls: 100, ...results(12, 3000, () => ({ item: { to: 20 } })) }))).toEqual([]);
  });
});

/** Lines of a file by their numbers. */
const lines = (from: number, to: number, name = "a") =>
  seenLines(Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i} of ${name}`).join("\n"));

describe("re-read", () => {
  const read = (facts: readonly Partial<EventFacts>[], more: readonly Partial<ItemSpec>[] = []) =>
    reRead(
      loadOf({
        calls: 20,
        ...results(facts.length, 3000, (i) => ({
          path: "/a.ts",
          reading: "lines",
          lines: lines(1 + 900 * i, 200 + 900 * i),
          outputKey: `bytes ${i}`,
          ...facts[i],
          item: more[i] ?? {},
        })),
      }),
    );
  const same = { outputKey: "x" };

  test("the same bytes again are certain waste, and lead to the first", () => {
    const found = read([same, same, same]);
    expect(found).toMatchObject([
      {
        seqs: [2, 3],
        confidence: 1,
        tokens: 6000,
        fix: "Ask it to use what call 2 read",
        cure: { do: "omit", seqs: [2, 3] },
      },
    ]);
    expect(found[0]!.label).toBe("item 2 again 2×");
  });

  test("lines that were there are waste, those that were not are left", () => {
    expect(read([{ lines: lines(1, 200) }, { lines: lines(51, 210) }])).toMatchObject([
      { seqs: [2], confidence: 0.6, cure: { do: "trim", seqs: [2], keep: [expect.closeTo(190, -1)] } },
    ]);
  });

  test("reading on is not reading again, whatever range was asked for", () => {
    const range = { start: 1, lines: 2000 };
    expect(read([{ lines: lines(1, 200) }, { lines: lines(120, 320) }])).toEqual([]);
    expect(
      read([
        { range, lines: lines(1, 200) },
        { range, lines: lines(500, 700) },
      ]),
    ).toEqual([]);
  });

  test("a search is one only where it shows lines that were there", () => {
    const search = { path: null, inputKey: "Grep todo" };
    expect(read([{ lines: lines(1, 200) }, { ...search, lines: lines(40, 44) }])).toMatchObject([{ seqs: [2] }]);
    expect(read([{ lines: lines(1, 200) }, { ...search, lines: lines(40, 44, "b") }])).toEqual([]);
    expect(read([{ ...search, lines: lines(40, 44) }, { lines: lines(1, 200) }])).toEqual([]);
  });

  test("a part of each of two earlier readings is all of it", () => {
    const parts = [{ lines: lines(1, 100) }, { lines: lines(101, 200) }, { lines: lines(40, 160) }];
    expect(read(parts)).toMatchObject([{ seqs: [3] }]);
  });

  test("like lines of another file are not it; one name from two places is", () => {
    const twice = (path: string) => read([{ lines: lines(1, 200) }, { path, lines: lines(1, 200) }]);
    expect(twice("/b.ts")).toEqual([]);
    expect(twice("a.ts")).toHaveLength(1);
    expect(
      read([
        { path: "D:\\src\\a.ts", lines: lines(1, 9) },
        { path: "a.ts", lines: lines(1, 9) },
      ]),
    ).toHaveLength(1);
  });

  test("a file that was changed in between was read for a reason", () => {
    const changed = (more: Partial<EventFacts>) =>
      read([{ lines: lines(1, 200) }, { lines: null, reading: null, ...more }, { lines: lines(1, 200) }]);
    expect(changed({})).toHaveLength(1);
    expect(changed({ writes: true })).toEqual([]);
    expect(changed({ writes: true, path: "/b.ts" })).toHaveLength(1);
    expect(changed({ writes: true, path: "/b.ts", patches: ["/b.ts", "/a.ts"] })).toEqual([]);
  });

  test("a copy that had left the context, or came in the same answer, is no copy", () => {
    const reads = [same, { path: "/b.ts" }, { path: "/c.ts" }, same];
    expect(read(reads, [{ to: 3 }])).toEqual([]);
    expect(read(reads)).toMatchObject([{ seqs: [4] }]);
    expect(read([same, same], [{ from: 1 }, { from: 1 }])).toEqual([]);
  });

  test("the same question with the same answer counts without a path; the same answer to another does not", () => {
    const ask = { path: null, inputKey: "Glob *.ts", outputKey: "x", reading: "bytes", lines: null } as const;
    expect(read([ask, ask])).toMatchObject([{ seqs: [2], confidence: 1 }]);
    expect(read([ask, { ...ask, outputKey: "y" }])).toEqual([]);
    expect(read([ask, { ...ask, inputKey: "Glob *.js" }])).toEqual([]);
  });

  test("failures and runs are not reads", () => {
    const failed = { outputKey: "x", isError: true };
    expect(read([failed, failed])).toEqual([]);
    const run = { outputKey: "x", reading: null, inputKey: "npm test" };
    expect(read([run, run])).toEqual([]);
  });
});

describe("fan-out", () => {
  const fan = (count: number, tokens: number, apart: number, toolName = "Grep") =>
    fanOut(
      loadOf({
        calls: 60,
        ...results(count, tokens, (i) => ({ item: { from: 1 + Math.floor(i * apart), toolName } })),
      }),
    );

  test("a dozen outputs of one tool within four calls", () => {
    expect(fan(12, 800, 0.25)).toMatchObject([
      {
        label: "Grep 12× at once",
        tokens: 9600,
        cure: { do: "shrink", keep: 250 },
        fix: "Ask once with one pattern, not 12 times",
      },
    ]);
    expect(fan(11, 900, 0.25)).toEqual([]);
    expect(fan(12, 600, 0.25)).toEqual([]);
  });

  test("one output a call is work, not a fan", () => expect(fan(50, 800, 1)).toEqual([]));

  test("a long fan is one", () => expect(fan(30, 800, 0.25)).toMatchObject([{ label: "Grep 30× at once" }]));

  test("outputs that are large by themselves are not its", () => expect(fan(12, 5000, 0.25)).toEqual([]));
});

describe("unused schemas", () => {
  const tool = (name: string, server: string | null, calls: number, seq: number | null = null) => ({
    name,
    server,
    tokens: 500,
    calls,
    seq,
  });

  test("a server that nothing called is turned off, one that was used is narrowed", () => {
    const schemas = [
      ...Array.from({ length: 14 }, (_, i) => tool(`linear_${i}`, "linear", 0)),
      tool("wiki_find", "wiki", 3),
      tool("wiki_open", "wiki", 0),
      tool("Read", null, 9),
    ];
    expect(unusedSchemas(loadOf({ calls: 10, schemas }))).toMatchObject([
      {
        label: "MCP server linear: 14 tools never called",
        tokens: 7000,
        confidence: 0.95,
        fix: "Turn off the MCP server linear: 14 tools, none called",
        cure: { do: "prefix", tokens: 7000 },
      },
      { label: "MCP server wiki: 1 of 2 tools never called", tokens: 500, fix: "Allow only 1 of wiki's 2 tools" },
    ]);
  });

  test("a listing that is in the file is an item of its own", () => {
    const session = loadOf({
      calls: 4,
      items: [{ tokens: 500, from: 0, seq: 3, kind: "prefix", itemClass: "listing" }],
      schemas: [tool("list of skills", null, 0, 3)],
    });
    expect(unusedSchemas(session)).toMatchObject([{ seq: 3, seqs: [3], cure: { do: "omit", seqs: [3] } }]);
  });
});

describe("memory file", () => {
  const file = (spec: Partial<ItemSpec>) =>
    memoryFile(
      loadOf({
        calls: 9,
        items: [{ tokens: 7000, from: 0, seq: 3, kind: "memory", itemClass: "note", label: "CLAUDE.md", ...spec }],
      }),
    );

  test("instructions over 4,000 tokens are named, and trimmed to 2,000", () => {
    expect(file({})).toMatchObject([
      { seq: 3, cure: { do: "shrink", keep: 2000 }, fix: "Trim CLAUDE.md to what every turn needs" },
    ]);
    expect(file({ tokens: 3999 })).toEqual([]);
  });

  test("the summary of a compaction is no memory file", () => expect(file({ itemClass: "summary" })).toEqual([]));

  test("AGENTS.md comes in the user's name, and is told by its first line", () => {
    const label = "# AGENTS.md instructions for /repo <INSTRUCTIONS> Be brief";
    expect(file({ kind: "user", itemClass: "user", label })).toMatchObject([{ label: "AGENTS.md" }]);
    expect(file({ kind: "user", itemClass: "user", label: "Read AGENTS.md, please" })).toEqual([]);
  });

  test("one file that comes again with each epoch is one culprit", () => {
    const copy = { tokens: 7000, kind: "memory", itemClass: "note", label: "CLAUDE.md" } as const;
    const session = loadOf({
      calls: 9,
      items: [
        { ...copy, from: 0, to: 4, seq: 3 },
        { ...copy, from: 4, seq: 500 },
      ],
    });
    expect(memoryFile(session)).toMatchObject([{ seqs: [3, 500], tokens: 7000, from: 0, last: 8 }]);
  });
});

describe("reasoning", () => {
  const thoughts = (tokens: number) =>
    reasoning(
      loadOf({
        calls: 40,
        ...results(30, tokens, () => ({ item: { kind: "reasoning", itemClass: "reasoning", toolName: null } })),
      }),
    );

  test("thinking that makes a fifth of what an epoch sent is halved", () => {
    expect(thoughts(600)).toMatchObject([
      { label: "Reasoning of epoch 1: 30 blocks", tokens: 18_000, cure: { do: "shrink", keep: 300 } },
    ]);
    expect(thoughts(100)).toEqual([]);
  });

  test("the cap halves the sum, whatever the sizes are", () => {
    const uneven = results(30, 0, (i) => ({ item: { kind: "reasoning", tokens: 100 * (i + 1) } }));
    const [suspect] = reasoning(loadOf({ calls: 40, ...uneven }));
    const keep = suspect!.cure.do === "shrink" ? suspect!.cure.keep : 0;
    const kept = uneven.items!.reduce((sum, { tokens }) => sum + Math.min(tokens, keep), 0);
    expect(kept / suspect!.tokens).toBeCloseTo(0.5, 1);
  });
});

describe("cache break", () => {
  test("breaks of one cause are one culprit, that leads to the largest", () => {
    const session = loadOf({
      calls: 10,
      items: [{ tokens: 50_000, from: 5 }],
      at: { 3: { read: 0, minutes: 30 }, 7: { read: 0, minutes: 9 } },
    });
    expect(cacheBreak(session)).toMatchObject([
      {
        label: "Cache expired while idle (2×)",
        seq: firstSeqOf(7),
        seqs: [firstSeqOf(3), firstSeqOf(7)],
        tokens: 70_000,
        cure: { do: "keep-cache", calls: [3, 7] },
      },
    ]);
  });
});

describe("advice for a lost cache names what a person can do", () => {
  const fixes = (spec: Partial<LoadSpec>) =>
    cacheBreak(loadOf({ calls: 8, prefix: 20_000, ...spec })).map(({ fix }) => fix);
  const came = (kind: "user" | "prefix") => [
    { tokens: 200, from: 4, seq: 7, kind, itemClass: kind === "user" ? ("user" as const) : ("listing" as const) },
  ];

  test.each([
    ["Reply within 5 minutes or use the 1-hour cache", { at: { 4: { read: 0, minutes: 12 } } }],
    ["Reply within an hour, or compact before a break", { write1h: 1, at: { 4: { read: 0, minutes: 90 } } }],
    [
      "Reply within 40 minutes: this cache lasts no longer",
      { writes: false, at: { 2: { minutes: 40 }, 4: { read: 0, minutes: 55 } } },
    ],
    ["Put follow-ups into one prompt", { items: came("user"), at: { 4: { read: 0 } } }],
    ["Don't change tools or system prompt mid-session", { items: came("prefix"), at: { 4: { read: 0 } } }],
    ["Check what changed before call 5", { at: { 4: { read: 0 } } }],
  ] satisfies [string, Partial<LoadSpec>][])("%s", (fix, spec) => expect(fixes(spec)).toEqual([fix]));
});

describe("compaction thrash", () => {
  // The cut is an event between calls 9 and 10, as indexes.
  const cut = { seq: firstSeqOf(10) - 50 };
  const files = (count: number, tokens: number, to = 10) => {
    const path = (i: number) => ({ path: `/f${i}.ts`, reading: "lines" as const, lines: lines(1, 90, `f${i}`) });
    const before = results(count, tokens, (i) => ({ ...path(i), item: { from: 2, to } }));
    const again = results(count, tokens, (i) => ({ ...path(i), seq: 50 + i, item: { from: 12, seq: 50 + i } }));
    return {
      calls: 60,
      at: { 10: { epoch: 2 } },
      compactions: [cut],
      items: [...before.items!, ...again.items!],
      facts: [...before.facts!, ...again.facts!],
    };
  };

  test("three files read again after a cut, 5 % of the line together", () => {
    expect(compactionThrash(loadOf(files(3, 3000)))).toMatchObject([
      { seq: cut.seq, seqs: [50, 51, 52], label: "3 re-reads after compaction", cure: { do: "trim" } },
    ]);
    expect(compactionThrash(loadOf(files(2, 3000)))).toEqual([]);
    expect(compactionThrash(loadOf(files(3, 2500)))).toEqual([]);
  });

  test("a file that had left before the cut was not cut by it", () => {
    expect(compactionThrash(loadOf(files(3, 3000, 8)))).toEqual([]);
  });

  test("other lines of a file are not what was cut", () => {
    const spec = files(3, 3000);
    const facts = spec.facts.map((one) =>
      one.seq >= 50 ? { ...one, lines: lines(200, 290, `f${one.seq - 50}`) } : one,
    );
    expect(compactionThrash(loadOf({ ...spec, facts }))).toEqual([]);
  });

  const floors = (prefix: number, every: number) => {
    const cuts = [every, 2 * every, 3 * every];
    return loadOf({
      calls: 4 * every,
      items: [{ tokens: prefix, from: every, seq: null, kind: "prefix" }],
      at: Object.fromEntries(cuts.map((k, i) => [k, { epoch: i + 2 }])),
      compactions: cuts.map((k) => ({ seq: firstSeqOf(k) - 50 })),
    });
  };

  test("contexts that start over 35 % of the line and do not last 40 calls", () => {
    const [suspect] = compactionThrash(floors(60_000, 30));
    expect(suspect).toMatchObject({ label: "3 compactions, each starting again at 44 %", tokens: 60_000, from: 30 });
    expect(suspect!.cure).toEqual({ do: "prefix", tokens: 60_000, from: 30, to: 120 });
    expect(compactionThrash(floors(40_000, 30))).toEqual([]);
    expect(compactionThrash(floors(60_000, 45))).toEqual([]);
  });
});

describe("retry loop", () => {
  const fails = (count: number, more: (i: number) => Partial<EventFacts> = () => ({})) =>
    retryLoop(
      loadOf({ calls: 20, ...results(count, 2000, (i) => ({ inputKey: "npm test", isError: true, ...more(i) })) }),
    );

  test("three failures alike: all but the first are waste", () => {
    expect(fails(3)).toMatchObject([
      {
        seqs: [2, 3],
        tokens: 4000,
        label: "item 2 failed 3 times",
        fix: "Interrupt repeats of call 2: fix the cause first",
      },
    ]);
    expect(fails(2)).toEqual([]);
  });

  test("a change in between, or a success, begins anew", () => {
    expect(fails(5, (i) => (i === 2 ? { inputKey: "edit", writes: true, isError: false } : {}))).toEqual([]);
    expect(fails(5, (i) => (i === 2 ? { isError: false } : {}))).toEqual([]);
  });
});

test("all advice is one line under 60 characters", () => {
  const session = loadOf({
    calls: 3,
    items: [{ tokens: 90_000, from: 1, seq: 7, toolName: `mcp__${"server".repeat(9)}__tool` }],
    facts: [{ seq: 7 }],
    schemas: [{ name: "a", server: "server".repeat(20), tokens: 900, calls: 0, seq: null }],
  });
  for (const detector of DETECTORS)
    for (const { fix } of DETECT[detector](session)) expect(fix.length, fix).toBeLessThan(60);
});
