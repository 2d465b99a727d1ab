// Anything done to a made-up folder in any order: records added, turns compacted, compactions undone, the folder opened anew,
// a kill between any two steps of a compaction or of its undoing.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { traceKey, type CompactionChange, type RawTrace } from "#lib/kernel/memory/memory-types.ts";
import { corpusIn, readDirectory } from "./directory.ts";
import { appendBytes } from "./files.ts";
import { keepIn, listJournals, writeJournal } from "./run-journal.ts";
import { defaultState, stateFolder } from "./lock.ts";
import { FILES } from "./directory-paths.ts";
import { doSteps, undoSteps } from "./write-steps.ts";
import { AutobyteusStore } from "./store.ts";
import { inFolder, linesIn, makeDirectory, testHost } from "./testing-directory.ts";

const STEP = fc.oneof(
  fc.record({ what: fc.constant("add" as const) }),
  fc.record({ what: fc.constant("compact" as const), turns: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ what: fc.constant("undo" as const) }),
  fc.record({ what: fc.constant("reopen" as const) }),
  fc.record({ what: fc.constant("kill" as const), after: fc.nat(7), torn: fc.nat(2000) }),
);

export const foldersProperty = () =>
  fc.property(
    fc.constantFrom(1 as const, 2 as const),
    fc.constantFrom("python" as const, "javascript" as const),
    fc.subarray(["glued", "foreign", "blank", "truncated"] as const),
    fc.array(STEP, { maxLength: 8 }),
    (generation, style, damage, steps) =>
      inFolder((base) => {
        const path = join(base, "agents", "made-up");
        makeDirectory(path, { generation, style, damage, turns: 8, archivedTurns: 1 });
        const host = testHost();
        const expected = linesIn(path);
        const readable = new Set(corpusIn(readDirectory(path)).map(traceKey));
        const runs: string[] = [];
        let store = new AutobyteusStore(path, { host });
        let count = 0;
        for (const step of steps) {
          if (step.what === "add") {
            const before = readFileSync(join(path, FILES.rawTraces));
            const added = laterTrace(++count);
            store.add([added]);
            const after = readFileSync(join(path, FILES.rawTraces));
            if (!after.subarray(0, before.length).equals(before)) throw new Error("Adding changed what was there.");
            expected.set(after.subarray(before.length).toString("latin1").trim(), 1);
            readable.add(traceKey(added));
          } else if (step.what === "compact") {
            store.compact(changeOf(store, step.turns, `run-${++count}`));
            runs.push(`run-${count}`);
          } else if (step.what === "undo") {
            const run = runs.pop();
            if (run !== undefined) store.undo(run);
          } else {
            store.close();
            if (step.what === "kill") {
              leaveHalfDone(path, step.after, step.torn);
              sameTraces(corpusIn(readDirectory(path)), readable);
            }
            store = new AutobyteusStore(path, { host });
          }
          const now = linesIn(path);
          if (JSON.stringify([...now].toSorted()) !== JSON.stringify([...expected].toSorted()))
            throw new Error("A line is lost, changed, or there once more.");
          sameTraces(store.corpus(), readable);
        }
        store.close();
      }),
  );

function sameTraces(corpus: readonly RawTrace[], expected: ReadonlySet<string>): void {
  const found = new Set(corpus.map(traceKey));
  if (found.size !== expected.size || [...expected].some((key) => !found.has(key)))
    throw new Error("A reader does not find every trace.");
}

/**
 * The last compaction is as a kill leaves it: some of its steps are done, an append perhaps in part, and its record says
 * that it is under way.
 */
function leaveHalfDone(path: string, after: number, torn: number): void {
  const folder = stateFolder(defaultState(path), path);
  const keep = keepIn(join(folder, "kept"));
  const last = listJournals(folder).findLast(({ state }) => state === "applied");
  if (last === undefined) return;
  undoSteps(path, last.steps, keep);
  doSteps(path, last.steps.slice(0, after), keep);
  const next = last.steps[after];
  if (next?.kind === "append") appendBytes(join(path, next.file), keep.get(next.afterRef).slice(0, torn));
  writeJournal(folder, { ...last, state: "applying" });
}

const laterTrace = (count: number): RawTrace => ({
  id: `rt_${count}`,
  ts: 1_780_000_000 + count,
  turnId: `turn_900${count % 3}`,
  seq: count,
  traceType: "user",
  content: `Later ${count}`,
  sourceEvent: "e",
});

function changeOf(store: AutobyteusStore, turns: number, runId: string): CompactionChange {
  const gone = [...new Set(store.listTraces().map(({ turnId }) => turnId))].slice(0, turns);
  const before = store.readSnapshot()!;
  return {
    runId,
    episodic: [{ id: `ep_${runId}`, ts: 1, turnIds: [], summary: "Summary", salience: 0 }],
    semantic: [{ id: `sem_${runId}`, ts: 1, fact: "Fact", salience: 300 }],
    remove: new Set(
      store
        .listTraces()
        .filter(({ turnId }) => gone.includes(turnId))
        .map(traceKey),
    ),
    snapshot: {
      ...before,
      epochId: before.epochId + 1,
      messages: [{ role: "system", content: runId, toolPayload: null }],
    },
  };
}
