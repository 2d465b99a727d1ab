// One pattern through many artifacts: which files hold a match is asked of the engine for many at once, and each that does is
// searched as a single artifact is. Equal bytes are read once.
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { GrepManyEnd, GrepManyPiece, GrepManyRun } from "#lib/wire/grep-many-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { noteRead } from "../artifacts/note-read.ts";
import { checkedPath, grepArtifact } from "../artifacts/query-artifact.ts";
import { resolveArtifact, scopeOf, stateOf } from "../artifacts/resolve.ts";
import { artifactRowsOf } from "../sessions/list-artifacts.ts";
import { matchingArtifacts, type Searchable } from "../sessions/matching-artifacts.ts";
import type { RunAsker } from "./inputs.ts";

/** Files of one question to the engine: few enough that progress is told, and room for their names. */
const BATCH_FILES = 128;
const BATCH_BYTES = 256 * 1024 * 1024;

/** Searches that run at the same time: to begin one takes longer than to make it. Half of what all searches may take. */
const AT_ONCE = 2;

type Out = {
  /** From now on nothing is refused. */
  readonly onStart: () => void;
  readonly onPiece: (piece: GrepManyPiece) => unknown;
};

type Counts = {
  -readonly [Name in keyof Omit<GrepManyEnd, "type" | "failure" | "ms" | "deadlineMs">]: GrepManyEnd[Name];
};

/** Equal bytes, by the first artifact that has them. */
type Content = { readonly row: Searchable; readonly artifacts: number };

/** Fails with `not_found` before it begins; what is wrong with the pattern is an end, not an exception. */
export async function grepArtifacts(
  archive: Archive,
  run: GrepManyRun,
  asker: RunAsker,
  { onStart, onPiece }: Out,
): Promise<GrepManyEnd> {
  const startedAt = performance.now();
  const left = (): number => run.deadlineMs - (performance.now() - startedAt);
  const { rows, total } = await rowsOf(archive, run, asker);
  onStart();
  await onPiece({ type: "start", artifacts: total });
  const { contents, ...skipped } = contentsOf(rows, archive.host.now());
  const counts: Counts = {
    ...{ searched: 0, matched: 0, matches: 0, shown: 0, unreadable: 0, isWhole: true, ...skipped },
    artifacts: total,
    leftOut: total - rows.length,
  };
  const end = (failure: GrepManyEnd["failure"] = null): GrepManyEnd => ({
    ...{ type: "end", failure, deadlineMs: run.deadlineMs, ms: performance.now() - startedAt },
    ...counts,
  });
  for (const batch of batchesOf(contents)) {
    const paths = await pathsOf(archive, batch, counts);
    if (left() <= 0) {
      counts.isWhole = false;
      return end();
    }
    const { pattern, options } = run;
    const ask = { pattern, options, ...(asker.signal !== undefined && { signal: asker.signal }) };
    const held = await archive.jobs.grepFiles({ ...ask, paths: [...paths.keys()], deadlineMs: left() });
    if (!held.ok) return end(held.kind === "timeout" ? null : { kind: held.kind, message: held.message });
    const tell = (): unknown => {
      const { searched, matched, matches } = counts;
      return onPiece({ type: "progress", searched, matched, matches });
    };
    const [matching, others] = parted([...paths], ([path]) => held.files.has(path));
    if (held.isAll) counts.searched += others.reduce((sum, [, { artifacts }]) => sum + artifacts, 0);
    for (let at = 0; at < matching.length; at += AT_ONCE) {
      const some = matching.slice(at, at + AT_ONCE).map(([, content]) => content);
      const found = await Promise.all(some.map((one) => linesOf(archive, run, asker, one, { counts, left })));
      for (const [i, content] of some.entries()) {
        const failure = await showMatches(archive, run, asker, { content, found: found[i]! }, { counts, onPiece });
        if (failure !== null) return end(failure);
      }
      await tell();
    }
    if (matching.length === 0) await tell();
    if (!held.isAll) counts.isWhole = false;
    if (!counts.isWhole) return end();
  }
  return end();
}

