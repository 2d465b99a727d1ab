import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createJobs, type GrepAnswer, type GrepLimits } from "./index.ts";
import type { GrepLine } from "./job-types.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-grep-stream-"));
const engines = { ripgrep: createJobs(), re2: createJobs({ grepEngine: "re2" }) };
afterAll(async () => {
  for (const jobs of Object.values(engines)) await jobs.close();
  rmSync(folder, { recursive: true });
});

const LIMITS: GrepLimits = { deadlineMs: 10_000, lines: 100_000, bytes: 64_000_000, lineChars: 200 };

/** 20 MB, of which every 50th line matches. */
function logFile(): string {
  const path = join(folder, "log.txt");
  const file = openSync(path, "w");
  for (let block = 0; block < 200; block++) {
    let text = "";
    for (let i = block * 1000; i < block * 1000 + 1000; i++)
      text += `${i} ${i % 50 === 0 ? "ERROR" : "info"} ${"x".repeat(90)}\n`;
    writeSync(file, text);
  }
  closeSync(file);
  return path;
}

const path = logFile();

describe.each(["ripgrep", "re2"] as const)("lines that are streamed by %s", (engine) => {
  async function stream(
    pattern: string,
    options: string[],
    limits: Partial<GrepLimits> = {},
    file = path,
  ): Promise<{ batches: (readonly GrepLine[])[]; answer: GrepAnswer }> {
    const batches: (readonly GrepLine[])[] = [];
    const answer = await engines[engine].grep({
      path: file,
      pattern,
      options,
      limits: { ...LIMITS, ...limits },
      onLines: (lines) => batches.push(lines),
    });
    return { batches, answer };
  }

  test("come in batches, each line once and in order, and are the answer's lines", async () => {
    for (const options of [[], ["-C2"], ["-o"], ["-v"], ["-A1", "-m100"]]) {
      const { batches, answer } = await stream("ERROR", options);
      if (!answer.ok) throw new Error(answer.message);
      expect(batches.flat()).toEqual(answer.lines);
      expect(answer.matches).toBeGreaterThan(0);
      if (options.length === 0) expect(batches.length).toBeGreaterThan(1);
    }
  });

  test("stop where the limit is, and the rest is counted", async () => {
    for (const lines of [1, 2, 7, 100]) {
      const { batches, answer } = await stream("ERROR", ["-B3"], { lines });
      if (!answer.ok) throw new Error(answer.message);
      expect(batches.flat()).toEqual(answer.lines);
      expect(answer.lines.length).toBeLessThanOrEqual(lines);
      expect(answer.matches).toBe(4000);
    }
  });

  test("are nothing where nothing matches, and where the pattern is none", async () => {
    const nothing = await stream("nowhere", []);
    expect([nothing.batches, nothing.answer.ok]).toEqual([[], true]);
    const wrong = await stream("(", []);
    expect([wrong.batches, wrong.answer]).toMatchObject([[], { ok: false, kind: "pattern" }]);
  });
});

test("what was found before the deadline stands, from a thread too", async () => {
  const line = `ERROR first\n${`${"a".repeat(500)}\n`.repeat(60_000)}`;
  const late = join(folder, "late.txt");
  writeFileSync(late, line.repeat(3));
  const batches: (readonly GrepLine[])[] = [];
  const answer = await engines.re2.grep({
    path: late,
    pattern: "ERROR|(a+a+)+b",
    options: [],
    limits: { ...LIMITS, deadlineMs: 250 },
    onLines: (lines) => batches.push(lines),
  });
  // A fast machine may be through with it, and has all three; a slow one not with its first piece, and has none.
  expect(batches.flat()).toEqual(answer.ok ? answer.lines : []);
  if (answer.ok) expect(answer.lines[0]).toMatchObject({ line: 1, text: "ERROR first" });
  else expect(answer.kind).toBe("timeout");
});
