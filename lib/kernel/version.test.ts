import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { VERSION } from "./version.ts";

test("is the version of package.json", () => {
  const path = new URL("../../package.json", import.meta.url);
  expect((JSON.parse(readFileSync(path, "utf8")) as { version: string }).version).toBe(VERSION);
});
