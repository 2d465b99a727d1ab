// Compactions of a folder from begin to end, each under its run id: begun, finished after a kill, taken back. The record of a
// run is on the disk before the first byte of the folder changes.
import { join } from "node:path";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { isTemporary, makeFolder, readStamped, unlinkIfThere } from "./files.ts";
import { namesIn } from "./generation.ts";
import { listJournals, readJournal, removeJournal, writeJournal, type Journal } from "./run-journal.ts";
import { FILES } from "./directory-paths.ts";
import { laterMessages, snapshotOf, snapshotText } from "./snapshot-file.ts";
import { checkSteps, doSteps, positionOf, sideOf, undoSteps, type Keep, type Step } from "./write-steps.ts";
import type { Generation } from "./raw-trace.ts";

/** A folder, our own folder about it, and where bytes are kept. */
export type RunLocation = { readonly path: string; readonly folder: string; readonly keep: Keep };

/** True when this run was done, or taken back, before: then there is nothing to do. One that was cut short is finished. */
export function isDone(location: RunLocation, runId: string): boolean {
  const entry = readJournal(location.folder, runId);
  if (entry === null) return false;
  if (entry.state === "given_up") fail("conflict", entry.why ?? `Compaction ${runId} could not be finished.`);
  if (entry.state === "applying") finish(location, entry);
  return true;
}

export function beginRun(location: RunLocation, runId: string, steps: readonly Step[]): void {
  if (steps.length === 0) return;
  makeFolder(location.path);
  const number = Math.max(0, ...listJournals(location.folder).map((one) => one.number)) + 1;
  const entry: Journal = { v: 1, runId, number, state: "applying", steps: [...steps] };
  writeJournal(location.folder, entry);
  finish(location, entry);
}

/** Takes a run back: the last one, and only while every file is as it left it, or longer. */
export function undoRun(location: RunLocation, runId: string, generation: Generation | null): void {
  const entry =
    readJournal(location.folder, runId) ??
    fail("not_found", `No compaction ${runId} of ${location.path} is saved here.`);
  if (entry.state === "undone") return;
  if (entry.state === "given_up") fail("conflict", entry.why ?? `Compaction ${runId} was never finished.`);
  const later = listJournals(location.folder).find(({ number, state }) => number > entry.number && state === "applied");
  if (later !== undefined) fail("conflict", `Compaction ${later.runId} came after ${runId}. Undo that one first.`);
  const now = { ...entry, steps: entry.steps.map((step) => withLaterMessages(location, step, generation)) };
  checkSteps(location.path, now.steps, location.keep);
  takeBack(location, now);
}

/** Ends that a run can be undone, and drops the bytes that were kept for it alone. */
export function forgetRun({ folder, keep }: RunLocation, runId: string): void {
  const entry = readJournal(folder, runId);
  if (entry === null) return;
  const refsOf = ({ steps }: Journal): string[] =>
    steps.flatMap(({ beforeRef, afterRef }) => (beforeRef === null ? [afterRef] : [beforeRef, afterRef]));
  removeJournal(folder, runId);
  const needed = new Set(listJournals(folder).flatMap(refsOf));
  for (const ref of new Set(refsOf(entry))) if (!needed.has(ref)) keep.drop?.(ref);
}

/** Finishes what was cut short; tells what could not be finished. */
export function recoverRuns(location: RunLocation): string[] {
  const archived = namesIn(join(location.path, FILES.archiveFolder)).map((name) => join(FILES.archiveFolder, name));
  const troubles: string[] = [];
  const open = listJournals(location.folder).filter(({ state }) => state === "applying" || state === "undoing");
  for (const name of [...namesIn(location.path), ...archived])
    if (isTemporary(name.slice(name.lastIndexOf("/") + 1))) unlinkIfThere(join(location.path, name));
  for (const entry of open)
    try {
      if (entry.state === "undoing") takeBack(location, entry);
      else finish(location, entry);
    } catch (error) {
      if (!isAppError(error)) throw error;
      // Nothing is lost: what was taken out of the active file was in the archive before.
      const why = `Compaction ${entry.runId} was interrupted and cannot be finished: ${error.message}`;
      troubles.push(why);
      writeJournal(location.folder, { ...entry, state: "given_up", why });
    }
  return troubles;
}

function finish({ path, folder, keep }: RunLocation, entry: Journal): void {
  doSteps(path, entry.steps, keep);
  writeJournal(folder, { ...entry, state: "applied" });
}

function takeBack({ path, folder, keep }: RunLocation, entry: Journal): void {
  writeJournal(folder, { ...entry, state: "undoing" });
  undoSteps(path, entry.steps, keep);
  writeJournal(folder, { ...entry, state: "undone" });
}

/** A context that only grew since is taken back to what it was before, and what was said since. */
function withLaterMessages({ path, keep }: RunLocation, step: Step, generation: Generation | null): Step {
  if (step.file !== FILES.snapshot || generation === null || step.beforeRef === null) return step;
  if (positionOf(path, [step], keep) !== null) return step;
  const now = readStamped(join(path, step.file))?.bytes ?? null;
  if (now === null) return step;
  const [before, after, present] = [
    snapshotOf(Buffer.from(keep.get(step.beforeRef)), generation),
    snapshotOf(Buffer.from(keep.get(step.afterRef)), generation),
    snapshotOf(now, generation),
  ];
  if (typeof before === "string" || typeof after === "string" || typeof present === "string") return step;
  const later = laterMessages(after, present);
  if (later === null) return step;
  // Epochs never go back: what was used in the one that is taken back is to be known as old.
  const text = snapshotText(
    { ...before, messages: [...before.messages, ...later], epochId: Math.max(before.epochId, present.epochId) },
    generation,
  );
  const bytes = Buffer.from(text);
  return { ...step, after: sideOf(now), afterRef: keep.put(now), before: sideOf(bytes), beforeRef: keep.put(bytes) };
}
