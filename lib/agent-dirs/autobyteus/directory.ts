// Everything that a memory folder holds, read once, with the bytes that it was read from. Reading changes nothing: no byte,
// no time, no folder that was not there.
import { join } from "node:path";
import { corpusOf } from "#lib/kernel/memory/corpus.ts";
import type { EpisodicItem, MemorySnapshot, RawTrace, SemanticItem } from "#lib/kernel/memory/memory-types.ts";
import { readStamped, stampOf, type Read, type Stamp } from "./files.ts";
import { detectGeneration, namesIn } from "./generation.ts";
import { episodicOf, isEpisodicRecord, isSemanticRecord, passesGate, semanticOf } from "./memory-items-file.ts";
import { readLines, type JsonObject, type Line, type LineProblem, type Lines } from "./trace-lines.ts";
import { FILES } from "./directory-paths.ts";
import { isTraceRecord, traceOf, type Generation, type LocatedTrace } from "./raw-trace.ts";
import { completeSegments, isSegmentName, NO_ARCHIVE, readManifest, type ArchiveManifest } from "./segments.ts";
import { schemaOf, snapshotOf } from "./snapshot-file.ts";

export type Directory = {
  readonly path: string;
  /** Null: nothing tells; or what the caller chose where nothing did. */
  readonly generation: Generation | null;
  readonly isNewer: boolean;
  readonly traces: readonly LocatedTrace[];
  /** Of complete segments, or of the archive file; oldest first. */
  readonly archived: readonly LocatedTrace[];
  readonly episodic: readonly EpisodicItem[];
  readonly semantic: readonly SemanticItem[];
  readonly snapshot: MemorySnapshot | null;
  /** Null: there is a manifest, and it cannot be read. */
  readonly manifest: ArchiveManifest | null;
  /** As they were read; null when there is no such file. */
  readonly snapshotBytes: Buffer | null;
  readonly manifestBytes: Buffer | null;
  readonly hasArchiveFolder: boolean;
  /** By name: the lines of each file that was read. */
  readonly files: ReadonlyMap<string, Lines>;
  /** By name: what tells that a file was not written to since. Every name that the folder had, and each that it may get. */
  readonly stamps: ReadonlyMap<string, Stamp>;
  readonly problems: readonly LineProblem[];
  readonly warnings: readonly string[];
};

/** Reads a folder. One that is not there is empty. `chosen` counts where nothing tells the generation. */
export function readDirectory(path: string, chosen: Generation | null = null): Directory {
  const names = namesIn(path);
  const stamps = new Map<string, Stamp>();
  const problems: LineProblem[] = [];
  const warnings: string[] = [];
  const files = new Map<string, Lines>();
  const read = (name: string): Read | null => {
    const found = readStamped(join(path, name));
    stamps.set(name, found?.stamp ?? null);
    return found;
  };
  const lines = (name: string, isRecord: (value: JsonObject) => boolean): readonly Line[] => {
    const found = readLines(name, read(name)?.bytes ?? Buffer.alloc(0), isRecord);
    files.set(name, found);
    problems.push(...found.problems);
    for (const { records } of found.lines)
      for (const { value, at } of records)
        if (!isRecord(value)) problems.push({ ...at, reason: "It lacks required fields. It stays unchanged." });
    return found.lines;
  };

  const active = lines(FILES.rawTraces, isTraceRecord);
  const archive = lines(FILES.rawTracesArchive, isTraceRecord);
  const episodic = lines(FILES.episodic, isEpisodicRecord);
  const semantic = lines(FILES.semantic, isSemanticRecord);
  const snapshotBytes = read(FILES.snapshot)?.bytes ?? null;
  const manifestBytes = read(FILES.archiveManifest)?.bytes ?? null;
  // Not read, but told by: one that comes or goes changes what the folder is.
  for (const name of [FILES.compactedManifest, FILES.newerManifest]) stamps.set(name, stampOf(join(path, name)));

  const detected = detectGeneration({
    names,
    snapshotSchema: snapshotBytes === null ? null : schemaOf(snapshotBytes),
    traces: valuesOf(active).concat(valuesOf(archive)),
    semantic: valuesOf(semantic),
  });
  const generation = detected.generation ?? chosen;
  warnings.push(...detected.warnings);

  const manifest = manifestBytes === null ? NO_ARCHIVE : readManifest(manifestBytes);
  if (manifest === null) warnings.push(`${FILES.archiveManifest} is not a JSON object. Its archive is not read.`);
  const archived = [...archive];
  for (const { fileName } of completeSegments(manifest ?? NO_ARCHIVE)) {
    if (!isSegmentName(fileName)) warnings.push(`The archive names "${fileName}", which is not a file in it.`);
    else if (stampOf(join(path, FILES.archiveFolder, fileName)) === null)
      warnings.push(`The archive names ${fileName}, which does not exist.`);
    else archived.push(...lines(`${FILES.archiveFolder}/${fileName}`, isTraceRecord));
  }
  const snapshot = snapshotBytes === null ? null : snapshotOf(snapshotBytes, generation);
  if (typeof snapshot === "string") warnings.push(`${FILES.snapshot} cannot be used: ${snapshot}`);
  const refused = generation === 2 ? valuesOf(semantic).filter((value) => !passesGate(value)).length : 0;
  if (refused > 0)
    warnings.push(`Autobyteus will empty ${FILES.semantic} when it starts: ${refused} of its records are invalid.`);

  return {
    path,
    generation,
    isNewer: detected.isNewer,
    traces: tracesOf(active),
    archived: tracesOf(archived),
    episodic: valuesOf(episodic).filter(isEpisodicRecord).map(episodicOf),
    semantic: valuesOf(semantic).filter(isSemanticRecord).map(semanticOf),
    snapshot: typeof snapshot === "string" ? null : snapshot,
    manifest,
    snapshotBytes,
    manifestBytes,
    hasArchiveFolder: names.includes(FILES.archiveFolder),
    files,
    stamps,
    problems,
    warnings,
  };
}

/** Archive and active traces as one; the active one of two with the same key. */
export const corpusIn = (lists: { archived: readonly RawTrace[]; traces: readonly RawTrace[] }): RawTrace[] =>
  corpusOf(lists.archived, lists.traces);

const valuesOf = (lines: readonly Line[]): JsonObject[] =>
  lines.flatMap(({ records }) => records.map(({ value }) => value));

const tracesOf = (lines: readonly Line[]): LocatedTrace[] =>
  lines.flatMap(({ records }) =>
    records.filter(({ value }) => isTraceRecord(value)).map(({ value, at }) => ({ ...traceOf(value), at })),
  );
