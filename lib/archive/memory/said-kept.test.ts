import { describe, expect, test } from "vitest";
import { answer, jsonl, prompt, text } from "#lib/formats/claude-code/testing-claude.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { importPaths } from "../import/import-paths.ts";
import { inArchive, put } from "../testing-archive.ts";
import { compactSession } from "./compact.ts";
import { ingest } from "./ingest-records.ts";
import { userRecord, request, said } from "./testing-run.ts";

const GOAL = "Move the harbour's tide log to streams, without losing a reading.";
const LIMITS = ["Never delete rows.", "Don't touch the public schema.", "Niemals auf main pushen."];

/** What the person says in turn n of so many: limits in the first half, ordinary words elsewhere. */
function wordsOf(n: number, turns: number): string {
  if (n === 0) return `${GOAL} It takes hours now.`;
  const limit = LIMITS[n - 1 - Math.floor(turns / 4)];
  return limit === undefined ? `Go on with part ${n}.` : `Part ${n} then. ${limit}`;
}

async function tell(archive: Archive, id: string, from: number, to: number, turns: number): Promise<void> {
  const records = Array.from({ length: to - from }, (_, i) => [
    userRecord(`u${from + i}`, wordsOf(from + i, turns)),
    said(`a${from + i}`, `Part ${from + i} reads from pier_${from + i}.log in \`readPier${from + i}\` now.`),
  ]).flat();
  for (let at = 0; at < records.length; at += 1000) await ingest(archive, id, records.slice(at, at + 1000));
}

function expectSaid(summary: string, turns: number, last: number): void {
  expect(summary).toContain(GOAL);
  for (let n = 0; n < last; n++)
    for (const limit of LIMITS) if (wordsOf(n, turns).includes(limit)) expect(summary).toContain(limit);
  for (const n of [last - 1, last - 2, last - 3]) if (n >= 0) expect(summary).toContain(wordsOf(n, turns).slice(0, 20));
}

describe("the goal, the limits and the newest three messages", () => {
  test.each([
    [30, 1000],
    [30, 12_000],
    [120, 1000],
    [120, 4000],
    [2000, 1000],
    [2000, 12_000],
  ])("are in the summary of %i turns within %i characters", (turns, budgetChars) =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "run" });
      await tell(archive, id, 0, turns, turns);
      const { summary, status } = await compactSession(archive, id, request({ budgetChars, tail: 1 }));
      expect(status).toBe("complete");
      expect(summary.length).toBeLessThanOrEqual(budgetChars);
      expectSaid(summary, turns, turns - 1);
    }),
  );

  test("are still there when a later compaction folds the summary of an earlier one, three times", () =>
    inArchive(async (archive) => {
      const { id } = await createSession(archive, { id: "run" });
      for (let part = 0; part < 4; part++) {
        await tell(archive, id, part * 50, (part + 1) * 50, 200);
        const { summary, status } = await compactSession(archive, id, request({ budgetChars: 2000, tail: 1 }));
        expect(status).toBe("complete");
        expectSaid(summary, 200, (part + 1) * 50 - 1);
        const head = summary.split("\n")[0]!;
        const [, from, to] = /\(events (\d+)–(\d+)\)/.exec(head)!;
        expect(Number(from)).toBeLessThan(Number(to));
        expect(head.includes("with the summary before them")).toBe(part > 0);
      }
    }));

  test("are in the plan of an imported session", () =>
    inArchive(async (archive, logs) => {
      const lines = Array.from({ length: 120 }, (_, n) => [
        prompt(`p${n}`, n * 10, wordsOf(n, 120)),
        answer(`b${n}`, n * 10 + 3, `k${n}`, text(`Part ${n} reads from pier_${n}.log now.`)),
      ]).flat();
      await put(logs, "one.jsonl", jsonl(...lines));
      await importPaths(archive, [logs]);
      const { id } = archive.sqlite.prepare("SELECT id FROM sessions").get() as { id: string };
      const { summary, kind, reason } = await compactSession(archive, id, request({ budgetChars: 1500, tail: 1 }));
      expect(reason).toBeNull();
      expect(kind).toBe("plan");
      expectSaid(summary, 120, 119);
    }));
});

test("what is said to be kept is counted from the text that was written", () =>
  inArchive(async (archive) => {
    const { id } = await createSession(archive, { id: "run" });
    await ingest(
      archive,
      id,
      Array.from({ length: 26 }, (_, n) => [
        userRecord(`u${n}`, `Part ${n} please.`),
        said(`a${n}`, `I decided to keep the tide reader of harbour number ${n} because the importer still needs it.`),
      ]).flat(),
    );
    const { summary, kept } = await compactSession(archive, id, request({ budgetChars: 1500, tail: 1 }));
    const there = summary.split("\n").filter((line) => line.includes("I decided to keep the tide reader")).length;
    expect(there).toBeLessThan(25);
    expect(kept.decisions).toEqual({ kept: there, total: 25 });
  }));
