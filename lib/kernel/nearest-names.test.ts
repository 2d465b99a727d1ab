import { expect, test } from "vitest";
import { nearestNames } from "./nearest-names.ts";

test("folders are near by their last part first, then by the whole", () => {
  const known = ["/home/me/shop", "/home/me/harbour", "/srv/harbor", "/home/you/harbour", "/"];
  expect(nearestNames("/home/me/harbor", known, 3)).toEqual(["/srv/harbor", "/home/me/harbour", "/home/you/harbour"]);
  expect(nearestNames("shop/", known, 1)).toEqual(["/home/me/shop"]);
  expect(nearestNames("C:\\work\\Shop", ["C:\\work\\yard", "C:\\work\\shop"], 1)).toEqual(["C:\\work\\shop"]);
  expect(nearestNames("anything", [], 3)).toEqual([]);
});
