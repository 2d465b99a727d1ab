// A memory folder as one of either generation, in a new folder: the way to convert one, since nothing is ever converted
// where it lies. Of its own generation every byte is the same; of the other, what has no field there is counted.
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fail } from "#lib/kernel/errors.ts";
import { withoutRepeats } from "#lib/kernel/memory/corpus.ts";
import type { MemoryHost, RawTrace } from "#lib/kernel/memory/memory-types.ts";
import type { Directory } from "./directory.ts";
import { readStamped, swapFile } from "./files.ts";
import { isSecondId, isSecondType } from "./generation.ts";
import { episodicLine, passesGate, semanticLine } from "./memory-items-file.ts";
import { readObject, type JsonObject } from "./trace-lines.ts";
import { FILES } from "./directory-paths.ts";
import { traceLine, type Generation } from "./raw-trace.ts";
import { addSegment, compactionKey, NO_ARCHIVE } from "./segments.ts";
import { compactedManifest } from "./semantic-file.ts";
import { snapshotText } from "./snapshot-file.ts";

/** A folder as it was read, or what somebody else has of a memory: then there is no file to copy. */
export type ExportSource = Pick<
  Directory,
  "path" | "generation" | "isNewer" | "episodic" | "semantic" | "snapshot" | "stamps" | "problems"
> & { readonly traces: readonly RawTrace[]; readonly archived: readonly RawTrace[] };

export type Exported = {
  readonly traces: number;
  readonly archived: number;
  readonly episodic: number;
  readonly semantic: number;
  /** Traces whose id stood twice, where that would make them one, or is not of the generation's kind. */
  readonly renamed: number;
  /** By key: what the other generation has no field for. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Lines that hold no record. */
  readonly badLines: number;
};

/** Writes the folder as one of `generation` into `to`, which must be new or empty. */
export function exportDirectory(from: ExportSource, to: string, generation: Generation, host: MemoryHost): Exported {
  mkdirSync(to, { recursive: true });
  if (readdirSync(to).length > 0) fail("conflict", `${to} is not empty. Name a new folder.`);
  if (from.generation === generation && !from.isNewer) return copy(from, to);

  const names = new Set<string>();
  let renamed = 0;
  const placed = (all: readonly RawTrace[]): RawTrace[] =>
    withoutRepeats(all)
      .filter(({ traceType }) => generation === 2 || !isSecondType(traceType))
      .map((trace) => {
        // The second generation takes two traces of one id for one; the first has no ids of the second's kind.
        const isOdd = generation === 2 ? names.has(trace.id) : isSecondId(trace.id);
        const id = isOdd ? newTraceId(trace.ts * 1000, host) : trace.id;
        if (isOdd) renamed++;
        names.add(id);
        return { ...trace, id };
      });
  const archived = placed(from.archived);
  const traces = placed(from.traces);
  const semantic = from.semantic.map((item) => semanticLine(item, generation));
  const lawful = semantic.filter((line) => generation === 1 || passesGate(readObject(Buffer.from(line))));

  const write = (name: string, text: string): unknown => swapFile(join(to, name), Buffer.from(text));
  const all = (list: readonly RawTrace[]): string => list.map((trace) => traceLine(trace, generation)).join("");
  write(FILES.rawTraces, all(traces));
  if (archived.length > 0 && generation === 1) write(FILES.rawTracesArchive, all(archived));
  if (archived.length > 0 && generation === 2) {
    const records = archived.map((trace) => readObject(Buffer.from(traceLine(trace, 2)))!) as JsonObject[];
    const { complete, fileName } = addSegment(
      NO_ARCHIVE,
      {
        type: "native_compaction",
        key: compactionKey(archived.map(({ id }) => id)),
        runtimeKind: "AUTOBYTEUS",
        sourceEvent: "native_compaction",
      },
      records,
      host.now(),
    );
    mkdirSync(join(to, FILES.archiveFolder));
    write(`${FILES.archiveFolder}/${fileName}`, all(archived));
    write(FILES.archiveManifest, complete);
  }
  if (from.episodic.length > 0)
    write(FILES.episodic, from.episodic.map((item) => episodicLine(item, generation)).join(""));
  if (lawful.length > 0) write(FILES.semantic, lawful.join(""));
  if (generation === 2) write(FILES.compactedManifest, compactedManifest(host.now()));
  if (from.snapshot !== null) write(FILES.snapshot, snapshotText(from.snapshot, generation));
  return {
    traces: traces.length,
    archived: archived.length,
    episodic: from.episodic.length,
    semantic: lawful.length,
    renamed,
    dropped:
      generation === 2
        ? droppedInSecond(from, [...archived, ...traces], semantic.length - lawful.length)
        : droppedInFirst(from),
    badLines: from.problems.length,
  };
}

/** The id of a new trace: lawful in both generations, and its own. */
const newTraceId = (ms: number, host: MemoryHost): string =>
  `rt_${Math.round(ms)}_${host.newId().replaceAll("-", "").slice(0, 8)}`;

function copy(from: ExportSource, to: string): Exported {
  for (const [name, stamp] of from.stamps) {
    if (stamp === null) continue;
    if (name.includes("/")) mkdirSync(join(to, FILES.archiveFolder), { recursive: true });
    const read = readStamped(join(from.path, name));
    if (read?.stamp !== stamp) fail("conflict", `${join(from.path, name)} changed since it was read. Read it again.`);
    swapFile(join(to, name), read.bytes);
  }
  return {
    traces: from.traces.length,
    archived: from.archived.length,
    episodic: from.episodic.length,
    semantic: from.semantic.length,
    renamed: 0,
    dropped: {},
    badLines: from.problems.length,
  };
}

function droppedInSecond(from: ExportSource, traces: readonly RawTrace[], facts: number): Record<string, number> {
  return some({
    "raw_traces tags": traces.filter(({ tags = [] }) => tags.length > 0).length,
    "raw_traces tool_result_ref": traces.filter(({ toolResultRef }) => (toolResultRef ?? "") !== "").length,
    "episodic tags": from.episodic.filter(({ tags = [] }) => tags.length > 0).length,
    "semantic tags": from.semantic.filter(({ tags = [] }) => tags.length > 0).length,
    "semantic confidence": from.semantic.filter(({ confidence = 0 }) => confidence !== 0).length,
    "semantic facts without text": facts,
  });
}

function droppedInFirst(from: ExportSource): Record<string, number> {
  const counts: Record<string, number> = {
    "semantic category": from.semantic.filter(({ category }) => category !== undefined).length,
  };
  for (const { traceType } of [...withoutRepeats(from.archived), ...withoutRepeats(from.traces)])
    if (isSecondType(traceType)) counts[`raw_traces ${traceType}`] = (counts[`raw_traces ${traceType}`] ?? 0) + 1;
  return some(counts);
}

const some = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
