// What is spent of a budget is what the report of usage says, of its days and its project alone.
import { expect, test } from "vitest";
import { answer, OTHER_SESSION, prompt, SESSION, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { completeRates } from "#lib/kernel/load/rates.ts";
import { localDay } from "#lib/kernel/load/usage-periods.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { budgetsAnswer } from "#lib/wire/budgets-schema.ts";
import { homeAnswer, homeQuery } from "#lib/wire/home-schema.ts";
import { usageQuery } from "#lib/wire/usage-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { hostPriced, withRecords } from "../testing-archive.ts";
import { readHome } from "./home-answer.ts";
import { listBudgets, usageWithBudgets } from "./list-budgets.ts";
import { saveBudget } from "./save-budget.ts";
import { sessionStatus } from "./session-status.ts";
import type { TableRequest } from "./usage-report.ts";

const HOST = hostPriced(() => completeRates({ uncached: 1e-3, read: 0, write: 0, write1h: 0, output: 0 }));
/** Noon of a day by the clock of whoever runs the test: records are of the 5th of January 2026 and after. */
const NOON = new Date(2026, 0, 20, 12).getTime();
const BEGUN = Date.UTC(2026, 0, 5, 9);
const second = (day: number, hour = 12): number => (new Date(2026, 0, day, hour).getTime() - BEGUN) / 1000;
const quay = { sessionId: OTHER_SESSION, cwd: "/quay" };

// Dollars: 3 on the 10th and 5 on the 20th in one folder; 2 on the 20th, and 90 a month later, in another.
const FILES = {
  "a.jsonl": [
    prompt("1", second(10), "Go"),
    answer("2", second(10) + 1, "a", text("One"), { usage: used(3000, 0, 0, 0) }),
    answer("3", second(20), "b", text("Two"), { usage: used(5000, 0, 0, 0) }),
  ],
  "b.jsonl": [
    prompt("4", second(20), "Go", quay),
    answer("5", second(20) + 1, "c", text("Done"), { usage: used(2000, 0, 0, 0), more: quay }),
    answer("6", second(51), "d", text("Late"), { usage: used(90_000, 0, 0, 0), more: quay }),
  ],
};
const withCalls = (work: (archive: Archive) => Promise<void>): Promise<void> =>
  withRecords(FILES, (archive) => work(archive), HOST);
const shown = (archive: Archive, now = NOON) =>
  budgetsAnswer
    .parse({ budgets: listBudgets(archive, now) })
    .budgets.map(({ period, project, usd, state }) => [period, project, usd, state]);

test("a day, a month and a project's total are the sums of the report of usage", () =>
  withCalls(async (archive) => {
    await saveBudget(archive, { period: "total", project: "/quay", limitUsd: 200 });
    await saveBudget(archive, { period: "month", limitUsd: 12 });
    await saveBudget(archive, { period: "day", limitUsd: 7 });
    await saveBudget(archive, { period: "day", project: "/quay", limitUsd: 4 });
    expect(shown(archive)).toEqual([
      ["day", null, 7, "over"],
      ["day", "/quay", 2, "under"],
      ["month", null, 10, "near"],
      ["total", "/quay", 92, "under"],
    ]);
    expect(shown(archive, NOON + 86_400_000).map(([, , usd]) => usd)).toEqual([0, 0, 10, 92]);
    const request = usageQuery.parse({ since: "2026-01-10", until: "2026-01-10" }) as TableRequest;
    const usage = await usageWithBudgets(archive, request, NOON);
    expect(usage.totals.totalCost, "filters are not the budgets'").toBeCloseTo(3, 9);
    expect(usage.budgets).toHaveLength(4);
    expect(listBudgets(archive, NOON)[2]).toMatchObject({ since: "2026-01-01", limitUsd: 12, isPartial: false });
  }));

test("the status line has the budget nearest to its end, of those that the session counts for", () =>
  withCalls(async (archive) => {
    const budgetOf = (session: string) => sessionStatus(archive, findSession(archive, session), NOON).budget;
    expect(budgetOf(SESSION)).toBeNull();
    await saveBudget(archive, { period: "month", limitUsd: 12 });
    await saveBudget(archive, { period: "day", project: "/quay", limitUsd: 1 });
    expect(budgetOf(SESSION)).toMatchObject({ period: "month", state: "near" });
    expect(budgetOf(OTHER_SESSION)).toMatchObject({ project: "/quay", share: 2, state: "over" });
  }));

test("the first page has those that are near their end", () =>
  withCalls(async (archive) => {
    const now = archive.host.now();
    const home = async () => homeAnswer.parse(await readHome(archive, homeQuery.parse({}))).budgets;
    await saveBudget(archive, { period: "total", project: "/quay", limitUsd: 1000 });
    expect(await home()).toEqual([]);
    await saveBudget(archive, { period: "total", project: "/quay", limitUsd: 100 });
    expect(await home()).toMatchObject([{ limitUsd: 100, usd: 92, state: "near", since: null }]);
    expect(localDay(now), "whatever the day").toMatch(/^\d{4}-/);
  }));

test("another of the same period and project takes its place; what cannot be is refused", () =>
  withCalls(async (archive) => {
    await saveBudget(archive, { period: "day", limitUsd: 7 });
    const { budgets } = await saveBudget(archive, { period: "day", limitUsd: 9 });
    expect(budgets).toMatchObject([{ period: "day", limitUsd: 9 }]);
    await expect(saveBudget(archive, { period: "total", limitUsd: 9 })).rejects.toThrow("name its folder");
    await expect(saveBudget(archive, { period: "day", limitUsd: -1 })).rejects.toThrow("cannot be saved. limitUsd");
    await expect(saveBudget(archive, { period: "month", limitUsd: null })).rejects.toThrow("No budget per month");
    for (let i = 1; i < LIMITS.budgets; i++)
      await saveBudget(archive, { period: "total", project: `/pier/${i}`, limitUsd: i });
    await expect(saveBudget(archive, { period: "month", limitUsd: 1 })).rejects.toThrow("the most there may be");
    expect((await saveBudget(archive, { period: "day", limitUsd: null })).budgets).toHaveLength(LIMITS.budgets - 1);
  }));
