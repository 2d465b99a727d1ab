// What is killed: two compactions of a made-up folder with a message between them, or their undoing. And what must hold
// after a kill anywhere: no line is lost for whoever reads, and the same done again ends as if nothing had happened.
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CompactionChange, MemoryHost, RawTrace } from "#lib/kernel/memory/memory-types.ts";
import { traceKey } from "#lib/kernel/memory/memory-types.ts";
import { corpusIn, readDirectory } from "./directory.ts";
import { isTemporary } from "./files.ts";
import { passesGate } from "./memory-items-file.ts";
import { defaultState, stateFolder } from "./lock.ts";
import { agentDirectory, FILES } from "./directory-paths.ts";
import type { Generation } from "./raw-trace.ts";
import { AutobyteusStore } from "./store.ts";
import { bytesIn, linesIn, makeDirectory } from "./testing-directory.ts";

export type FolderWork = {
  prepare(dir: string): void;
  run(dir: string): void;
  /** Everything that is wrong; nothing when all is well. Whether the work was killed or not. */
  inspect(dir: string): string[];
};

/** The same in every process: what is done again writes the same bytes. */
const host: MemoryHost = { now: () => 1_780_000_000_000, newId: () => "0f0f0f0f-0000-4000-8000-000000000000" };

const folderOf = (dir: string): string => agentDirectory(join(dir, "memory"), "made-up");
const untouchedOf = (dir: string): string => join(dir, "untouched");

const LATER: RawTrace = {
  id: "rt_1780000000000_0f0f0f0f",
  ts: 1_780_000_000,
  turnId: "turn_9001",
  seq: 1,
  traceType: "user",
  content: "And now?",
  sourceEvent: "LLMUserMessageReadyEvent",
};

function changeOf(store: AutobyteusStore, nth: number): CompactionChange {
  const turns = [...new Set(store.corpus().map(({ turnId }) => turnId))].slice(nth * 15, nth * 15 + 15);
  return {
    runId: `run-${nth}`,
    episodic: [
      { id: `ep_178000000000${nth}_0f0f`, ts: 1_780_000_000, turnIds: ["turn_0005"], summary: "Done.", salience: 0 },
    ],
    semantic: [{ id: `sem_178000000000${nth}_1`, ts: 1_780_000_000, fact: `Use pnpm ${nth}.`, salience: 200 }],
    remove: new Set(
      store
        .corpus()
        .filter(({ turnId }) => turns.includes(turnId))
        .map(traceKey),
    ),
    snapshot: {
      agentId: "made-up",
      epochId: 4 + nth,
      lastCompactionTs: 1_780_000_000,
      schemaVersion: 1,
      messages: [{ role: "system", content: `Epoch ${4 + nth}`, toolPayload: null }],
    },
  };
}

function compactTwice(path: string): void {
  const store = new AutobyteusStore(path, { host });
  try {
    store.compact(changeOf(store, 0));
    if (!store.listTraces().some((trace) => traceKey(trace) === traceKey(LATER))) store.add([LATER]);
    store.compact(changeOf(store, 1));
  } finally {
    store.close();
  }
}

/** Each point is tried on a copy: the record of what was done moves there with its folder. */
function rehome(path: string): void {
  const state = defaultState(path);
  const mine = stateFolder(state, path);
  const [only] = readdirSync(state);
  if (!existsSync(mine)) renameSync(join(state, only!), mine);
}

function undoTwice(path: string): void {
  rehome(path);
  const store = new AutobyteusStore(path, { host });
  try {
    store.undo("run-1");
    store.undo("run-0");
  } finally {
    store.close();
  }
}

const prepare = (dir: string, generation: Generation): void => {
  mkdirSync(dir, { recursive: true });
  makeDirectory(folderOf(dir), { generation, style: "python", damage: ["foreign", "glued", "blank"] });
  cpSync(folderOf(dir), untouchedOf(dir), { recursive: true, preserveTimestamps: true });
};

