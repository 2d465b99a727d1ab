// The end of a long session is settled piece by piece: others write meanwhile, and what stands in the archive is the same.
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { answer, idOf, jsonl, prompt, text, used } from "#lib/formats/claude-code/testing-claude.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { createSession } from "../artifacts/create-session.ts";
import type { Archive } from "../base/archive-type.ts";
import { dumpOf, inArchive, put } from "../testing-archive.ts";
import { importPaths } from "./import-paths.ts";

const STEPS = 60;
const EVENTS = 2 * STEPS;

/** Prompts and answers with usage; a fork repeats them under its own session id. */
const steps = (sessionId: string, from: number, count: number): string =>
  Array.from({ length: count }, (_, i) => from + i)
    .map((n) =>
      jsonl(
        prompt(`p${n}`, n * 10, `Do step ${n}`, { sessionId }),
        answer(`a${n}`, n * 10 + 1, `${n}`, text(`On ${n}`), { usage: used(n, 10, 7, 20), more: { sessionId } }),
      ),
    )
    .join("");

const ROOT = idOf("root");
const FORK = idOf("fork");
const root = steps(ROOT, 0, STEPS);
const fork = steps(FORK, 0, 20) + steps(FORK, 1000, STEPS - 10);

/** Runs with small pieces, where every step ends a batch. */
async function inPieces<T>(run: () => Promise<T>): Promise<T> {
  const before = { ...LIMITS };
  Object.assign(LIMITS, { settledEvents: 10, settledCalls: 5, batchMs: 0 });
  try {
    return await run();
  } finally {
    Object.assign(LIMITS, before);
  }
}

/** Calls `work` whenever an import lets others write while the sessions' events are there, and they are not settled. */
function whileSettling(archive: Archive, events: number, work: () => Promise<void>): void {
  const isSettling = archive.sqlite
    .prepare(
      "SELECT (SELECT count(*) FROM events) >= ? AND EXISTS (SELECT 1 FROM sessions WHERE tally ->> 'settled' = 1)",
    )
    .pluck();
  const pass = archive.turn.pass.bind(archive.turn);
  archive.turn.pass = async () => {
    if (isSettling.get(events) === 1) await work();
    await pass();
  };
}

test("others may write after each piece of settling a long session, and are answered before its end", () =>
  inArchive(async (archive, logs) => {
    const unsettled = archive.sqlite.prepare(
      "SELECT count(*) FROM sessions WHERE tally ->> 'settled' = 1 AND held = 0",
    );
    let pieces = 0;
    let request: Promise<unknown> | null = null;
    whileSettling(archive, EVENTS, async () => {
      pieces++;
      request ??= createSession(archive, { id: "beside" }).then(() => unsettled.pluck().get());
      await setImmediate();
      await setImmediate();
    });
    await inPieces(() => importPaths(archive, [put(logs, `${ROOT}.jsonl`, root)]));
    expect(pieces).toBeGreaterThanOrEqual(EVENTS / 10 + (2 * STEPS) / 5 - 2);
    expect(await request).toBe(1);
  }));

test("what is settled in pieces is what is settled at once", () =>
  inArchive(async (archive, logs) => {
    const paths = [put(logs, `${ROOT}.jsonl`, root), put(logs, `${FORK}.jsonl`, fork)];
    await inPieces(() => importPaths(archive, paths));
    const pieces = dumpOf(archive, logs);
    expect(pieces["lineage"]).toHaveLength(2);
    await inArchive(async (fresh, others) => {
      await importPaths(fresh, [put(others, `${ROOT}.jsonl`, root), put(others, `${FORK}.jsonl`, fork)]);
      expect(pieces).toEqual(dumpOf(fresh, others));
    });
  }));

test("a fork that is imported while its root is settled shares with it what it holds", () =>
  inArchive(async (archive, logs) => {
    const [first, second] = [put(logs, `${ROOT}.jsonl`, root), put(logs, `${FORK}.jsonl`, fork)];
    let beside: Promise<unknown> | null = null;
    whileSettling(archive, EVENTS, async () => {
      beside ??= importPaths(archive, [second]);
      await setImmediate();
    });
    await inPieces(() => importPaths(archive, [first]));
    await beside;
    await inArchive(async (fresh, others) => {
      await importPaths(fresh, [put(others, `${ROOT}.jsonl`, root)]);
      await importPaths(fresh, [put(others, `${FORK}.jsonl`, fork)]);
      const { lineage, ...rest } = dumpOf(archive, logs);
      const { lineage: _, ...expected } = dumpOf(fresh, others);
      expect(rest).toEqual(expected);
      expect(lineage).toHaveLength(2);
    });
  }));

test("a reading that is cancelled while it is settled is settled by the next", () =>
  inArchive(async (archive, logs) => {
    const path = put(logs, `${ROOT}.jsonl`, root);
    const stop = new AbortController();
    let pieces = 0;
    whileSettling(archive, EVENTS, async () => void (++pieces === 12 && stop.abort()));
    const { cancelled } = await inPieces(() => importPaths(archive, [path], { signal: stop.signal }));
    expect(cancelled).toBe(true);
    await importPaths(archive, [path]);
    await inArchive(async (fresh, others) => {
      await importPaths(fresh, [put(others, `${ROOT}.jsonl`, root)]);
      expect(dumpOf(archive, logs)).toEqual(dumpOf(fresh, others));
    });
  }));
