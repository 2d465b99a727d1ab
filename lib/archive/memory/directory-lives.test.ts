// Random lives of a memory folder: its agent adds, compacts and takes back, we look, compact and undo, in any order. After
// each look the session says what the folder says, and no line of the folder is ever lost.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readDirectory } from "#lib/agent-dirs/autobyteus/directory.ts";
import { FILES } from "#lib/agent-dirs/autobyteus/directory-paths.ts";
import { AutobyteusStore } from "#lib/agent-dirs/autobyteus/store.ts";
import { linesIn, makeDirectory, testHost } from "#lib/agent-dirs/autobyteus/testing-directory.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import { traceKey } from "#lib/kernel/memory/memory-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { check } from "../upkeep/check-archive.ts";
import { findSession } from "../base/find-session.ts";
import { compactSession, undoCompaction } from "./compact.ts";
import { memoryOf } from "./session-memory.ts";
import { request } from "./testing-run.ts";
import { tracesIn } from "./trace-rows.ts";
import { inArchive } from "../testing-archive.ts";
import { attachDirectory, refreshAttached } from "./attach-directory.ts";

const STEP = fc.oneof(
  fc.record({ what: fc.constant("agent adds" as const), turn: fc.nat(3), isLoose: fc.boolean() }),
  fc.record({ what: fc.constant("agent compacts" as const), turns: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ what: fc.constant("agent takes back" as const) }),
  fc.record({ what: fc.constant("look" as const) }),
  fc.record({ what: fc.constant("compact" as const), tail: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ what: fc.constant("undo" as const) }),
);

const sorted = (keys: readonly string[]): string[] => [...new Set(keys)].toSorted();

async function sameAsFolder(archive: Archive, id: string, path: string): Promise<void> {
  await refreshAttached(archive, id);
  const { active, archived } = tracesIn(archive, id, findSession(archive, id));
  const found = readDirectory(path);
  const inFile = new Set(found.traces.map(traceKey));
  expect(sorted(active.map(({ key }) => key))).toEqual(sorted([...inFile]));
  // A trace that stands in both is active.
  const away = found.archived.map(traceKey).filter((key) => !inFile.has(key));
  expect(sorted(archived.map(({ key }) => key))).toEqual(sorted(away));
  const { items } = await memoryOf(archive, id);
  const texts = items.filter(({ deletedAt }) => deletedAt === null).map(({ text }) => text);
  expect(texts.toSorted()).toEqual(
    [...found.episodic.map(({ summary }) => summary), ...found.semantic.map(({ fact }) => fact)].toSorted(),
  );
}

test("a session follows its folder through any life of it", { timeout: 120_000 }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(1 as const, 2 as const),
      fc.constantFrom("python" as const, "javascript" as const),
      fc.subarray(["glued", "foreign", "blank", "truncated"] as const),
      fc.array(STEP, { maxLength: 9 }),
      (generation, style, damage, steps) =>
        inArchive(async (archive, logs) => {
          const path = join(logs, "agents", "made-up");
          makeDirectory(path, { generation, style, damage, turns: 9, archivedTurns: 2 });
          const { sessionId } = await attachDirectory(archive, path);
          const host = testHost();
          const expected = linesIn(path);
          const agents: string[] = [];
          const ours: string[] = [];
          let count = 0;
          const byAgent = (work: (store: AutobyteusStore) => void): void => {
            const store = new AutobyteusStore(path, { host });
            try {
              work(store);
            } finally {
              store.close();
            }
          };
          for (const step of steps) {
            count++;
            try {
              if (step.what === "agent adds") {
                const added = JSON.stringify({
                  ...{
                    id: `rt_${count}`,
                    ts: 1_790_000_000 + count,
                    turn_id: step.isLoose ? null : `turn_90${step.turn}`,
                  },
                  ...{
                    seq: count,
                    trace_type: count % 2 === 0 ? "assistant" : "user",
                    content: `Later ${count}`,
                    source_event: "e",
                  },
                });
                // Behind a line that was cut off an agent's own line is lost too: it begins with a newline of its own.
                appendFileSync(join(path, FILES.rawTraces), `\n${added}\n`);
                expected.set(added, 1);
              } else if (step.what === "agent compacts") {
                byAgent((store) => {
                  const turns = [...new Set(store.listTraces().map(({ turnId }) => turnId))].slice(0, step.turns);
                  const gone = store.listTraces().filter(({ turnId }) => turns.includes(turnId));
                  const ts = 1_790_000_000 + count;
                  store.compact({
                    runId: `agent-${count}`,
                    episodic: [{ id: `ep_${count}`, ts, turnIds: [], summary: `By its agent ${count}`, salience: 0 }],
                    semantic: [],
                    remove: new Set(gone.map(traceKey)),
                    snapshot: null,
                  });
                });
                agents.push(`agent-${count}`);
              } else if (step.what === "agent takes back") {
                const run = agents.pop();
                if (run !== undefined) byAgent((store) => store.undo(run));
              } else if (step.what === "compact") {
                const { id, status } = await compactSession(archive, sessionId, request({ tail: step.tail }));
                if (status === "complete") ours.push(id!);
              } else if (step.what === "undo") {
                const id = ours.pop();
                if (id !== undefined) await undoCompaction(archive, id);
              } else await sameAsFolder(archive, sessionId, path);
            } catch (error) {
              // What came after it is undone first: refused, and nothing is changed.
              if (!isAppError(error) || error.code !== "conflict") throw error;
            }
            expect([...linesIn(path)].toSorted()).toEqual([...expected].toSorted());
          }
          await sameAsFolder(archive, sessionId, path);
          expect((await check(archive)).problems).toEqual([]);
        }),
    ),
    { numRuns: 40 },
  ),
);
