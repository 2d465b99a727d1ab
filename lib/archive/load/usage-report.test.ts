// Usage by period: held against figures worked out by hand, and against what the sessions' own pages say.
import { join } from "node:path";
import { expect, test } from "vitest";
import { answer, asks, idOf, OTHER_SESSION, prompt, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { PERIODS } from "#lib/kernel/load/usage-periods.ts";
import { USAGE_GROUPS, usageAnswer, usageQuery, type UsageRow } from "#lib/wire/usage-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { listSummaries } from "../sessions/list-sessions.ts";
import { importPaths } from "../import/import-paths.ts";
import { hostPriced, inFolder, withArchive, withRecords } from "../testing-archive.ts";
import { usageReport } from "./usage-report.ts";

const FIXTURES = join(import.meta.dirname, "../../formats/fixtures");

// $1 a million uncached, 10 cents read, $2 written, $4 out; models named odd have no price.
const HOST = hostPriced((model) =>
  model.startsWith("odd")
    ? null
    : completeRates({ uncached: 1e-6, read: 1e-7, write: 2e-6, write1h: 2e-6, output: 4e-6 }),
);

const usage = async (archive: Archive, request: Record<string, unknown>) =>
  usageAnswer.parse(await usageReport(archive, usageQuery.parse({ timezone: "UTC", ...request })));

/** Monday the 5th of January 2026, 09:00 UTC, is second 0. */
const HOURS = 3600;
const FILES = {
  "a.jsonl": [
    prompt("1", 1, "Go"),
    // 1000 + 2000 × 0.1 + 300 × 2 + 50 × 4 = 2000 millionths
    answer("2", 2, "a", text("One"), { usage: used(1000, 2000, 300, 50) }),
    // 23:30 UTC, which is the 6th in Berlin: 500 + 10 × 4 = 540
    answer("3", 14.5 * HOURS, "b", text("Two"), { usage: used(500, 0, 0, 10) }),
    // Sunday the 1st of February, 09:00: no price
    answer("4", 27 * 24 * HOURS, "c", text("Odd"), { usage: used(7, 0, 0, 3), model: "odd-1" }),
  ],
  "b.jsonl": [
    prompt("5", 1, "Go", { sessionId: OTHER_SESSION, cwd: "/quay" }),
    answer("6", 3, "d", text("Done"), { usage: used(100, 0, 0, 0), more: { sessionId: OTHER_SESSION, cwd: "/quay" } }),
  ],
};

test("days are those of the time zone, weeks and months begin where they should", () =>
  withRecords(
    FILES,
    async (archive) => {
      const { daily, totals } = await usage(archive, {});
      expect(daily?.map(({ date, calls }) => [date, calls])).toEqual([
        ["2026-01-05", 3],
        ["2026-02-01", 1],
      ]);
      expect(daily![0]).toMatchObject({ inputTokens: 1600, cacheReadTokens: 2000, cacheCreationTokens: 300 });
      expect(daily![0]).toMatchObject({ outputTokens: 60, totalTokens: 3960, isPartial: false });
      expect(daily![0]!.totalCost).toBeCloseTo(0.00264, 12);
      expect(daily![0]!.cacheShare).toBeCloseTo(2000 / 3900, 12);
      expect(daily![1]).toMatchObject({ totalCost: 0, isPartial: true, modelsUsed: ["odd-1"] });
      expect(totals).toMatchObject({ calls: 4, isPartial: true });
      const berlin = await usage(archive, { timezone: "Europe/Berlin" });
      expect(berlin.daily?.map(({ date, calls }) => [date, calls])).toEqual([
        ["2026-01-05", 2],
        ["2026-01-06", 1],
        ["2026-02-01", 1],
      ]);
      const weeks = async (weekStart: string) =>
        (await usage(archive, { period: "weekly", weekStart })).weekly?.map(({ week }) => week);
      expect(await weeks("monday")).toEqual(["2026-01-05", "2026-01-26"]);
      expect(await weeks("sunday")).toEqual(["2026-01-04", "2026-02-01"]);
      const { monthly } = await usage(archive, { period: "monthly" });
      expect(monthly?.map(({ month, calls }) => [month, calls])).toEqual([
        ["2026-01", 3],
        ["2026-02", 1],
      ]);
    },
    HOST,
  ));

test("rows are of an agent, a project or a model, and of the days between two", () =>
  withRecords(
    FILES,
    async (archive) => {
      const groups = async (by: string) => (await usage(archive, { by })).daily?.map((row) => [row.date, row.group]);
      expect(await groups("project")).toEqual([
        ["2026-01-05", "/home/ada/harbour"],
        ["2026-01-05", "/quay"],
        ["2026-02-01", "/home/ada/harbour"],
      ]);
      expect(await groups("model")).toEqual([
        ["2026-01-05", "claude-opus-5"],
        ["2026-02-01", "odd-1"],
      ]);
      expect(await groups("agent")).toEqual([
        ["2026-01-05", "Claude Code"],
        ["2026-02-01", "Claude Code"],
      ]);
      // Its label and its format are one agent.
      for (const agent of ["Claude Code", "claude-code"])
        expect((await usage(archive, { agent, facets: "1" })).totals).toMatchObject({ calls: 4 });
      expect((await usage(archive, { agent: "Codex" })).totals).toMatchObject({ calls: 0 });
      expect((await usage(archive, { facets: "1" })).facets?.agents.map(({ value }) => value)).toEqual(["Claude Code"]);
      const within = await usage(archive, { since: "20260106", until: "2026-02-01" });
      expect(within.daily?.map(({ date }) => date)).toEqual(["2026-02-01"]);
      expect(within.totals).toMatchObject({ calls: 1, totalTokens: 10 });
      await expect(usage(archive, { timezone: "Atlantis" })).rejects.toThrow(/"Atlantis" is not a time zone/u);
      await expect(usage(archive, { since: "2026-02-02", until: "20260201" })).rejects.toThrow(
        "The first day, 2026-02-02, is after the last, 2026-02-01.",
      );
      for (const since of ["2026-02-30", "yesterday"]) expect(usageQuery.safeParse({ since }).success).toBe(false);
    },
    HOST,
  ));

test("a call of two tools counts for each in parts, and every grouping sums to the same", () =>
  withRecords(
    {
      ...FILES,
      "tools.jsonl": [
        prompt("10", 1, "Look", { sessionId: idOf("tools") }),
        ...["Read", "mcp__pier__list", "Read"].map((tool, n) =>
          answer(`1${n + 1}`, 2, "t", asks(`x${n}`, tool, { file_path: `${n}` }), {
            usage: used(10, 7, 0, 2),
            more: { sessionId: idOf("tools") },
          }),
        ),
      ],
    },
    async (archive) => {
      const { daily, totals } = await usage(archive, { by: "tool", until: "2026-01-05" });
      const ofTools = daily!.filter(({ group }) => group !== "");
      // Two thirds and one third of 10, 7 and 2: whole tokens, no token lost.
      expect(ofTools.map((row) => [row.group, row.inputTokens, row.cacheReadTokens, row.outputTokens])).toEqual([
        ["Read", 7, 5, 1],
        ["mcp__pier__list", 3, 2, 1],
      ]);
      expect(totals.compactions).toBeNull();
      const servers = await usage(archive, { by: "mcp-server", until: "2026-01-05" });
      expect(servers.daily!.map(({ group }) => group)).toEqual(["", "pier"]);
    },
    HOST,
  ));

test("calls of two tools on several days of a week are halves of the week's calls", () =>
  withRecords(
    {
      "week.jsonl": [
        prompt("10", 1, "Look", { sessionId: idOf("week") }),
        ...[0, 1, 2, 3].flatMap((day) =>
          ["Glob", "Grep"].map((tool, n) =>
            answer(`2${day}${n}`, day * 24 * HOURS + 2, `w${day}`, asks(`x${day}${n}`, tool, {}), {
              usage: used(11, 0, 0, 3),
              more: { sessionId: idOf("week") },
            }),
          ),
        ),
      ],
    },
    async (archive) => {
      const shares = (rows: UsageRow[]) => rows.map((row) => [row.group, row.calls, row.inputTokens, row.outputTokens]);
      const { weekly } = await usage(archive, { by: "tool", period: "weekly" });
      expect(shares(weekly!)).toEqual([
        ["Glob", 2, 22, 6],
        ["Grep", 2, 22, 6],
      ]);
      const { daily } = await usage(archive, { by: "tool" });
      expect(shares(daily!.slice(0, 2))).toEqual([
        ["Glob", 1, 6, 2],
        ["Grep", 0, 5, 1],
      ]);
    },
    HOST,
  ));

test("of many groups those with the most dollars or tokens have rows, and the others of a period share one", () =>
  withRecords(
    {
      ...FILES,
      // More tokens than any other, and no price.
      "c.jsonl": [
        prompt("20", 1, "Go", { sessionId: idOf("c"), cwd: "/mole" }),
        answer("21", 3, "m", text("Done"), {
          usage: used(9000, 0, 0, 0),
          model: "odd-1",
          more: { sessionId: idOf("c"), cwd: "/mole" },
        }),
      ],
      "d.jsonl": [
        prompt("30", 1, "Go", { sessionId: idOf("d"), cwd: "/jetty" }),
        answer("31", 3, "j", text("Done"), { usage: used(50, 0, 0, 0), more: { sessionId: idOf("d"), cwd: "/jetty" } }),
      ],
    },
    async (archive) => {
      const whole = await usage(archive, { by: "project", until: "2026-01-05" });
      const { daily, totals, groups } = await usage(archive, { by: "project", until: "2026-01-05", top: 1 });
      expect(whole).not.toHaveProperty("groups");
      expect(totals).toEqual(whole.totals);
      const home = whole
        .daily!.map(({ group }) => group!)
        .find((group) => !["/jetty", "/mole", "/quay"].includes(group))!;
      expect(daily!.map(({ group, others, calls, inputTokens }) => [group, others, calls, inputTokens])).toEqual([
        [undefined, 2, 2, 150],
        [home, undefined, 2, 1500],
        ["/mole", undefined, 1, 9000],
      ]);
      // 150 uncached tokens.
      expect(daily![0]!.totalCost).toBeCloseTo(0.00015, 12);
      expect(daily![0]!.modelBreakdowns.map(({ inputTokens }) => inputTokens)).toEqual([150]);
      expect(groups!.map(({ group, inputTokens }) => [group, inputTokens])).toEqual([
        ...[[home, 1500] as const, ["/quay", 100] as const, ["/jetty", 50] as const, ["/mole", 9000] as const],
      ]);
      const { sessions, groups: none } = await usage(archive, { period: "sessions", until: "2026-01-05", top: 1 });
      expect(none).toBeUndefined();
      expect(
        sessions!.map(({ sessionId, others, inputTokens }) => [sessionId === undefined, others, inputTokens]),
      ).toEqual(
        expect.arrayContaining([
          [true, 2, 150],
          [false, undefined, 1500],
          [false, undefined, 9000],
        ]),
      );
      expect(sessions).toHaveLength(3);
      // As many as there are: nothing is left out.
      const all = await usage(archive, { by: "project", until: "2026-01-05", top: 9 });
      expect(all.daily).toEqual(whole.daily);
    },
    HOST,
  ));

test("groupings of all formats sum to one total, by every period", { timeout: 60_000 }, () =>
  inFolder((dir) =>
    withArchive(dir, async (archive) => {
      await importPaths(archive, [FIXTURES]);
      const { totals } = await usage(archive, { period: "daily" });
      expect(totals.calls).toBeGreaterThan(50);
      for (const period of PERIODS)
        for (const [by, top] of [undefined, ...USAGE_GROUPS].flatMap((by) => [[by], [by, 2]] as const)) {
          const found = await usage(archive, { period, by, top });
          const rows = found[period]!;
          if (found.groups !== undefined) {
            const ofGroups = found.groups.reduce((all, row) => all + row.totalTokens, 0);
            expect([period, by, ofGroups]).toEqual([period, by, totals.totalTokens]);
          }
          for (const key of ["calls", "inputTokens", "cacheReadTokens", "outputTokens", "totalTokens"] as const) {
            const sum = rows.reduce((all, row) => all + row[key], 0);
            expect([period, by, key, sum]).toEqual([period, by, key, totals[key]]);
          }
          expect(rows.reduce((all, row) => all + row.totalCost, 0)).toBeCloseTo(totals.totalCost, 8);
          if (totals.compactions !== null && found.totals.compactions !== null)
            expect(rows.reduce((all, row) => all + row.compactions!, 0)).toBe(totals.compactions);
        }
      for (const agent of new Set((await usage(archive, { by: "agent" })).daily!.map(({ group }) => group!))) {
        const only = await usage(archive, { agent });
        const of = (await usage(archive, { by: "agent" })).daily!.filter(({ group }) => group === agent);
        expect(only.totals.totalTokens).toBe(of.reduce((all, row) => all + row.totalTokens, 0));
      }
    }),
  ),
);

test("a copied history counts once, as on the page of its session", () =>
  withRecords(
    {
      "a.jsonl": FILES["a.jsonl"],
      "fork.jsonl": [
        ...FILES["a.jsonl"].slice(0, 2).map((record) => ({ ...record, sessionId: idOf("fork") })),
        answer("7", 60, "e", text("Other"), { usage: used(40, 0, 0, 0), more: { sessionId: idOf("fork") } }),
      ],
    },
    async (archive) => {
      const { totals } = await usage(archive, {});
      expect(totals).toMatchObject({ calls: 4, inputTokens: 1000 + 500 + 7 + 40 });
    },
    HOST,
  ));

// Copilot CLI before autumn 2026 wrote the tokens of each answer, and nothing of its prompt. Synthetic.
test("calls that say nothing of their prompts cost more than their dollars, and that is said", () => {
  const copilot = (type: string, second: number, data: Record<string, unknown>) => ({
    ...{ type, data, id: idOf(`copilot ${second}`), parentId: null },
    timestamp: new Date(Date.UTC(2026, 0, 5, 9, 0, second)).toISOString(),
  });
  return withRecords(
    {
      "events.jsonl": [
        copilot("session.start", 0, { sessionId: OTHER_SESSION, context: { cwd: "/quay" } }),
        copilot("user.message", 1, { content: "Go", interactionId: "i" }),
        copilot("assistant.message", 2, {
          ...{ messageId: "m", model: "claude-sonnet-4.5", content: "Done", outputTokens: 50, toolRequests: [] },
        }),
      ],
    },
    async (archive) => {
      expect((await usage(archive, {})).totals).toMatchObject({
        calls: 1,
        totalCost: expect.closeTo(0.0002, 9),
        isPartial: true,
      });
      const [found] = (await listSummaries(archive, {})).sessions;
      expect(found!.summary.cost.atLeast).toEqual(["The prompt of 1 of 1 call is not reported."]);
      expect(found!.summary.usageQuality).toBe("partial");
    },
    HOST,
  );
});

test("each session's row is what its own page says, of every format", () =>
  inFolder((dir) =>
    withArchive(dir, async (archive) => {
      await importPaths(archive, [FIXTURES]);
      const rows = (await usage(archive, { period: "sessions" })).sessions!;
      const byId = new Map(rows.map((row) => [row.sessionId, row]));
      const found = (await listSummaries(archive, {})).sessions.map(({ summary }) => summary);
      expect(found.length).toBeGreaterThan(10);
      for (const { id, modelCalls, usage: own, cost } of found) {
        const row = byId.get(id);
        expect([id, row?.calls ?? 0]).toEqual([id, modelCalls.own]);
        if (row === undefined) continue;
        expect(row.totalCost).toBeCloseTo(cost.usd ?? 0, 9);
        expect([id, row.isPartial]).toEqual([id, cost.atLeast.length > 0]);
        if (!row.isPartial)
          expect([id, row.inputTokens, row.cacheReadTokens, row.cacheCreationTokens, row.outputTokens]).toEqual([
            ...[id, own.inputUncached, own.cacheRead, own.cacheWrite, own.output],
          ]);
      }
    }),
  ));

test("days alone, which read no session's row, are those of the projects", () =>
  withRecords(
    FILES,
    async (archive) => {
      const change = (set: string): void => void archive.sqlite.exec(`UPDATE sessions SET ${set} WHERE cwd = '/quay'`);
      const both = async () => {
        const { totals } = await usage(archive, { until: "2026-01-05" });
        expect((await usage(archive, { until: "2026-01-05", by: "project" })).totals).toEqual(totals);
        return [totals.calls, totals.isPartial];
      };
      expect(await both()).toEqual([3, false]);
      change("tally = json_set(tally, '$.lost', json('{}'))");
      expect(await both()).toEqual([3, true]);
      // Nothing says any more whether calls were lost.
      change("tally = 'damaged'");
      expect(await both()).toEqual([3, true]);
      change("tally = '{}', earlier = 1");
      expect(await both()).toEqual([2, false]);
    },
    HOST,
  ));
