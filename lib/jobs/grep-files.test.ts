import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createJobs } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-grep-files-"));
const jobs = createJobs();
const plain = createJobs({ grepEngine: "re2" });
afterAll(async () => {
  await jobs.close();
  await plain.close();
  rmSync(folder, { recursive: true });
});

const put = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const paths = Array.from({ length: 300 }, (_, at) =>
  put(`tide ${at}.log`, `calm\n${at % 7 === 0 ? "Storm at sea" : "fair"}\n`),
);
const ask = { pattern: "storm", options: ["-i"], paths, deadlineMs: 10_000 };
const stormy = paths.filter((_, at) => at % 7 === 0);

test("the files of many that hold a match are named at once", async () => {
  const answer = await jobs.grepFiles(ask);
  expect(answer).toMatchObject({ ok: true, isAll: true });
  expect(answer.ok && [...answer.files].toSorted()).toEqual(stormy.toSorted());
  const without = await jobs.grepFiles({ ...ask, pattern: "calm|fair", options: ["-v"] });
  expect(without.ok && [...without.files].toSorted()).toEqual(stormy.toSorted());
});

test("a file that was swept holds no match, and the others are searched", async () => {
  const answer = await jobs.grepFiles({ ...ask, paths: [join(folder, "swept.log"), ...paths.slice(0, 8)] });
  expect(answer.ok && [...answer.files].toSorted()).toEqual([paths[0]!, paths[7]!].toSorted());
});

test("without ripgrep every file is worth a search, and a wrong pattern is told by both", async () => {
  const all = await plain.grepFiles(ask);
  expect(all.ok && all.files.size).toBe(paths.length);
  for (const engine of [jobs, plain]) {
    expect(await engine.grepFiles({ ...ask, pattern: "(" })).toMatchObject({ ok: false, kind: "pattern" });
    expect(await engine.grepFiles({ ...ask, options: ["--files"] })).toMatchObject({ ok: false, kind: "option" });
  }
});

test("one that nobody waits for is stopped, and what came before the deadline stands", async () => {
  const stop = new AbortController();
  stop.abort(new Error("left"));
  await expect(jobs.grepFiles({ ...ask, signal: stop.signal })).rejects.toThrow("left");
  expect(await jobs.grepFiles({ ...ask, deadlineMs: 0 })).toMatchObject({ ok: true, isAll: false });
});
