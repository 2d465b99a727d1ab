// What a compaction changes in a folder, as steps in the order in which a kill between any two of them loses nothing: the
// items first, then the archive, and only then the active file without what is archived; the context last.
import { fail } from "#lib/kernel/errors.ts";
import type { CompactionChange } from "#lib/kernel/memory/memory-types.ts";
import { traceKey } from "#lib/kernel/memory/memory-types.ts";
import type { Directory } from "./directory.ts";
import { episodicLine, passesGate, semanticLine } from "./memory-items-file.ts";
import type { JsonObject, Line } from "./trace-lines.ts";
import { FILES } from "./directory-paths.ts";
import { isTraceRecord, traceOf, type Generation } from "./raw-trace.ts";
import { addSegment, compactionKey, completeSegments, type ArchiveManifest, type Boundary } from "./segments.ts";
import { rewrittenSemantic } from "./semantic-file.ts";
import { snapshotText } from "./snapshot-file.ts";
import { stepOf, type Keep, type Step, type StepInput } from "./write-steps.ts";

export type PlanGiven = {
  readonly directory: Directory;
  readonly generation: Generation;
  readonly keep: Keep;
  readonly nowMs: number;
};

/** The steps of a compaction; none when everything is as it asks already. */
export function planCompaction(given: PlanGiven, change: CompactionChange): Step[] {
  const { directory, generation } = given;
  const active = directory.files.get(FILES.rawTraces)!;
  const removed = active.lines.filter((line) => isRemoved(line, change.remove));
  return [
    ...itemSteps(given, change),
    ...(removed.length === 0 ? [] : generation === 1 ? archiveFirst(given, removed) : archiveSecond(given, removed)),
    ...(removed.length === 0 ? [] : [rewriteActive(given, new Set(removed))]),
    ...(change.snapshot === null ? [] : snapshotSteps(given, snapshotText(change.snapshot, generation))),
  ];
}

/** The steps that move every line before a marker to the archive, as a provider's own compaction asks for. */
export function planRotation(given: PlanGiven, markerId: string, boundary: Boundary): Step[] {
  const { lines } = given.directory.files.get(FILES.rawTraces)!;
  const marker = lines.findIndex(({ records }) => records.some(({ value }) => value["id"] === markerId));
  const removed = marker <= 0 ? [] : lines.slice(0, marker).filter(({ records }) => records.length > 0);
  if (removed.length === 0) return [];
  return [...segmentSteps(given, removed, boundary), rewriteActive(given, new Set(removed))];
}

/** A line goes when everything on it does. What is no trace, or belongs to no turn, stays. */
function isRemoved({ records }: Line, remove: ReadonlySet<string>): boolean {
  return (
    records.length > 0 &&
    records.every(({ value }) => {
      if (!isTraceRecord(value)) return false;
      const trace = traceOf(value);
      return trace.turnId !== null && remove.has(traceKey(trace));
    })
  );
}

function itemSteps(given: PlanGiven, { episodic, semantic }: CompactionChange): Step[] {
  const { directory, generation } = given;
  const hasEpisodic = new Set(directory.episodic.map(({ id }) => id));
  const hasSemantic = new Set(directory.semantic.map(({ id }) => id));
  const newEpisodic = episodic.filter(({ id }) => !hasEpisodic.has(id));
  const newSemantic = semantic.filter(({ id }) => !hasSemantic.has(id));
  const steps: Step[] = [];
  if (newEpisodic.length > 0)
    steps.push(append(given, FILES.episodic, newEpisodic.map((item) => episodicLine(item, generation)).join("")));
  // Lines of another shape are put right too: for them its code would delete the context that is written here.
  const isWrong = generation === 2 && isOfAnotherShape(directory);
  if (newSemantic.length > 0 || isWrong)
    steps.push(
      generation === 1
        ? append(given, FILES.semantic, newSemantic.map((item) => semanticLine(item, generation)).join(""))
        : make(given, {
            file: FILES.semantic,
            isLines: true,
            before: bytesOf(directory, FILES.semantic),
            after: rewrittenSemantic(directory.files.get(FILES.semantic)!, newSemantic).bytes,
          }),
    );
  return steps;
}

const isOfAnotherShape = ({ files }: Directory): boolean =>
  files.get(FILES.semantic)!.lines.some(({ records }) => records.some(({ value }) => !passesGate(value)));

function append(given: PlanGiven, file: string, text: string): Step {
  const before = bytesOf(given.directory, file);
  const isTorn = before !== null && before.length > 0 && before.at(-1) !== 0x0a;
  return make(given, { file, isLines: true, before, added: `${isTorn ? "\n" : ""}${text}` });
}