export const compactWork = (generation: Generation): FolderWork => ({
  prepare: (dir) => prepare(dir, generation),
  run: (dir) => compactTwice(folderOf(dir)),
  inspect: (dir) => inspect(dir, compactTwice),
});

export const undoWork = (generation: Generation): FolderWork => ({
  prepare(dir) {
    prepare(dir, generation);
    compactTwice(folderOf(dir));
  },
  run: (dir) => undoTwice(folderOf(dir)),
  inspect: (dir) => inspect(dir, undoTwice),
});

function inspect(dir: string, again: (path: string) => void): string[] {
  const path = folderOf(dir);
  const wrong: string[] = [];
  const say = (is: boolean, what: string): unknown => is || wrong.push(what);
  try {
    const expected = linesIn(untouchedOf(dir));
    const readable = keysIn(untouchedOf(dir));
    say(sameLines(linesIn(path), expected), "a line is lost, or stands there twice");
    say(
      keysIn(path)
        .filter((key) => key !== traceKey(LATER))
        .join() === readable.join(),
      "a reader does not find every trace",
    );
    again(path);
    say(sameLines(linesIn(path), expected), "done again: a line is lost, or stands there twice");
    say(sameFiles(path, whole(dir, again)), "done again it does not end as if nothing had happened");
    say(![...bytesIn(path).keys()].some((name) => isTemporary(name.split("/").at(-1)!)), "a temporary file is left");
    const found = readDirectory(path);
    say(
      found.generation !== 2 ||
        found.files.get(FILES.semantic)!.lines.every(({ records }) => records.every(({ value }) => passesGate(value))),
      "Autobyteus would empty the facts",
    );
    undoTwice(path);
    say(sameFiles(path, undone(dir)), "undone it is not what it was");
  } catch (error) {
    wrong.push(`it could not be done again: ${error instanceof Error ? error.stack : String(error)}`);
  }
  return wrong;
}

/** The folder after the same work, left alone. It is done under the same path: a record of a run is kept for a path. */
function whole(dir: string, again: (path: string) => void): Map<string, string> {
  return aside(dir, (path) => {
    cpSync(untouchedOf(dir), path, { recursive: true });
    compactTwice(path);
    if (again === undoTwice) undoTwice(path);
    return bytesIn(path);
  });
}

const undone = (dir: string): Map<string, string> =>
  aside(dir, (path) => {
    cpSync(untouchedOf(dir), path, { recursive: true });
    compactTwice(path);
    undoTwice(path);
    const files = bytesIn(path);
    const before = bytesIn(untouchedOf(dir));
    for (const [name, text] of before) {
      const now = files.get(name) ?? "";
      const isSame = name === FILES.rawTraces ? now.startsWith(text) : now === text;
      if (!isSame) throw new Error(`${name} is not what it was before everything.`);
    }
    if (files.size !== before.size) throw new Error("After undoing there are other files than before.");
    return files;
  });

function aside<T>(dir: string, work: (path: string) => T): T {
  const [memory, parked] = [join(dir, "memory"), join(dir, "parked")];
  renameSync(memory, parked);
  try {
    mkdirSync(join(memory, "agents"), { recursive: true });
    return work(folderOf(dir));
  } finally {
    if (existsSync(memory)) rmSync(memory, { recursive: true });
    renameSync(parked, memory);
  }
}

const keysIn = (path: string): string[] => corpusIn(readDirectory(path)).map(traceKey);

/** The message that came in between is there, or not yet. */
function sameLines(now: Map<string, number>, expected: Map<string, number>): boolean {
  const others = [...now].filter(([line]) => !line.includes(LATER.id));
  return JSON.stringify(others) === JSON.stringify([...expected]);
}

const sameFiles = (path: string, expected: Map<string, string>): boolean => {
  const now = bytesIn(path);
  return now.size === expected.size && [...expected].every(([name, text]) => now.get(name) === text);
};
