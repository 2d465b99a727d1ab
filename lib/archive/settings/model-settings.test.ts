// What a person sets of models: it comes before what was observed, and figures that were there follow it.
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  answer,
  idOf,
  jsonl,
  line,
  prompt,
  text,
  used,
  type AnswerOptions,
  type Rec,
} from "#lib/formats/claude-code/testing-claude.ts";
import { modelOverrides, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { publicSessionId } from "../base/row-keys.ts";
import { overridesOf, ratesOf } from "../base/model-overrides.ts";
import { followPrices, readModels, resumeModels, saveModels } from "./model-settings.ts";
import { isSettling, saveModelsWrite, settleModelsWrite } from "./apply-models.ts";
import { putSetting } from "../base/setting-rows.ts";
import { usageReport } from "../load/usage-report.ts";
import { showSession } from "../sessions/show-session.ts";
import { dumpOf, hostPriced, inArchive, put, withRecords } from "../testing-archive.ts";
import { write } from "../base/write.ts";

const overrides = (...list: object[]): ModelOverride[] => modelOverrides.parse(list);

/** Two calls of 100,000 tokens and 10 of output each, and one before with a model of its own. */
function run(label: string, cwd: string, model: string, more: Rec[] = []): [string, Rec[]] {
  const id = idOf(label);
  const o: AnswerOptions = { model, usage: used(1000, 90_000, 9000, 10) };
  const records = [
    prompt(`${label} p`, 1, "Look at the tides"),
    answer(`${label} c`, 2, `${label} 3`, text("High?"), { ...o, model: "small-1", usage: used(500, 0, 0, 5) }),
    answer(`${label} a`, 3, `${label} 1`, text("I look"), o),
    answer(`${label} b`, 4, `${label} 2`, text("I see"), o),
    ...more,
  ];
  return [`${id}.jsonl`, records.map((record) => ({ ...record, sessionId: id, cwd }))];
}

const compacted = line("system", "boundary", 9, {
  subtype: "compact_boundary",
  compactMetadata: { trigger: "auto", preTokens: 150_000 },
});
const FILES = [
  run("web", "/home/ada/web", "big-1"),
  run("site", "/home/ada/website", "big-1"),
  run("full", "/home/ada/web/app", "big-2", [compacted]),
];

const withFiles = (work: (archive: Archive, logs: string) => Promise<void>): Promise<void> =>
  inArchive(async (archive, logs) => {
    for (const [name, records] of FILES) put(logs, name, jsonl(...records));
    await importPaths(archive, [logs]);
    await work(archive, logs);
  });

const idFor = (label: string): string => publicSessionId(`claude-code:${idOf(label)}`);
const peakOf = async (archive: Archive, label: string) => (await showSession(archive, idFor(label))).peak;
const usdOf = async (archive: Archive, label: string) => (await showSession(archive, idFor(label))).cost.usd;

async function save(archive: Archive, ...list: object[]): Promise<void> {
  await saveModels(archive, overrides(...list));
  await resumeModels(archive);
  expect(isSettling(archive)).toBe(false);
}

describe("a window that a person set", () => {
  test("comes before what was observed, and says so", () =>
    withFiles(async (archive) => {
      expect(await peakOf(archive, "full")).toMatchObject({ loadLine: 150_000 });
      await save(archive, { match: "big-*", window: 120_000 });
      expect(await peakOf(archive, "full")).toMatchObject({
        loadLine: 120_000,
        window: 120_000,
        loadLineOrigin: "set in settings",
      });
      const row = archive.sqlite
        .prepare("SELECT load_line, peak_share FROM sessions WHERE id = ?")
        .get(idFor("full")) as Rec;
      expect(row).toEqual({ load_line: 120_000, peak_share: 100_000 / 120_000 });
    }));

  test("for one project leaves the others, and one that is taken back leaves nothing", () =>
    withFiles(async (archive, logs) => {
      const before = dumpOf(archive, logs);
      await save(archive, { match: "big-1", project: "/home/ada/web", window: 80_000 });
      expect(await peakOf(archive, "web")).toMatchObject({ loadLine: 80_000 });
      expect(await peakOf(archive, "site")).toMatchObject({ loadLine: 167_000 });
      await save(archive);
      expect(dumpOf(archive, logs)).toEqual(before);
    }));
});

describe("a price that a person set", () => {
  test("makes what the session cost, also of a model that only some of its calls are of", () =>
    withFiles(async (archive) => {
      expect(await usdOf(archive, "web")).toBeCloseTo((2 * 1010 + 505) / 1e6, 12);
      await save(archive, { match: "small-1", uncached: 100, output: 1000 });
      expect(await usdOf(archive, "web")).toBeCloseTo((2 * 1010 + 500 * 100 + 5 * 1000) / 1e6, 12);
      await save(archive, { match: "big-1", read: 10 });
      expect(await usdOf(archive, "web")).toBeCloseTo((2 * (1010 + 900_000) + 505) / 1e6, 12);
      expect(await usdOf(archive, "full")).toBeCloseTo((2 * 1010 + 505) / 1e6, 12);
    }));

  test("is what a ledger's call costs", () =>
    withFiles(async (archive) => {
      await save(archive, { match: "big-1", project: "/home/ada/web", read: 10 });
      const call = {
        call: 1,
        firstSeq: 1,
        model: "big-1",
        ts: null,
        uncached: 1,
        cacheRead: 2,
        cacheWrite: 3,
        cacheWrite1h: 0,
        output: 4,
        reasoning: 0,
        webSearches: 0,
        inherited: false,
        outputLowerBound: false,
        hasUsage: true,
      };
      expect(ratesOf(archive, "/home/ada/web/app")(call, 6)).toMatchObject({ uncached: 1e-6, read: 1e-5 });
      expect(ratesOf(archive, "/home/ada")(call, 6)).toMatchObject({ uncached: 1e-6, read: 0 });
      expect(ratesOf(archive, null)({ ...call, model: null }, 6)).toBeNull();
    }));
});

test("a session that did not change keeps its version; one that did gets another", () =>
  withFiles(async (archive) => {
    const versions = () =>
      Object.fromEntries(archive.sqlite.prepare("SELECT id, version FROM sessions").raw().all() as [string, number][]);
    const before = versions();
    await save(archive, { match: "big-2", window: 90_000 });
    const after = versions();
    expect(after[idFor("web")]).toBe(before[idFor("web")]);
    expect(after[idFor("full")]).toBe(before[idFor("full")]! + 1);
    await save(archive, { match: "big-2", window: 90_000 });
    expect(versions()).toEqual(after);
  }));

test("who saves a list that somebody else changed meanwhile is refused, and nothing is lost", () =>
  inArchive(async (archive) => {
    const [theirs, mine] = [overrides({ match: "big-1", uncached: 9 }), overrides({ match: "small-1", uncached: 1 })];
    await saveModels(archive, theirs, { seen: [] });
    await expect(saveModels(archive, mine, { seen: [] })).rejects.toMatchObject({ code: "conflict" });
    expect(overridesOf(archive)).toEqual(theirs);
    await saveModels(archive, [...theirs, ...mine], { seen: theirs });
    expect(overridesOf(archive)).toEqual([...theirs, ...mine]);
  }));

test("what a server that ended left behind is gone on with", () =>
  withFiles(async (archive) => {
    await write(archive, saveModelsWrite, { overrides: overrides({ match: "big-1", uncached: 50, output: 50 }) });
    expect(isSettling(archive)).toBe(true);
    expect(await readModels(archive)).toMatchObject({ left: 3 });
    // A second change in between: the figures are of the first list, of none, or of both.
    await write(archive, settleModelsWrite, {});
    await write(archive, saveModelsWrite, { overrides: [] });
    await resumeModels(archive);
    expect(await usdOf(archive, "web")).toBeCloseTo((2 * 1010 + 505) / 1e6, 12);
    expect(await readModels(archive)).toMatchObject({ left: 0, overrides: [] });
  }));

test("the models that were seen, with what holds for them and who says so", () =>
  withFiles(async (archive) => {
    await save(
      archive,
      { match: "big-1", window: 150_000, read: 0.3 },
      { match: "*", project: "/home", window: 90_000 },
    );
    const { models, overrides: set, left } = await readModels(archive);
    expect(left).toBe(0);
    expect(set.map(({ sessions }) => sessions)).toEqual([2, 3]);
    expect(models.map(({ model, sessions, calls, unpriced }) => [model, sessions, calls, unpriced])).toEqual([
      ["big-1", 2, 4, 0],
      ["big-2", 1, 2, 0],
      ["small-1", 3, 3, 0],
    ]);
    expect(models[0]).toMatchObject({
      window: { value: 150_000, from: "settings" },
      rates: { uncached: { value: 1, from: "table" }, read: { value: 0.3, from: "settings" } },
      isTiered: false,
      lines: [{ by: "settings", sessions: 2, low: 90_000, high: 90_000 }],
    });
    expect(models[1]!.window).toEqual({ value: 200_000, from: "table" });
  }));

test("calls and cost of a model are those that usage has, with the calls that report none", () =>
  inArchive(async (archive, logs) => {
    const silent = answer("web d", 5, "web 9", text("I am cut off"), { model: "big-1", usage: null });
    for (const [name, records] of [run("web", "/home/ada/web", "big-1", [silent]), FILES[1]!])
      put(logs, name, jsonl(...records));
    await importPaths(archive, [logs]);
    const { models } = await readModels(archive);
    const { monthly } = await usageReport(archive, { period: "monthly", weekStart: "monday", by: "model" });
    expect(models.map(({ model, calls, usd, atLeast }) => [model, calls, usd, atLeast.length > 0])).toEqual(
      monthly!.map(({ group, calls, totalCost, isPartial }) => [group, calls, totalCost, isPartial]),
    );
    expect(models.map(({ model, calls, atLeast }) => [model, calls, atLeast])).toEqual([
      ["big-1", 5, ["1 of 5 calls reports no usage."]],
      ["small-1", 2, []],
    ]);
  }));

test("a setting that this release cannot read is left out", () =>
  withFiles(async (archive) => {
    putSetting(archive, "models", [{ match: "big-1", window: 70_000 }, { match: "big-2", colour: "red" }, 7]);
    expect(await peakOf(archive, "web")).toMatchObject({ loadLine: 70_000 });
    expect(await peakOf(archive, "full")).toMatchObject({ loadLine: 150_000 });
  }));

test("figures that followed are those of an archive that was set before it imported", async () => {
  const number = fc.option(fc.integer({ min: 1000, max: 300_000 }), { nil: null });
  const price = fc.option(fc.integer({ min: 0, max: 100 }), { nil: null });
  const list = fc
    .array(
      fc.record({
        match: fc.constantFrom("*", "big-*", "big-1", "big-2", "small-1", "none"),
        project: fc.constantFrom(null, "/home/ada", "/home/ada/web", "/home/ada/web/app"),
        window: number,
        uncached: price,
        read: price,
        write: price,
        write1h: price,
        output: price,
      }),
      { maxLength: 4 },
    )
    .filter((some) => modelOverrides.safeParse(some).success);
  await fc.assert(
    fc.asyncProperty(fc.array(list, { minLength: 1, maxLength: 3 }), async (lists) => {
      let followed: unknown;
      await withFiles(async (archive, logs) => {
        for (const some of lists) await save(archive, ...some);
        followed = dumpOf(archive, logs);
      });
      await inArchive(async (archive, logs) => {
        await save(archive, ...lists.at(-1)!);
        for (const [name, records] of FILES) put(logs, name, jsonl(...records));
        await importPaths(archive, [logs]);
        expect(dumpOf(archive, logs)).toEqual(followed);
      });
    }),
    { numRuns: 12 },
  );
}, 60_000);

test("a change that cannot be read at a start is said, and ends nothing", () =>
  inArchive(async (archive) => {
    const said = vi.spyOn(console, "error").mockReturnValue(undefined);
    archive.sqlite.prepare("INSERT INTO settings (key, value) VALUES ('models.settling', '{')").run();
    await expect(resumeModels(archive)).resolves.toBeUndefined();
    expect(said).toHaveBeenCalledTimes(1);
    said.mockRestore();
  }));

test("dollars follow the price table of a new release, of the models alone whose price is another", () => {
  let price = 1e-6;
  const host = hostPriced((model) => completeRates({ uncached: model === "big-2" ? price : 1e-6, output: 0 }));
  const files = Object.fromEntries(FILES);
  return withRecords(
    files,
    async (archive) => {
      const state = () =>
        archive.sqlite.prepare("SELECT id, version, usd FROM sessions ORDER BY id").all() as {
          id: string;
          version: number;
          usd: number;
        }[];
      const before = state();
      await followPrices(archive);
      expect(state(), "all as it was: no session is another").toEqual(before);
      price = 2e-6;
      await followPrices(archive);
      const full = idFor("full");
      for (const { id, version, usd } of before) {
        const now = state().find((one) => one.id === id)!;
        expect(now.version).toBe(version + (id === full ? 1 : 0));
        expect(now.usd).toBeCloseTo(id === full ? usd + 2 * 0.1 : usd, 9);
      }
      const after = state();
      await followPrices(archive);
      expect(state()).toEqual(after);
      expect(isSettling(archive)).toBe(false);
    },
    host,
  );
});
