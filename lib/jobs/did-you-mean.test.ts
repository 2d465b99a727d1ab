// Mistakes of people who are new to jq, run by jq itself: its own message leads to the program that was meant.
import { afterAll, expect, test } from "vitest";
import { LIMITS } from "#lib/kernel/limits.ts";
import { meantPrograms } from "#lib/kernel/jq/did-you-mean.ts";
import { createJobs } from "./index.ts";

const jobs = createJobs();
afterAll(() => jobs.close());

const run = (text: string, program: string) =>
  jobs.jq({
    text,
    program,
    options: { compact: true },
    limits: { deadlineMs: 5000, memoryBytes: LIMITS.jqMemoryBytes, outputBytes: 10_000 },
  });

/** The first program that was meant and that runs. */
async function meant(text: string, program: string, keys: readonly string[]): Promise<string | null> {
  const failed = await run(text, program);
  if (failed.ok) throw new Error(`${program} did not fail`);
  for (const one of meantPrograms(program, failed, keys)) if ((await run(text, one)).ok) return one;
  return null;
}

const LIST = '[{"status":"failed","a":{"b":1}},{"status":"ok","a":{"b":2}}]';
const BOX = '{"items":[{"status":"failed","name":"x"}],"owner":{"name":"y"},"size":3}';
const KEYS = ["items", "status", "name", "owner", "a", "b", "size"];

test.each([
  [LIST, 'select(.status == "failed")', 'map(select(.status == "failed"))'],
  [LIST, '. | select(.status == "failed") | length', '. | map(select(.status == "failed")) | length'],
  [LIST, ".status", ".[].status"],
  [LIST, ".a.b", ".[].a.b"],
  [LIST, "[].status", ".[].status"],
  [LIST, 'filter(.status == "ok")', 'map(select(.status == "ok"))'],
  [LIST, 'map(select(status == "ok"))', 'map(select(.status == "ok"))'],
  [LIST, "map(select(.status == 'ok'))", 'map(select(.status == "ok"))'],
  [LIST, "'.[0].a'", ".[0].a"],
  [LIST, "jq '.[0]'", ".[0]"],
  [LIST, 'map(select(.status == "ok" && .a.b == 2))', 'map(select(.status == "ok" and .a.b == 2))'],
  [BOX, ".items.name", ".items[].name"],
  [BOX, '.items | select(.status == "failed")', '.items | map(select(.status == "failed"))'],
  [BOX, "items", ".items"],
  [BOX, "items | count", ".items | length"],
  [BOX, ".owner[].name", ".owner.name"],
  [BOX, ".itens[]", ".items[]"],
])("of %s: %s meant %s", async (text, program, expected) => {
  expect(await meant(text, program, KEYS)).toBe(expected);
});

test("nothing is offered where no guess runs", async () => {
  expect(await meant(BOX, ".size.name", KEYS)).toBe(null);
  expect(await meant(BOX, ".items[", KEYS)).toBe(null);
  expect(await meant(BOX, 'error("no")', KEYS)).toBe(null);
});
