// One answer of Claude Code whose lines are in two files: cut by rotation, or copied while it came in. The call counts once, with its
// last usage.
import { join } from "node:path";
import { expect, test } from "vitest";
import { query } from "#db/statement.ts";
import {
  answer,
  asks,
  idOf,
  jsonl,
  prompt,
  result,
  SESSION,
  text,
  used,
} from "#lib/formats/claude-code/testing-claude.ts";
import type { Archive } from "../base/archive-type.ts";
import { Batch } from "../base/batch.ts";
import { check } from "../upkeep/check-archive.ts";
import { showSession } from "../sessions/show-session.ts";
import { inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";
import { removeSource } from "./remove-source.ts";

const LINES = [
  prompt("p1", 0, "How high is the tide?"),
  answer("a1", 1, "1", text("I look."), { usage: used(10, 100, 20, 1), stop: null }),
  answer("a2", 2, "1", asks("t1", "Read", { file: "tide" }), { usage: used(10, 100, 20, 1), stop: null }),
  answer("a3", 3, "1", asks("t2", "Read", { file: "moon" }), { usage: used(10, 100, 20, 40), stop: "tool_use" }),
  result("r1", 4, "t1", "high"),
  result("r2", 5, "t2", "full"),
  answer("b1", 6, "2", text("High."), { usage: used(1, 130, 9, 7) }),
];

const spent = ({ sqlite }: Archive) =>
  query(
    sqlite,
    { calls: "integer", sent: "integer", output: "integer", usd: "text" },
    "SELECT count(*) AS calls, sum(input_uncached + cache_read + cache_write) AS sent, sum(output) AS output, format('%.6f', sum(usd)) AS usd FROM model_calls WHERE inherited = 0",
  ).get();

const WHOLE = { calls: 2, sent: 270, output: 47, usd: "0.000058" };

test.each([
  [false, 2],
  [true, 2],
  [false, 3],
  [true, 3],
])("a file cut within an answer, the end read first: %s, cut at %i", (isEndFirst, at) =>
  inArchive(async (archive, logs) => {
    const start = put(logs, `a/${SESSION}.jsonl`, jsonl(...LINES.slice(0, at)));
    const end = put(logs, `b/${SESSION}.jsonl`, jsonl(...LINES.slice(at)));
    for (const path of isEndFirst ? [end, start] : [start, end]) await importPaths(archive, [path]);
    expect(spent(archive)).toEqual(WHOLE);
    expect((await check(archive)).problems).toEqual([]);
    for (const name of archive.sqlite.prepare("SELECT id FROM sessions").pluck().all() as string[])
      expect((await showSession(archive, name)).relation).toBe("root");
    const batch = new Batch(archive);
    batch.begin();
    removeSource(archive, batch, end);
    batch.commit();
    expect(spent(archive)).toMatchObject({ calls: 1, output: 1 });
  }),
);

test.each([false, true])(
  "a fork made within an answer, read first: %s; the answer ends in the original",
  (isForkFirst) =>
    inArchive(async (archive, logs) => {
      const fork = idOf("an early fork");
      const more = (line: Record<string, unknown>): Record<string, unknown> => ({ ...line, sessionId: fork });
      const early = put(logs, `${fork}.jsonl`, jsonl(...LINES.slice(0, 2).map(more)));
      const path = join(logs, `${SESSION}.jsonl`);
      if (isForkFirst) await importPaths(archive, [early]);
      // The original grows beside it, line by line.
      for (let n = 1; n <= LINES.length; n++) {
        put(logs, `${SESSION}.jsonl`, jsonl(...LINES.slice(0, n)));
        await importPaths(archive, [path], { final: false });
        if (n === 2) await importPaths(archive, [early]);
      }
      expect(spent(archive)).toEqual(WHOLE);
      expect((await check(archive)).problems).toEqual([]);
    }),
);

test("an answer that ends in a fork counts there, also where thousands of calls came with its end", () =>
  inArchive(async (archive, logs) => {
    const fork = idOf("an early fork");
    const more = (line: Record<string, unknown>): Record<string, unknown> => ({ ...line, sessionId: fork });
    // It has more records than its original from the first: the order of the two stays.
    const own = prompt("f1", 2, "Go on here.");
    const later = Array.from({ length: 4100 }, (_, n) =>
      answer(`l${n}`, 10 + n, `l${n}`, text("Still."), { usage: used(1, 0, 0, 1) }),
    );
    put(logs, `${SESSION}.jsonl`, jsonl(...LINES.slice(0, 2)));
    const path = put(logs, `${fork}.jsonl`, jsonl(...[...LINES.slice(0, 2), own].map(more)));
    await importPaths(archive, [logs], { final: false });
    put(logs, `${fork}.jsonl`, jsonl(...[...LINES.slice(0, 2), own, ...LINES.slice(2, 4), ...later].map(more)));
    await importPaths(archive, [path], { final: false });
    expect(spent(archive)).toMatchObject({ calls: 4101, sent: 130 + 4100, output: 40 + 4100 });
    expect((await check(archive)).problems).toEqual([]);
  }));

test("counts that come behind all events of an answer count where they came, read at once or as they came", () =>
  inArchive(async (archive, logs) => {
    const start = "2026-03-01T10:00:00.000Z";
    const said = { id: "00000003-0000-4000-8000-00000000000a", timestamp: start, type: "gemini", content: "Six." };
    const fileOf = (name: string, ...more: readonly Record<string, unknown>[]): string =>
      put(
        logs,
        `${name}/gemini.jsonl`,
        jsonl(
          { sessionId: name, projectHash: "ab".repeat(32), startTime: start, lastUpdated: start, kind: "main" },
          {
            ...said,
            id: "00000002-0000-4000-8000-00000000000a",
            type: "user",
            content: [{ text: "How many corals?" }],
          },
          { ...said, model: "gemini-2.5-pro" },
          ...more,
        ),
      );
    const tokens = { input: 1200, output: 30, cached: 0, thoughts: 0, tool: 0, total: 1230 };
    const [a, b] = ["0c0ffee0-0000-4000-8000-0000000000e1", "0c0ffee0-0000-4000-8000-0000000000e2"];
    fileOf(a);
    fileOf(b);
    await importPaths(archive, [logs], { final: false });
    expect(spent(archive)).toMatchObject({ calls: 1, sent: 0 });
    for (const name of [b, a]) {
      const path = fileOf(name, { ...said, model: "gemini-2.5-pro", tokens });
      expect((await importPaths(archive, [path], { final: false })).totals.events).toBe(0);
      expect(spent(archive), name).toMatchObject({ calls: 1, sent: 1200, output: 30 });
    }
    expect((await check(archive)).problems).toEqual([]);
  }));
