import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { caseRows, isMet } from "./accounting.ts";
import { CASES } from "./accounting/cases.ts";
import { compareDays, isDayExplained } from "./accounting/ccusage-days.ts";
import { compareWithCcusage, hasData, isExplained } from "./accounting/ccusage.ts";
import { entryOf } from "./bundle.mjs";

if (!hasData())
  console.warn("accounting.test.ts: ../shared/data is absent; the collected sessions are NOT compared with ccusage.");

test.each(CASES)("$name", async (one) => {
  const rows = await caseRows(one);
  expect(rows.length).toBeGreaterThan(8);
  expect(rows.filter((row) => !isMet(row))).toEqual([]);
});

test("a figure that differs by a hundredth of a cent is seen", async () => {
  const [one] = CASES;
  const [expected] = one!.expected;
  const rows = await caseRows({ ...one!, expected: [{ ...expected!, usd: expected!.usd! + 0.0001 }] });
  expect(rows.filter((row) => !isMet(row)).map(({ name }) => name)).toEqual(["1 usd"]);
});

test("the command line says the same", () => {
  const dir = mkdtempSync(join(tmpdir(), "plimsoll-accounting-"));
  try {
    const [{ files, expected }] = CASES as [(typeof CASES)[0]];
    const [[name, lines]] = Object.entries(files) as [[string, readonly object[]]];
    const path = join(dir, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const run = (...args: string[]): string =>
      spawnSync(process.execPath, [entryOf("bin/plimsoll.ts"), ...args], {
        encoding: "utf8",
        env: { ...process.env, HOME: dir, PLIMSOLL_ARCHIVE: join(dir, "archive") },
      }).stdout;
    run("import", path);
    const shown = JSON.parse(run("show", expected[0]!.session, "--json")) as { cost: unknown };
    expect(shown.cost).toMatchObject({ usd: expect.closeTo(expected[0]!.usd!, 8), origin: "list", atLeast: [] });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

describe.skipIf(!hasData())("the collected sessions", () => {
  test("cost what ccusage says, to the cent, or each difference has its cause", { timeout: 120_000 }, async () => {
    const rows = await compareWithCcusage();
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => !isExplained(row))).toEqual([]);
    // The calls that only progress lines hold: $0.08 and $0.29.
    const progress = rows.reduce((sum, { causes }) => sum + (causes.get("progress") ?? 0), 0);
    expect(progress).toBeCloseTo(0.3664, 4);
    // What is left over is seen: a cause that is taken away leaves its dollars.
    const one = rows.find(({ causes }) => causes.has("one hour"))!;
    expect(isExplained({ ...one, left: one.left + one.causes.get("one hour")! })).toBe(false);
  });

  test("each day is what ccusage says of it, or differs by causes that add up", { timeout: 120_000 }, async () => {
    const rows = await compareDays();
    expect(rows.length).toBeGreaterThan(12);
    expect(rows.filter((row) => !isDayExplained(row))).toEqual([]);
    expect(rows.filter(({ causes }) => causes.size === 0).length).toBeGreaterThan(0);
    const one = rows.find(({ causes }) => (causes.get("first line") ?? 0) > 1)!;
    expect(isDayExplained({ ...one, left: one.causes.get("first line")! })).toBe(false);
  });
});
