// What the editor says of jq, against jq itself: every function that this build has, and every example.
import { afterAll, describe, expect, test } from "vitest";
import { CHEAT_GROUPS, CHEAT_SHEET } from "#lib/kernel/jq/cheat-sheet.ts";
import { FORMATS, JQ_FUNCTIONS, KEYWORDS, signatureOf, type JqFunction } from "#lib/kernel/jq/functions.ts";
import { createJobs } from "./index.ts";

const jobs = createJobs();
afterAll(() => jobs.close());

async function run(program: string, text: string): Promise<string> {
  const limits = { deadlineMs: 20_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 100_000 };
  const answer = await jobs.jq({ text, program, options: { compact: true }, limits });
  return answer.ok ? answer.output.trim() : `failed: ${answer.message}`;
}

test("every function of this jq is told, and none besides", async () => {
  const names = JSON.parse(await run("builtins", "null")) as string[];
  const result = JQ_FUNCTIONS.map(({ name, parameters }) => `${name}/${parameters.length}`);
  expect(names.length).toBeGreaterThan(200);
  expect(result.toSorted()).toEqual(names.toSorted());
});

const holds = ({ says }: JqFunction): void => {
  expect(says).toMatch(/^[A-Z0-9].*\.$|^true and|^e to the|^x /su);
  expect(says.length).toBeLessThan(120);
};

describe("examples give what they say", () => {
  const all = [...JQ_FUNCTIONS, ...FORMATS];
  // A line whose parts are not five would have no output.
  test.each(all.map((one) => [signatureOf(one), one] as const))("%s", async (_, one) => {
    holds(one);
    const { program, input, output } = one.example;
    expect(program).toContain(one.name);
    expect((await run(program, input)).split("\n").join(" ")).toBe(output);
  });
});

test("keywords are those of the language: as names of functions they are refused", async () => {
  for (const { name } of KEYWORDS.filter(({ name }) => !["true", "false", "null"].includes(name)))
    expect(await run(`def f: 1; f | ${name} |`, "null")).toContain("syntax error");
});

const EXPECTED: Readonly<Record<string, string>> = {
  "One field": "Breakwater",
  "A field of each element": '"MV Tern"\n"MV Skua"\n"MV Knot"',
  "A field that may be missing": '"mate"\n"nobody"\n"boatswain"\n"mate"',
  "Elements that meet a condition":
    '{"at":"2026-01-15T09:00:00Z","fathoms":3.5,"ground":"sand","by":"mate"}\n' +
    '{"at":"2026-01-15T09:20:00Z","fathoms":1.5,"ground":"mud","by":"boatswain"}',
  "How many meet two conditions": "2",
  "Elements whose text matches": '"MV Skua"\n"MV Knot"',
  "Elements with a word in their list": '"MV Tern"\n"MV Knot"',
  "Fewer fields, other names":
    '[{"ship":"MV Tern","deep":3},{"ship":"MV Skua","deep":4.5},{"ship":"MV Knot","deep":3.4}]',
  "Change a value in place": '["owing","paid","paid"]',
  "Rename every key": '{"PORT":"Rye","TIDE":"high"}',
  "A list as a lookup": '{\n  "MV Tern": "north quay",\n  "MV Skua": "dry dock",\n  "MV Knot": "north quay"\n}',
  "One row for each entry of an inner list":
    '[{"ship":"MV Tern","needs":"fuel"},{"ship":"MV Tern","needs":"water"},{"ship":"MV Knot","needs":"water"}]',
  "Count by a key": '[{"ground":"mud","count":1},{"ground":"rock","count":1},{"ground":"sand","count":2}]',
  Average: "5",
  "Greatest of each group, from JSON lines": '[{"port":"Hull","highest":7.1},{"port":"Rye","highest":6.4}]',
  "Count JSON lines without holding them": '{"Rye":3,"Hull":2}',
  "Each value once": '["mud","rock","sand"]',
  "A sentence for each element":
    "MV Tern lies at the north quay\nMV Skua lies at the dry dock\nMV Knot lies at the north quay",
  "Fields out of a log line": '{"at":"2026-01-13T02:00:00Z","level":"WARN","says":"settings.json changed"}',
  "Names without folder and ending": '["5d1f","90ab"]',
  "The hour of a time": "09:00\n09:10\n09:20\n09:30",
  "Minutes from the first to the last": "30",
  "CSV with a header":
    '"day","file","step","ms"\n"2026-01-12","harbour/5d1f.jsonl","parse",164\n' +
    '"2026-01-12","harbour/5d1f.jsonl","flush",82\n"2026-01-13","quay/90ab.jsonl","parse",170\n' +
    '"2026-01-13","quay/90ab.jsonl","flush",6519',
  "Columns with tabs between them": "MV Tern\tnorth quay\t3\nMV Skua\tdry dock\t4.5\nMV Knot\tnorth quay\t3.4",
  "Columns and rows to objects": '[{"port":"Rye","metres":6.2},{"port":"Hull","metres":7.1}]',
  "Find where a value is": '["bookings.0.berth","bookings.2.berth"]',
  "Objects with a key, however deep": '["MV Tern","MV Skua","MV Knot"]',
  "What an unknown output is made of": '{"harbour":"string","bookings":"array","next":"null"}',
  "JSON in a text of a tool result": "2",
  "The slowest rows of one day":
    '[{"file":"quay/90ab.jsonl","step":"flush","ms":6519},{"file":"quay/90ab.jsonl","step":"parse","ms":170}]',
};

describe("the cheat sheet", () => {
  test("thirty examples, in groups that all have some", () => {
    expect(CHEAT_SHEET).toHaveLength(30);
    expect([...new Set(CHEAT_SHEET.map(({ group }) => group))]).toEqual([...CHEAT_GROUPS]);
    expect(CHEAT_SHEET.map(({ title }) => title).toSorted()).toEqual(Object.keys(EXPECTED).toSorted());
  });

  test.each(CHEAT_SHEET.map((one) => [one.title, one] as const))(
    "%s",
    async (title, { program, input, options = {} }) => {
      const { raw = false, slurp = false, nullInput = false, compact = false, args = {} } = options;
      const answer = await jobs.jq({
        text: input,
        program,
        options: { raw_output: raw, slurp, null_input: nullInput, compact, args },
        isJsonLines: /\}\n\{/.test(input),
        limits: { deadlineMs: 20_000, memoryBytes: 256 * 1024 * 1024, outputBytes: 100_000 },
      });
      expect(answer).toMatchObject({ ok: true });
      expect(answer.output.trimEnd()).toBe(EXPECTED[title]);
    },
  );
});
