// A memory folder of an agent, read whole: what a session is made of. Nothing of the folder changes, and nothing is made.
import { hash } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { corpusIn, readDirectory, type Directory } from "#lib/agent-dirs/autobyteus/directory.ts";
import { namesIn } from "#lib/agent-dirs/autobyteus/generation.ts";
import { FILES, listRuns } from "#lib/agent-dirs/autobyteus/directory-paths.ts";
import { isTraceRecord, traceOf } from "#lib/agent-dirs/autobyteus/raw-trace.ts";
import { completeSegments } from "#lib/agent-dirs/autobyteus/segments.ts";
import { fail } from "#lib/kernel/errors.ts";
import { traceKey, type EpisodicItem, type RawTrace, type SemanticItem } from "#lib/kernel/memory/memory-types.ts";
import { runsOf } from "./lost-runs.ts";

/** Traces that its agent moved to its archive in one go. */
export type Archived = { readonly at: number | null; readonly keys: readonly string[] };

export type Seen = {
  readonly path: string;
  readonly agentId: string;
  readonly generation: 1 | 2 | null;
  readonly fingerprint: string;
  /** Why it is only read. */
  readonly refuses: string | null;
  /** Archive and active list as one, oldest first. */
  readonly traces: readonly RawTrace[];
  /** traceKey of those that are in the active file. */
  readonly active: readonly string[];
  readonly archived: readonly Archived[];
  readonly episodic: readonly EpisodicItem[];
  readonly semantic: readonly SemanticItem[];
  readonly warnings: readonly string[];
  /** Compactions of ours that it has. */
  readonly runs: readonly string[];
};

/** The real path of a memory folder. Fails for what is none, and says which ones are below it. */
export function memoryFolder(given: string): string {
  const full = resolve(given);
  if (!existsSync(full)) fail("not_found", `Nothing at ${full}. Name the memory folder of an agent.`);
  const path = realpathSync(full);
  if (!statSync(path).isDirectory()) fail("invalid", `${path} is a file. Name its memory folder.`);
  const files = new Set<string>(Object.values(FILES));
  if (namesIn(path).some((name) => files.has(name))) return path;
  const runs = listRuns(path);
  const [first] = runs;
  return fail(
    "invalid",
    first === undefined
      ? `${path} has no Autobyteus memory files (${FILES.rawTraces}, ${FILES.snapshot}, …).`
      : `${path} holds ${runs.length} memory ${runs.length === 1 ? "folder" : "folders"}. Name one, like ${first.path}.`,
  );
}

export function look(path: string): Seen {
  const found = readDirectory(path);
  const active = new Set(found.traces.map(traceKey));
  return {
    path,
    agentId: basename(path),
    generation: found.generation,
    fingerprint: fingerprintOf(found),
    refuses: refusalOf(found),
    traces: corpusIn(found).map(withoutPosition),
    active: [...active],
    archived: archivedIn(found),
    episodic: found.episodic,
    semantic: found.semantic,
    warnings: found.warnings,
    runs: runsOf(path),
  };
}

/** The same as long as nobody writes to any file of the folder. */
export const fingerprintOf = ({ stamps }: Pick<Directory, "stamps">): string =>
  hash("sha256", JSON.stringify([...stamps].toSorted(([a], [b]) => (a < b ? -1 : 1))), "hex");

function refusalOf({ path, generation, isNewer, manifest }: Directory): string | null {
  if (isNewer) return `${path} was written by a newer Autobyteus. It is read-only here.`;
  if (generation === null) return `The Autobyteus version of ${path} is unknown, so it is read-only.`;
  if (manifest === null) return `${path}/${FILES.archiveManifest} cannot be read, so nothing can be archived there.`;
  return null;
}

function withoutPosition(trace: RawTrace & { readonly at?: unknown }): RawTrace {
  const { at: _, ...rest } = trace;
  return rest;
}

/** In the order in which they were archived. The first generation has one file, and says when it wrote to it last. */
function archivedIn({ files, manifest, snapshot }: Directory): Archived[] {
  const keysIn = (name: string): string[] =>
    (files.get(name)?.lines ?? []).flatMap(({ records }) =>
      records.filter(({ value }) => isTraceRecord(value)).map(({ value }) => traceKey(traceOf(value))),
    );
  const first = { at: snapshot?.lastCompactionTs ?? null, keys: keysIn(FILES.rawTracesArchive) };
  const segments = manifest === null ? [] : completeSegments(manifest);
  const later = segments.map(({ fileName, entry }) => ({
    at: typeof entry["archived_at"] === "number" ? entry["archived_at"] : null,
    keys: keysIn(`${FILES.archiveFolder}/${fileName}`),
  }));
  return [first, ...later].filter(({ keys }) => keys.length > 0);
}
