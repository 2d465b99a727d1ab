// What `npm test` says of a run: counts, and below its line what failed, with nothing that passing tests printed.
import { expect, test } from "vitest";
import { outcomeOfBrowser, outcomeOfUnit } from "./test.mjs";

const unit = (...testResults: object[]) => ({
  numPassedTests: 3,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults,
});
const of = (status: string, fullName: string, ...failureMessages: string[]) => ({ status, fullName, failureMessages });

test("of unit tests that pass it shows what was skipped alone", () => {
  const file = { name: "/here/lib/a.test.ts", status: "passed", assertionResults: [of("passed", "adds")] };
  const skipped = { name: "/here/lib/b.test.ts", status: "passed", assertionResults: [of("skipped", "waits")] };
  expect(outcomeOfUnit(unit(file), 0, "words of a test", "/here")).toEqual({
    passed: 3,
    failed: 0,
    skipped: 0,
    details: [],
  });
  expect(outcomeOfUnit(unit(file, skipped), 0, "", "/here").details).toEqual(["1 skipped: lib/b.test.ts"]);
});

test("of unit tests that pass it says which part needed a second try", () => {
  const test = { ...of("passed", "agents"), meta: { secondTries: ["restore calls: 2 of 3"] } };
  const file = { name: "/here/scripts/agents.test.ts", status: "passed", assertionResults: [test] };
  expect(outcomeOfUnit(unit(file), 0, "", "/here").details).toEqual([
    "needed a second try: scripts/agents.test.ts › restore calls: 2 of 3",
  ]);
});

test("of unit tests that fail it shows each, a file that does not load, and an error that is no test's", () => {
  const failing = {
    name: "/here/lib/a.test.ts",
    status: "failed",
    assertionResults: [of("failed", "adds", "2 is no 3")],
  };
  const report = { ...unit(failing), numFailedTests: 1 };
  expect(outcomeOfUnit(report, 1, "", "/here")).toMatchObject({
    failed: 1,
    details: ["lib/a.test.ts › adds\n2 is no 3"],
  });
  const broken = { name: "/here/lib/c.test.ts", status: "failed", message: "No such module", assertionResults: [] };
  expect(outcomeOfUnit(unit(broken), 1, "", "/here")).toMatchObject({
    failed: 1,
    details: ["lib/c.test.ts\nNo such module"],
  });
  const unprepared = { ...broken, message: "No registry", assertionResults: [of("skipped", "installs")] };
  expect(outcomeOfUnit(unit(unprepared), 1, "", "/here")).toMatchObject({
    failed: 1,
    details: ["lib/c.test.ts\nNo registry", "1 skipped: lib/c.test.ts"],
  });
  expect(outcomeOfUnit(unit(), 1, "Unhandled error: late\n", "/here")).toMatchObject({
    failed: 1,
    details: ["Unhandled error: late"],
  });
});

test("of browser tests it shows each that failed, below any describe, and each that needed a second try", () => {
  const spec = (title: string, status: string, ...messages: string[]) => ({
    file: "load.spec.ts",
    title,
    tests: [{ status, results: messages.map((message) => ({ error: { message } })) }],
  });
  const suites = [
    { specs: [spec("opens", "expected")], suites: [{ specs: [spec("draws", "unexpected", "first", "then\nmore")] }] },
    { specs: [spec("scrolls", "flaky", "late")] },
  ];
  const stats = { expected: 1, unexpected: 1, flaky: 1, skipped: 2 };
  expect(outcomeOfBrowser({ stats, suites }, 1, "")).toEqual({
    passed: 2,
    failed: 1,
    skipped: 2,
    details: ["load.spec.ts › draws\nthen\nmore", "needed a second try: load.spec.ts › scrolls"],
  });
  const green = { stats: { ...stats, unexpected: 0 }, suites: [] };
  expect(outcomeOfBrowser(green, 1, "The browser did not start.")).toMatchObject({
    failed: 1,
    details: ["The browser did not start."],
  });
});
