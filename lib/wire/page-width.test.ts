import { expect, test } from "vitest";
import { pageWidth } from "./page-width.ts";

test("what the browser says of this window counts before what a page measured in another", () => {
  expect(pageWidth("768", "1920")).toBe(1920);
  expect(pageWidth("768", null)).toBe(768);
  expect(pageWidth(undefined, "1920")).toBe(1920);
  expect(pageWidth(undefined, null)).toBe(1440);
  expect(pageWidth("frob", "12")).toBe(1440);
});
