import { expect, test } from "vitest";
import { barsName, groupName, leftOut, stackOf } from "./usage-series.ts";

test("folders of one name are told apart by what stands before it, and others have their name alone", () => {
  const among = ["/home/ada/shop/api", "/home/bo/shop/api", "C:\\work\\blog", "", "12 others"].map((name) => ({
    name,
  }));
  expect(among.map(({ name }) => groupName(name, "project", among))).toEqual([
    ...["ada/shop/api", "bo/shop/api", "blog", "no project", "12 others"],
  ]);
  expect(groupName("/home/ada/shop/api", "project")).toBe("api");
  expect(groupName("/home/ada", "sender", among)).toBe("/home/ada");
  // The longer of two that end alike has more before it; the shorter is whole.
  const nested = [{ name: "/shop/api" }, { name: "/old/shop/api" }];
  expect(nested.map(({ name }) => groupName(name, "project", nested))).toEqual(["shop/api", "old/shop/api"]);
});

test("the rows of others are in the chart with the groups that have no colour, and none of them is counted twice", () => {
  const day = "2026-01-05";
  const row = (group: string, totalCost: number) => ({ date: day, group, totalCost, totalTokens: 1, isPartial: false });
  const rows = [
    ...Array.from({ length: 9 }, (_, n) => row(`g${n}`, 10 - n)),
    { date: day, others: 4991, totalCost: 5, totalTokens: 4991, isPartial: false },
  ];
  const { series, bars, total } = stackOf(rows, "cost", [day], 4990);
  expect(series.map(({ name }) => name)).toEqual([...Array.from({ length: 7 }, (_, n) => `g${n}`), "4,992 others"]);
  // 10 + 9 + … + 2 and 5.
  expect([total, bars[0]!.total, series.at(-1)!.total]).toEqual([59, 59, 3 + 2 + 5]);
  // Two groups alone, and some that have no cost.
  const few = stackOf(
    [row("a", 2), row("b", 0), { date: day, others: 3, totalCost: 0, totalTokens: 9, isPartial: false }],
    "cost",
    [day],
  );
  expect(few.series.map(({ name }) => name)).toEqual(["a"]);
  expect(few.total).toBe(2);
});

test("groups without rows of their own count where they have a value", () => {
  const sums = { isPartial: false, compactions: 0, cacheShare: null, calls: 1, reasoningTokens: 0 };
  const tokens = { inputTokens: 1, outputTokens: 0, cacheCreationTokens: 0, cacheReadTokens: 0, totalTokens: 1 };
  const groups = ["a", "b", "c"].map((group, n) => ({ group, ...sums, ...tokens, totalCost: n === 2 ? 0 : 1 }));
  const rows = [{ date: "2026-01-05", group: "a", totalCost: 1, totalTokens: 1, isPartial: false }];
  expect([leftOut(groups, rows, "cost"), leftOut(groups, rows, "tokens")]).toEqual([1, 2]);
});

test("the sum over the bars is called all only where each row has a bar", () => {
  const row = (month: string) => ({ month, group: "/shop", totalCost: 1, totalTokens: 10, isPartial: false });
  const dated = [row("2026-01"), row("2026-02")];
  const { bars } = stackOf(dated, "cost", ["2026-01", "2026-02"]);
  expect(barsName(bars, dated)).toBe("All shown");
  expect(barsName(bars, [...dated, row("undated")])).toBe("With a date");
  const many = Array.from({ length: 92 }, (_, at) => ({ period: `day ${at}`, values: [], total: 0 }));
  expect(barsName(many, dated)).toBe("Newest 92 shown");
});

test("a sum that some calls are missing from is known as such, and so is each sum that it is part of", () => {
  const row = (date: string, group: string, totalCost: number, isPartial: boolean) => ({
    ...{ date, group, totalCost, totalTokens: 1, isPartial },
  });
  const rows = [row("d1", "a", 2, true), row("d1", "b", 1, false), row("d2", "a", 3, false), row("d2", "odd", 0, true)];
  const { isPartial } = stackOf(rows, "cost", ["d1", "d2"]);
  const [a, b] = [0, 1];
  expect([isPartial(), isPartial(undefined, a), isPartial(undefined, b)]).toEqual([true, true, false]);
  expect([isPartial("d1", a), isPartial("d2", a), isPartial("d2")]).toEqual([true, false, true]);
  expect(stackOf(rows, "tokens", ["d1", "d2"]).isPartial()).toBe(false);
});