/** What is searched: what was named, or what the filter finds, as far as the asker sees. */
async function rowsOf(
  archive: Archive,
  { artifacts, filter }: GrepManyRun,
  { session }: RunAsker,
): Promise<{ readonly rows: readonly Searchable[]; readonly total: number }> {
  if (artifacts === undefined)
    return matchingArtifacts(archive, session === null ? filter : { ...filter, session }, LIMITS.grepManyArtifacts);
  const scope = scopeOf(archive, session ?? undefined);
  const rows = artifacts.map((ref): Searchable => {
    const row = resolveArtifact(archive, ref, scope);
    const { pk, pointer, digest, size } = row;
    return {
      ...{ pk, pointer, digest, size },
      lineCount: row.line_count,
      deletedAt: row.deleted_at,
      expiresAt: row.expires_at,
    };
  });
  return { rows, total: rows.length };
}

function contentsOf(rows: readonly Searchable[], now: number) {
  const contents = new Map<string, Content>();
  let gone = 0;
  let noText = 0;
  for (const row of rows) {
    const { deletedAt, expiresAt } = row;
    if (stateOf({ deleted_at: deletedAt, deleted_why: null, expires_at: expiresAt }, now) !== "live") gone++;
    else if (row.lineCount === null) noText++;
    else {
      const before = contents.get(row.digest);
      contents.set(row.digest, { row: before?.row ?? row, artifacts: (before?.artifacts ?? 0) + 1 });
    }
  }
  return { contents: [...contents.values()], gone, noText };
}

function* batchesOf(contents: readonly Content[]): Generator<readonly Content[]> {
  let batch: Content[] = [];
  let bytes = 0;
  for (const content of contents) {
    batch.push(content);
    bytes += content.row.size;
    if (batch.length < BATCH_FILES && bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Their files, each checked against its digest; what cannot be read is counted. */
async function pathsOf(archive: Archive, batch: readonly Content[], counts: Counts): Promise<Map<string, Content>> {
  const paths = new Map<string, Content>();
  for (const content of batch)
    try {
      paths.set(await checkedPath(archive, content.row.digest), content);
    } catch (error) {
      if (!isAppError(error) || error.code === "unsupported") throw error;
      counts.unreadable += content.artifacts;
    }
  return paths;
}

type Found = Awaited<ReturnType<typeof grepArtifact>>;

/** The lines of one that holds a match; null past those that are shown. */
function linesOf(
  archive: Archive,
  { pattern, options, lines }: GrepManyRun,
  { signal }: RunAsker,
  { row }: Content,
  { counts, left }: { readonly counts: Counts; readonly left: () => number },
): Promise<Found | null> {
  if (counts.shown >= LIMITS.grepManyShown) return Promise.resolve(null);
  const ask = { pattern, options, ...(signal !== undefined && { signal }) };
  const bounds = { lines, bytes: LIMITS.grepManyBytes, lineChars: LIMITS.grepManyLineChars };
  return grepArtifact(archive, row, ask, { ...bounds, deadlineMs: Math.max(1, left()) });
}

/** Tells what was found in one; what is not shown is only counted. Returns what went wrong, or null. */
async function showMatches(
  archive: Archive,
  { pattern, options }: GrepManyRun,
  { who, isPerson }: RunAsker,
  { content: { row, artifacts }, found }: { readonly content: Content; readonly found: Found | null },
  { counts, onPiece }: { readonly counts: Counts; readonly onPiece: Out["onPiece"] },
): Promise<GrepManyEnd["failure"]> {
  counts.searched += artifacts;
  if (found === null || (found.ok && found.matches > 0 && counts.shown >= LIMITS.grepManyShown)) {
    counts.matched += artifacts;
    return null;
  }
  if (!found.ok) {
    if (found.kind !== "timeout") return { kind: found.kind, message: found.message };
    counts.isWhole = false;
    return null;
  }
  const { lines, matches, omitted, isCounted } = found;
  if (!isCounted) counts.isWhole = false;
  if (matches === 0) return null;
  counts.matched += artifacts;
  counts.matches += matches;
  counts.shown++;
  const bytes = lines.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  // A person's searches are no readings, as in the playground.
  if (!isPerson)
    noteRead(archive, {
      pointer: row.pointer,
      who,
      tool: "grep",
      request: { pattern, options },
      bytes,
      isError: false,
    });
  const [artifact] = artifactRowsOf(archive, [row.pk]);
  await onPiece({
    ...{ type: "found", artifact: artifact!, sameBytes: artifacts - 1 },
    ...{ lines: [...lines], matches, omitted, isCounted },
  });
  return null;
}

/** Those that fit, and the others. */
function parted<Item>(items: readonly Item[], fits: (item: Item) => boolean): [Item[], Item[]] {
  const groups = Map.groupBy(items, fits);
  return [groups.get(true) ?? [], groups.get(false) ?? []];
}