/** Lines that the end of the archive holds already, of a writer that was killed, are not added again. */
function archiveFirst(given: PlanGiven, removed: readonly Line[]): Step[] {
  const before = bytesOf(given.directory, FILES.rawTracesArchive);
  const block = joined(removed);
  const archive = before ?? Buffer.alloc(0);
  const there = archive.length - startOfBeginning(archive, block);
  const isTorn = there === 0 && archive.length > 0 && archive.at(-1) !== 0x0a;
  const added = Buffer.concat([Buffer.from(isTorn ? "\n" : ""), block.subarray(there)]);
  return added.length === 0 ? [] : [make(given, { file: FILES.rawTracesArchive, isLines: true, before, added })];
}

/** Where the longest end of `archive` begins that is a beginning of `block`, at a line; its length when there is none. */
export function startOfBeginning(archive: Buffer, block: Buffer): number {
  let at = Math.max(0, archive.length - block.length);
  if (at > 0 && archive[at - 1] !== 0x0a) at = nextLine(archive, at);
  for (; at < archive.length; at = nextLine(archive, at)) {
    const length = archive.length - at;
    if (archive.compare(block, 0, length, at) === 0) return at;
  }
  return archive.length;
}

function nextLine(bytes: Buffer, at: number): number {
  const newline = bytes.indexOf(0x0a, at);
  return newline < 0 ? bytes.length : newline + 1;
}

/** The same traces again make no new segment; what an older one of the same ids does not hold gets one of its own. */
function archiveSecond(given: PlanGiven, removed: readonly Line[]): Step[] {
  const { directory } = given;
  const key = compactionKey(removed.flatMap(({ records }) => records.map(({ value }) => String(value["id"] ?? ""))));
  const complete = completeSegments(manifestOf(directory));
  const archived = new Set(
    complete
      .filter(({ boundaryKey }) => boundaryKey === key)
      .flatMap(({ fileName }) => directory.files.get(`${FILES.archiveFolder}/${fileName}`)?.lines ?? [])
      .map(({ bytes }) => bytes.toString("latin1")),
  );
  const missing = removed.filter(({ bytes }) => !archived.has(bytes.toString("latin1")));
  const taken = new Set(complete.map(({ boundaryKey }) => boundaryKey));
  let free = key;
  for (let n = 2; taken.has(free); n++) free = `${key}:${n}`;
  return segmentSteps(given, missing, {
    type: "native_compaction",
    key: free,
    runtimeKind: "AUTOBYTEUS",
    sourceEvent: "native_compaction",
  });
}

function segmentSteps(given: PlanGiven, lines: readonly Line[], boundary: Boundary): Step[] {
  if (lines.length === 0) return [];
  const { directory, nowMs } = given;
  const records: JsonObject[] = lines.flatMap((line) => line.records.map(({ value }) => value));
  const { pending, complete, fileName } = addSegment(manifestOf(directory), boundary, records, nowMs);
  const manifest = bytesOf(directory, FILES.archiveManifest);
  const whole = { file: FILES.archiveManifest, isLines: false };
  return [
    make(given, { ...whole, before: manifest, after: pending }),
    make(given, {
      file: `${FILES.archiveFolder}/${fileName}`,
      isLines: false,
      before: null,
      after: joined(lines),
      ...(!directory.hasArchiveFolder && { madeFolder: FILES.archiveFolder }),
    }),
    make(given, { ...whole, before: Buffer.from(pending), after: complete }),
  ];
}

function rewriteActive(given: PlanGiven, removed: ReadonlySet<Line>): Step {
  const { bytes, lines, file } = given.directory.files.get(FILES.rawTraces)!;
  const kept = lines
    .filter((line) => !removed.has(line))
    .map(({ at }) => bytes.subarray(at.byteStart, Math.min(at.byteEnd + 1, bytes.length)));
  return make(given, { file, isLines: true, before: bytes, after: Buffer.concat(kept) });
}

function snapshotSteps(given: PlanGiven, text: string): Step[] {
  const before = given.directory.snapshotBytes;
  if (before !== null && before.equals(Buffer.from(text))) return [];
  return [make(given, { file: FILES.snapshot, isLines: false, before, after: text })];
}

const make = ({ keep }: PlanGiven, input: StepInput): Step => stepOf(input, keep);

const joined = (lines: readonly Line[]): Buffer =>
  Buffer.concat(lines.flatMap(({ bytes }) => [bytes, Buffer.from("\n")]));

const manifestOf = ({ manifest, path }: Directory): ArchiveManifest =>
  manifest ??
  fail("invalid", `${path}/${FILES.archiveManifest} cannot be read. Repair it; nothing can be archived until then.`);

/** The bytes of a file as they were read; null when it was not there. */
function bytesOf(directory: Directory, name: string): Buffer | null {
  if (directory.stamps.get(name) === null) return null;
  return name === FILES.archiveManifest ? directory.manifestBytes : (directory.files.get(name)?.bytes ?? null);
}
