// `npm test`: every check in order, all of them even when one fails, and one line of totals at the end.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBrowser } from "./browser.mjs";
import { ensureBuild } from "./build.mjs";
import { Interrupted, Problem, root, run } from "./run.mjs";

const results = join(root, ".cache", "results");

/** Runs everything; 0 when nothing failed. */
export async function runTests(node, args) {
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const add = (name, counts, startedAt) => {
    for (const key of Object.keys(totals)) totals[key] += counts[key];
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.log(`${counts.failed ? "FAILED" : "ok"}  ${name}  ${seconds} s\n`);
  };
  const tool = (path, ...words) => [join(root, "node_modules", path), ...words];

  let isBuilt = false;
  const steps = [
    ["formatting", () => check(node, tool("oxfmt/bin/oxfmt", "--check", "."))],
    ["lint", () => check(node, tool("oxlint/bin/oxlint", "--deny-warnings", "."))],
    ["types", () => types(node, tool)],
    ["unit and contract tests", () => unitTests(node, tool, args)],
    [
      "build",
      async () => {
        await ensureBuild(node);
        isBuilt = true;
        return passed();
      },
    ],
    [
      "browser tests",
      () => {
        if (isBuilt) return browserTests(node, tool);
        throw new Problem("The browser tests need the build, which failed.");
      },
    ],
  ];
  for (const [name, step] of steps) {
    console.log(`— ${name}`);
    const startedAt = Date.now();
    try {
      add(name, await step(), startedAt);
    } catch (error) {
      if (error instanceof Interrupted || !(error instanceof Problem)) throw error;
      console.error(error.message);
      add(name, failed(), startedAt);
    }
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  return totals.failed === 0 ? 0 : 1;
}

const passed = () => ({ passed: 1, failed: 0, skipped: 0 });
const failed = () => ({ passed: 0, failed: 1, skipped: 0 });

async function check(node, words) {
  const status = await run(node, words);
  stopOnInterrupt(status);
  return status === 0 ? passed() : failed();
}

async function types(node, tool) {
  // tsc reads the types of routes that Next writes; stale ones of a deleted page would fail it.
  const status = await run(node, tool("next/dist/bin/next", "typegen"), { quiet: true });
  stopOnInterrupt(status);
  return check(node, tool("typescript/bin/tsc", "--noEmit", "-p", "."));
}

async function unitTests(node, tool, args) {
  const file = join(results, "vitest.json");
  const words = tool(
    "vitest/vitest.mjs",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${file}`,
    ...args,
  );
  const status = await run(node, words);
  stopOnInterrupt(status);
  const report = readReport(file);
  if (!report) return failed();
  // A file that does not load has no test that could fail.
  const broken = report.testResults.filter(
    (one) => one.status === "failed" && one.assertionResults.length === 0,
  ).length;
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function browserTests(node, tool) {
  const folder = join(root, "e2e");
  const specs = existsSync(folder)
    ? readdirSync(folder, { recursive: true }).filter((path) => /\.spec\.ts$/.test(path))
    : [];
  if (specs.length === 0) {
    console.log("no browser test is here");
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const file = join(results, "playwright.json");
  const env = { CHROMIUM_PATH: await ensureBrowser(node), PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  const status = await run(node, tool("@playwright/test/cli.js", "test", "--reporter=list,json"), { env });
  stopOnInterrupt(status);
  const report = readReport(file);
  if (!report) return failed();
  const { expected, unexpected, flaky, skipped } = report.stats;
  if (flaky > 0) console.log(`${flaky} of them needed a second try`);
  const counts = { passed: expected + flaky, failed: unexpected, skipped };
  return status !== 0 && unexpected === 0 ? { ...counts, failed: 1 } : counts;
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

function stopOnInterrupt(status) {
  if (status === 130 || status === 143 || status === 129) throw new Interrupted("The tests were interrupted.");
}
