// What the editor says of jq, against jq itself: every function that this build has, and every example.
import { afterAll, describe, expect, test } from "vitest";
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
  const told = JQ_FUNCTIONS.map(({ name, parameters }) => `${name}/${parameters.length}`);
  expect(names.length).toBeGreaterThan(200);
  expect(told.toSorted()).toEqual(names.toSorted());
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
