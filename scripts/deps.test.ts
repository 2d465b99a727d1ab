import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBrowser } from "./browser.mjs";
import { missingPackages } from "./deps.mjs";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-deps-"));
  mkdirSync(join(dir, "node_modules"));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

type Entry = { version: string; optional?: boolean };

function folder(parts: {
  asked: string[];
  locked: Record<string, Entry>;
  installed: Record<string, Entry> | null;
}): void {
  const lock = (packages: Record<string, Entry>): string => {
    const named = Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]);
    return JSON.stringify({ packages: Object.fromEntries(named) });
  };
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify({ dependencies: Object.fromEntries(parts.asked.map((name) => [name, "*"])) }),
  );
  writeFileSync(join(dir, "package-lock.json"), lock(parts.locked));
  if (parts.installed) writeFileSync(join(dir, "node_modules", ".package-lock.json"), lock(parts.installed));
}

test("nothing is installed when everything of the lockfile is there", () => {
  folder({ asked: ["a"], locked: { a: { version: "1.0.0" } }, installed: { a: { version: "1.0.0" } } });
  expect(missingPackages(dir)).toEqual([]);
});

test("a package for another system is rightly absent, in another version it is not right", () => {
  const locked = { a: { version: "1.0.0" }, win: { version: "1.0.0", optional: true } };
  folder({ asked: ["a"], locked, installed: { a: { version: "1.0.0" } } });
  expect(missingPackages(dir)).toEqual([]);
  folder({ asked: ["a"], locked, installed: { a: { version: "1.0.0" }, win: { version: "0.9.0" } } });
  expect(missingPackages(dir)).toEqual(["win"]);
});

test("an older, an absent and an unlocked package are each missing", () => {
  const locked = { a: { version: "2.0.0" }, b: { version: "1.0.0" } };
  folder({ asked: ["a", "b", "c"], locked, installed: { a: { version: "1.0.0" } } });
  expect(missingPackages(dir)).toEqual(["a", "b", "c"]);
});

test("an install that never ran, or was interrupted, is seen", () => {
  folder({ asked: ["a"], locked: { a: { version: "1.0.0" } }, installed: null });
  expect(missingPackages(dir)).toEqual(["all"]);
  folder({ asked: ["a"], locked: { a: { version: "1.0.0" } }, installed: { a: { version: "1.0.0" } } });
  mkdirSync(join(dir, ".cache"));
  writeFileSync(join(dir, ".cache", "installing"), "");
  expect(missingPackages(dir)).toEqual(["all"]);
});

test("the browser that the environment names is taken, and said when it is not there", () => {
  expect(findBrowser({ CHROMIUM_PATH: process.execPath })).toBe(process.execPath);
  expect(() => findBrowser({ CHROMIUM_PATH: join(dir, "none") })).toThrow("no such file");
  expect(findBrowser({ PATH: dir })).toBeNull();
});
