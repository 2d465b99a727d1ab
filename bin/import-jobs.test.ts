import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ImportJobs } from "./import-jobs.ts";
import type { Job } from "./import-messages.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const job = (id: string, quiet = false): Job => ({ id, paths: [`/synthetic/${id}.jsonl`], final: true, quiet });
const running = (id: string) => ({
  id,
  state: "running" as const,
  filesDone: 0,
  files: 3,
  bytesDone: 0,
  bytes: 100,
  events: 0,
  current: null,
  reason: null,
});

test("imports that run and wait are listed until they end, those of the watcher too", () => {
  const jobs = new ImportJobs(() => undefined);
  jobs.add(job("a"));
  jobs.add(job("b", true));
  jobs.note(running("a"), false);
  expect(jobs.list().map(({ id, state }) => [id, state])).toEqual([
    ["a", "running"],
    ["b", "waiting"],
  ]);
  jobs.end("a");
  expect(jobs.list().map(({ id }) => id)).toEqual(["b"]);
});

test("an import of the watcher is shown once it takes long", () => {
  const jobs = new ImportJobs(() => undefined);
  jobs.add(job("q", true));
  expect(jobs.note(running("q"), true)).toBe(false);
  vi.advanceTimersByTime(2500);
  expect(jobs.note(running("q"), true)).toBe(true);
});

test("what a node brings is not tried again when it failed: its file is gone", () => {
  const jobs = new ImportJobs(() => expect.unreachable());
  jobs.add({ ...job("a"), isCopy: true });
  expect(jobs.fail("a", "The disk is full.")).toMatchObject({ state: "done" });
  expect(jobs.list()).toEqual([]);
  vi.advanceTimersByTime(10_000_000);
});

test("an import that failed is listed with its reason, and tried again three times, later each time", () => {
  const tried: Omit<Job, "id">[] = [];
  const jobs: ImportJobs = new ImportJobs((given) => {
    tried.push(given);
    jobs.add({ ...given, id: `again${tried.length}` });
  });
  jobs.add(job("a"));
  expect(jobs.fail("a", "The disk is full.")).toMatchObject({ state: "failed", reason: "The disk is full." });
  expect(jobs.list()).toMatchObject([{ id: "a", state: "failed" }]);
  for (const [n, pause] of [5000, 30_000, 120_000].entries()) {
    vi.advanceTimersByTime(pause - 1);
    expect(tried).toHaveLength(n);
    vi.advanceTimersByTime(1);
    expect(tried).toHaveLength(n + 1);
    jobs.fail(`again${n + 1}`, "The disk is full.");
  }
  vi.advanceTimersByTime(10_000_000);
  expect(tried).toHaveLength(3);
  expect(tried[0]).toMatchObject({ paths: ["/synthetic/a.jsonl"], attempt: 1 });
});

test("a retry by hand comes at once, and instead of the one by itself", () => {
  const tried: unknown[] = [];
  const jobs = new ImportJobs((given) => void tried.push(given));
  jobs.add(job("a"));
  jobs.fail("a", "No.");
  expect(jobs.retry("a")).toBe(true);
  expect(jobs.retry("a")).toBe(false);
  vi.advanceTimersByTime(1_000_000);
  expect(tried).toHaveLength(1);
  jobs.add(job("b"));
  jobs.fail("b", "No.");
  expect([jobs.forget("b"), jobs.forget("b"), jobs.list()]).toEqual([true, false, []]);
});

test("a retry that cannot be submitted leaves the import to the next one, and ends nothing else", () => {
  const submitted: unknown[] = [];
  let isGone = true;
  const said = vi.spyOn(console, "error").mockReturnValue(undefined);
  const jobs = new ImportJobs((again) => {
    // The archive's disk cannot be read at the moment.
    if (isGone) throw new Error("disk I/O error");
    submitted.push(again);
  });
  jobs.add(job("a"));
  jobs.fail("a", "The import stopped.");
  vi.advanceTimersByTime(6000);
  expect(jobs.list()).toMatchObject([{ id: "a", state: "failed" }]);
  expect(() => jobs.retry("a")).toThrow("disk I/O error");
  isGone = false;
  vi.advanceTimersByTime(200_000);
  expect(submitted).toMatchObject([{ paths: ["/synthetic/a.jsonl"] }]);
  said.mockRestore();
});
