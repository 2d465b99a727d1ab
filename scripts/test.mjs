// `npm test`: every check, side by side, then every suite in order, all of them even when one fails; a line each with what failed
// below it, and a line of totals. What the tools and the tests print besides is shown of what failed alone.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { ensureBrowser } from "./browser.mjs";
import { ensureBuild } from "./build.mjs";
import { CHECKS, lineOf, quietly, tool } from "./checks.mjs";
import { Interrupted, Problem, root, run } from "./run.mjs";

const results = join(root, ".cache", "results");

/** What makes Playwright show a window, which a headless shell cannot. */
const SHOWS_WINDOW = /^--(headed|debug|ui)/;

/** Lines of one failure that are shown. */
const SHOWN = 30;

/** Runs everything; 0 when nothing failed. `args` go to the unit tests. */
export async function runTests(node, args) {
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const totals = { passed: 0, failed: 0, skipped: 0 };
  let isBuilt = false;
  const take = (name, startedAt, { details, ...counts }) => {
    for (const key of Object.keys(totals)) totals[key] += counts[key];
    showRunning("");
    console.log(lineOf(name, counts.failed > 0, startedAt, wordsOf(counts)));
    for (const text of details) console.log(indented(text));
  };
  showRunning("checks");
  const begunAt = Date.now();
  await Promise.all(
    CHECKS.map(async ([name, check]) => take(name, begunAt, await outcomeOf(async () => checked(await check(node))))),
  );
  const suites = [
    ["unit and contract tests", () => unitTests(node, args)],
    [
      "build",
      async () => {
        await ensureBuild(node);
        isBuilt = true;
        return { passed: 1, failed: 0, skipped: 0, details: [] };
      },
    ],
    [
      "browser tests",
      () => {
        if (isBuilt) return browserTests(node);
        throw new Problem("The browser tests need the build, which failed.");
      },
    ],
  ];
  for (const [name, suite] of suites) {
    const startedAt = Date.now();
    showRunning(name);
    take(name, startedAt, await outcomeOf(suite));
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  return totals.failed === 0 ? 0 : 1;
}

async function outcomeOf(step) {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Interrupted || !(error instanceof Problem)) throw error;
    return failure(error.message);
  }
}

const failure = (...details) => ({ passed: 0, failed: 1, skipped: 0, details });

const checked = ({ status, output }) =>
  status === 0 ? { passed: 1, failed: 0, skipped: 0, details: [] } : failure(output.trim());

/** The step that runs, on a terminal; an empty name takes it away. */
function showRunning(name) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${name === "" ? "" : `…       ${name}`}`);
}

function wordsOf({ passed, failed, skipped }) {
  if (passed + failed + skipped <= 1) return "";
  return `  ${[`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`].filter(Boolean).join(", ")}`;
}

const indented = (text) => text.replace(/^(?=.)/gm, "        ");

const head = (text) => text.split("\n").slice(0, SHOWN).join("\n");

async function unitTests(node, args) {
  const file = join(results, "vitest.json");
  const reporters = ["--reporter=json", `--outputFile.json=${file}`];
  const { status, output } = await quietly(node, tool("vitest/vitest.mjs", "run", ...reporters, ...args));
  const report = readReport(file);
  if (!report) return failure(output.trim());
  return outcomeOfUnit(report, status, output);
}

/** What a report of vitest says, as counts and the text of what failed or was skipped. */
export function outcomeOfUnit(report, status, output, folder = root) {
  const details = [];
  // A file that does not load, or whose preparation fails, has no test that fails.
  let broken = 0;
  for (const { name, status: loaded, message, assertionResults: tests } of report.testResults) {
    const path = relative(folder, name);
    if (loaded === "failed" && !tests.some(({ status: ended }) => ended === "failed")) {
      broken++;
      details.push(`${path}\n${head(message ?? "")}`);
    }
    for (const { status: ended, fullName, failureMessages, meta } of tests) {
      if (ended === "failed") details.push(`${path} › ${fullName}\n${head(failureMessages.join("\n"))}`);
      for (const what of meta?.secondTries ?? []) details.push(`needed a second try: ${path} › ${what}`);
    }
    const skipped = tests.filter(({ status: ended }) => ended !== "passed" && ended !== "failed").length;
    if (skipped > 0) details.push(`${skipped} skipped: ${path}`);
  }
  const counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  // Such as an error that no test awaited: vitest fails for it, and the report does not name it.
  if (status !== 0 && counts.failed === 0) return { ...counts, failed: 1, details: [...details, output.trim()] };
  return { ...counts, details };
}

async function browserTests(node) {
  const file = join(results, "playwright.json");
  const env = { CHROMIUM_PATH: await ensureBrowser(node, { isHeadless: true }), PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  const { status, output } = await quietly(node, tool("@playwright/test/cli.js", "test", "--reporter=json"), env);
  const report = readReport(file);
  if (!report) return failure(output.trim());
  return outcomeOfBrowser(report, status, output);
}

/** What a report of Playwright says, as counts and the text of what failed or needed a second try. */
export function outcomeOfBrowser(report, status, output) {
  const { expected, unexpected, flaky, skipped } = report.stats;
  const details = specsOf(report).flatMap(({ file, title, tests }) =>
    tests.flatMap(({ status: ended, results: runs }) => {
      if (ended === "flaky") return [`needed a second try: ${file} › ${title}`];
      if (ended !== "unexpected") return [];
      return [`${file} › ${title}\n${head(runs.at(-1)?.error?.message ?? "")}`];
    }),
  );
  const counts = { passed: expected + flaky, failed: unexpected, skipped };
  if (status !== 0 && unexpected === 0) return { ...counts, failed: 1, details: [...details, output.trim()] };
  return { ...counts, details };
}

/** Every test of a report, below however many describes. */
function specsOf({ specs = [], suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
}

/** Unit tests of some files, as vitest shows them; with `--watch` again after each change. */
export function runUnit(node, args) {
  const isWatch = args.includes("--watch");
  const files = args.filter((one) => one !== "--watch" && one !== "--");
  return run(node, tool("vitest/vitest.mjs", isWatch ? "watch" : "run", ...files));
}

/** Browser tests of some files, as Playwright shows them. */
export async function runBrowser(node, args) {
  await ensureBuild(node);
  const isHeadless = !args.some((one) => SHOWS_WINDOW.test(one));
  const env = { CHROMIUM_PATH: await ensureBrowser(node, { isHeadless }) };
  return run(node, tool("@playwright/test/cli.js", "test", ...args), { env });
}
