// The inspection of a log and its memory: what a kill could do wrong is found when it is done on purpose.
import { expect, test } from "vitest";
import { createSession } from "#lib/archive/artifacts/create-session.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { compactSession, undoCompaction } from "#lib/archive/memory/compact.ts";
import { ingest } from "#lib/archive/memory/ingest-records.ts";
import { request } from "#lib/archive/memory/testing-run.ts";
import { inArchive } from "#lib/archive/testing-archive.ts";
import { again, crashTurn, memoryTrouble, type IngestedState } from "./inspect-memory.ts";

/** What is wrong after turns were ingested, one compaction undone, another made, and something done to the archive. */
const after = (harm: (archive: Archive, undone: string, holds: string) => void): Promise<string> =>
  inArchive(async (archive) => {
    await createSession(archive, { id: "crash" });
    const result = new Map<string, number>();
    for (let n = 1; n <= 5; n++) {
      const records = crashTurn(n);
      const { seqs } = await ingest(archive, "plimsoll:crash", records);
      records.forEach(({ uuid }, i) => typeof uuid === "string" && result.set(uuid, seqs[i]!));
    }
    const [undone, holds] = [await compact(archive), await compact(archive)].map(String) as [string, string];
    const state: IngestedState = {
      ingested: result,
      compacted: new Set([undone, holds]),
      undone: new Set([undone]),
      maybeUndone: new Set([undone]),
    };
    archive.sqlite.pragma("foreign_keys = OFF");
    harm(archive, undone, holds);
    return memoryTrouble(archive, state, "opened").join("; ");
  });

let isFirst = true;
async function compact(archive: Archive): Promise<string> {
  const { id } = await compactSession(archive, "plimsoll:crash", request({ tail: 1 }));
  if (isFirst) await undoCompaction(archive, id!);
  isFirst = !isFirst;
  return id!;
}

test("a log to which nothing was done is sound, and everything can be asked for again", async () => {
  expect(await after(() => undefined)).toBe("");
  await inArchive(async (archive) => {
    await createSession(archive, { id: "crash" });
    for (let n = 1; n <= 3; n++) await ingest(archive, "plimsoll:crash", crashTurn(n));
    expect(await again(archive, 5)).toEqual([]);
  });
});

test.each<[string, string, RegExp]>([
  ["an event that is gone", "DELETE FROM events WHERE id % 4294967296 = 3", /was event 3 and is/],
  ["a summary that is gone", "DELETE FROM events WHERE body LIKE '%injected%'", /has no summary/],
  ["a compaction without a row", "DELETE FROM compactions WHERE status = 'complete'", /has no row/],
  ["a row without its event", "DELETE FROM events WHERE type = 'compaction'", /has no event/],
  ["items that are gone", "DELETE FROM episodic_items", /has not its items/],
  ["a snapshot that is gone", "DELETE FROM snapshots", /has not its snapshot/],
  ["an undo that is forgotten", "UPDATE compactions SET status = 'complete'", /half undone|holds again/],
  ["an undo that nobody asked for", "UPDATE compactions SET status = 'undone'", /unasked/],
])("%s is found", async (_, sql, found) => {
  expect(await after(({ sqlite }) => sqlite.exec(sql))).toMatch(found);
});
