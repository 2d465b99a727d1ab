import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBrowser } from "./browser.mjs";
import { ensureDeps, missingPackages } from "./deps.mjs";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plimsoll-deps-"));
  mkdirSync(join(dir, "node_modules"));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

type Entry = { version: string; optional?: boolean; integrity?: string };

function folder(parts: {
  wanted: string[];
  locked: Record<string, Entry>;
  installed: Record<string, Entry> | null;
}): void {
  const lock = (packages: Record<string, Entry>): string => {
    const named = Object.entries(packages).map(([name, entry]) => [`node_modules/${name}`, entry]);
    return JSON.stringify({ packages: Object.fromEntries(named) });
  };
  writeFileSync(
    join(dir, "package.json"),
    JSON.stringify({ dependencies: Object.fromEntries(parts.wanted.map((name) => [name, "*"])) }),
  );
  writeFileSync(join(dir, "package-lock.json"), lock(parts.locked));
  if (parts.installed) writeFileSync(join(dir, "node_modules", ".package-lock.json"), lock(parts.installed));
}

test("nothing is installed when everything of the lockfile is there", () => {
  folder({ wanted: ["a"], locked: { a: { version: "1.0.0" } }, installed: { a: { version: "1.0.0" } } });
  expect(missingPackages(dir)).toEqual([]);
});

test("a package for another system is rightly absent, in another version it is not right", () => {
  const locked = { a: { version: "1.0.0" }, win: { version: "1.0.0", optional: true } };
  folder({ wanted: ["a"], locked, installed: { a: { version: "1.0.0" } } });
  expect(missingPackages(dir)).toEqual([]);
  folder({ wanted: ["a"], locked, installed: { a: { version: "1.0.0" }, win: { version: "0.9.0" } } });
  expect(missingPackages(dir)).toEqual(["win"]);
});

test("an older, an absent and an unlocked package are each missing", () => {
  const locked = { a: { version: "2.0.0" }, b: { version: "1.0.0" } };
  folder({ wanted: ["a", "b", "c"], locked, installed: { a: { version: "1.0.0" } } });
  expect(missingPackages(dir)).toEqual(["a", "b", "c"]);
});

test("an install that never ran, or was interrupted, is seen", () => {
  folder({ wanted: ["a"], locked: { a: { version: "1.0.0" } }, installed: null });
  expect(missingPackages(dir)).toEqual(["all"]);
  folder({ wanted: ["a"], locked: { a: { version: "1.0.0" } }, installed: { a: { version: "1.0.0" } } });
  mkdirSync(join(dir, ".cache"));
  writeFileSync(join(dir, ".cache", "installing"), "");
  expect(missingPackages(dir)).toEqual(["all"]);
});

/** npm, as it answers to each command in turn; what it was asked. */
function fakeNpm(...answers: { status: number; output: string }[]) {
  const requests: string[] = [];
  const npm = async (args: string[]) => {
    requests.push(args.filter((arg) => !/^--(?:no-audit|no-fund|loglevel)/.test(arg)).join(" "));
    return answers.shift() ?? { status: 1, output: "npm error not expected" };
  };
  return { requests, npm };
}

const said = (promise: Promise<void>): Promise<string> =>
  promise.then(
    () => "done",
    (error: Error) => error.message,
  );

const TAMPERED =
  "npm error code EINTEGRITY\nnpm error Integrity checksum failed when using sha512: wanted sha512-AAAA== but got sha512-BBBB==.\n";

test.each([TAMPERED, TAMPERED.replaceAll("npm error", "npm ERR!").replaceAll("Integrity", "integrity")])(
  "a package whose bytes are not those of the lockfile stops the start, by its name, and nothing else is tried",
  async (output) => {
    const locked = {
      a: { version: "1.0.0", integrity: "sha512-CCCC==" },
      b: { version: "2.0.0", integrity: "sha512-AAAA==" },
    };
    folder({ wanted: ["a", "b"], locked, installed: null });
    const { requests, npm } = fakeNpm({ status: 1, output });
    const message = await said(ensureDeps(dir, { npm }));
    expect(message).toContain("other bytes for b@2.0.0 than package-lock.json allows (EINTEGRITY)");
    expect(message).toContain("wanted sha512-AAAA== but got sha512-BBBB==");
    expect(requests).toEqual(["ci"]);
    // The next start does not take what is there for whole.
    expect(missingPackages(dir)).toEqual(["all"]);
  },
);

test("a lockfile that lacks a package is completed without being changed or left aside", async () => {
  folder({ wanted: ["a"], locked: { a: { version: "1.0.0" } }, installed: null });
  const usage = { status: 1, output: "npm error code EUSAGE\nnpm error Missing: c@1.0.0 from lock file\n" };
  const { requests, npm } = fakeNpm(usage, { status: 0, output: "" });
  expect(await said(ensureDeps(dir, { npm }))).toBe("done");
  expect(requests).toEqual(["ci", "install --no-save"]);
  const tampered = fakeNpm(usage, { status: 1, output: TAMPERED });
  writeFileSync(join(dir, ".cache", "installing"), "");
  expect(await said(ensureDeps(dir, tampered))).toContain("EINTEGRITY");
});

test("any other failure is told in npm's words, and nothing else is tried", async () => {
  folder({ wanted: ["a"], locked: { a: { version: "1.0.0" } }, installed: null });
  const { requests, npm } = fakeNpm({ status: 1, output: "npm error code ENOTFOUND\nnpm error no registry" });
  expect(await said(ensureDeps(dir, { npm }))).toMatch(/no registry[^]*could not install/);
  expect(requests).toEqual(["ci"]);
});

test("the browser that the environment names is taken, and said when it is not there", () => {
  expect(findBrowser({ CHROMIUM_PATH: process.execPath })).toBe(process.execPath);
  expect(() => findBrowser({ CHROMIUM_PATH: join(dir, "none") })).toThrow("no such file");
  expect(findBrowser({ PATH: dir })).toBeNull();
});

test.skipIf(process.platform !== "linux")(
  "a headless shell is taken before a whole Chromium, unless a window is shown",
  () => {
    mkdirSync(join(dir, "first"));
    for (const path of [["first", "chromium"], ["chromium"], ["chromium-headless-shell"]])
      writeFileSync(join(dir, ...path), "");
    const PATH = [join(dir, "first"), dir].join(delimiter);
    expect(findBrowser({ PATH }, { isHeadless: true })).toBe(join(dir, "chromium-headless-shell"));
    expect(findBrowser({ PATH })).toBe(join(dir, "first", "chromium"));
    expect(findBrowser({ PATH: join(dir, "first") }, { isHeadless: true })).toBe(join(dir, "first", "chromium"));
  },
);
