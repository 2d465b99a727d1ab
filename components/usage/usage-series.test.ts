import { expect, test } from "vitest";
import { groupName } from "./usage-series.ts";

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
