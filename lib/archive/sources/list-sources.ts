import { columns, query as statementOf, scalar, type Columns, type RowOf } from "#db/statement.ts";
import type { z } from "zod";
import { KNOWN_FORMATS } from "../import/known-formats.ts";
import type { problemsAnswer, SourceRow } from "#lib/wire/sources-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { isInside } from "#lib/sources/source-handle.ts";
import { BELOW_ROOT, labelOfPath, listedAs, rangeBelow, type Root } from "./source-roots.ts";
import { iso } from "../base/iso.ts";
import { cleanupFolders, DAY_MS, deletedAtSql, deletions } from "../import/agent-cleanup.ts";

export type SourceQuery = {
  readonly limit: number;
  readonly offset: number;
  readonly status?: string;
  /** A part of the path. */
  readonly q?: string;
  /** Only files that their agent deletes within so many days. */
  readonly within?: number;
  /** `deletion`: what is deleted next comes first. */
  readonly sort?: "deletion";
};

export type SourceList = {
  sources: SourceRow[];
  total: number;
  totalBytes: number;
  problems: number;
  failed: number;
  /** The roots that hold any of these files, and how many of them. The others were imported by hand. */
  inRoots: { roots: number; files: number };
};

const SOURCE_ROW = {
  ...columns("sources", "pk", "path", "format", "status", "reason", "size", "records", "problems"),
  ...columns("sources", "imported_at", "changed_at", "stopped", "gone_at", "mtime_ms", "found"),
  file: "sources.path?",
} as const satisfies Columns;

const ORDER = "status NOT IN ('failed', 'skipped'), problems = 0, changed_at DESC, path";
const DELETED_AT = deletedAtSql("sources", "@folders");

/** Files that were read or refused; those with something to say first, then the latest. `roots`: the folders that are read. */
export async function listSources(
  archive: Archive,
  query: SourceQuery,
  roots: readonly Pick<Root, "path" | "star">[] = [],
): Promise<SourceList> {
  const { sqlite } = archive;
  const q = (query.q ?? "").trim();
  const wanted = [
    ...(query.status === undefined ? [] : ["status = @status"]),
    ...(q === "" ? [] : ["instr(lower(path), lower(@q)) > 0"]),
    ...(query.within === undefined ? [] : [`${DELETED_AT} <= @until`]),
  ];
  const where = wanted.length === 0 ? "" : `WHERE ${wanted.join(" AND ")}`;
  const isDated = query.within !== undefined || query.sort === "deletion";
  const until = archive.host.now() + (query.within ?? 0) * DAY_MS;
  const request = { ...query, q, until, folders: isDated ? cleanupFolders(archive) : "[]" };
  const order = isDated ? `${DELETED_AT} IS NULL, ${DELETED_AT}, path` : ORDER;
  const deletionOf = deletions();
  const rows = statementOf(
    sqlite,
    SOURCE_ROW,
    `SELECT path, format, status, reason, size, records, problems, pk, imported_at, changed_at, stopped, gone_at, mtime_ms, found,
       (SELECT f.path FROM sources f WHERE f.pk = sources.earlier_of) AS file FROM sources ${where}
     ORDER BY ${order} LIMIT @limit OFFSET @offset`,
  ).all(request);
  const sessions = statementOf(
    sqlite,
    { ...columns("sessions", "id", "title"), events: "integer" },
    "SELECT id, title, next_seq - 1 AS events FROM sessions WHERE source_pk = ? ORDER BY pk LIMIT 20",
  );
  const totals = statementOf(
    sqlite,
    { total: "integer", totalBytes: "integer", problems: "integer", failed: "integer" },
    `SELECT count(*) AS total, coalesce(sum(size) FILTER (WHERE status IN ('ok', 'older copy', 'gone')), 0) AS totalBytes, coalesce(sum(problems), 0) AS problems,
       count(*) FILTER (WHERE status = 'failed') AS failed FROM sources ${where}`,
  ).get(request)!;
  const below = scalar(
    sqlite,
    "integer",
    `SELECT count(*) FROM sources WHERE ${[BELOW_ROOT, ...wanted].join(" AND ")}`,
  );
  const nameOf = listedAs(roots);
  const held = outermost(roots).flatMap((root) => {
    const files = below.get({ ...request, ...rangeBelow(root.path) })!;
    return files > 0 ? [{ name: nameOf(root), files }] : [];
  });
  return {
    sources: rows.map((row): SourceRow => {
      const own = sessions.all(row.pk);
      return {
        path: row.path,
        label: labelOfPath(archive, row.path),
        format: row.format,
        formatLabel: KNOWN_FORMATS.find(({ id }) => id === row.format)?.label ?? null,
        status: row.status,
        reason: reasonOf(archive, row),
        why: whyOf(row),
        sizeBytes: row.size,
        records: row.records,
        events: own.reduce((sum, { events }) => sum + events, 0),
        sessions: own.map(({ id, title }) => ({ id, title: title === "" ? "Untitled" : title })),
        problems: row.problems,
        importedAt: iso(row.imported_at),
        changedAt: iso(row.changed_at),
        deletedAt: iso(row.gone_at),
        deletion: deletionOf({ ...row, mtimeMs: row.mtime_ms }),
      };
    }),
    ...totals,
    inRoots: {
      roots: new Set(held.map(({ name }) => name)).size,
      files: held.reduce((sum, { files }) => sum + files, 0),
    },
  };
}

/** A root within another has no files of its own. */
const outermost = <Root extends { readonly path: string }>(roots: readonly Root[]): Root[] =>
  roots.filter(({ path }) => !roots.some((other) => other.path !== path && isInside(path, other.path)));

function whyOf({ format, found }: RowOf<typeof SOURCE_ROW>): string | null {
  const known = KNOWN_FORMATS.find(({ id }) => id === format);
  if (known === undefined) return null;
  return `${known.label}: ${known.signs}.${found === null ? "" : ` Found: ${found}.`}`;
}

function reasonOf(archive: Archive, row: RowOf<typeof SOURCE_ROW>): string | null {
  if (row.status !== "earlier version") return row.reason ?? row.stopped ?? null;
  const file = row.file === null ? "the file" : labelOfPath(archive, row.file);
  const records = row.records;
  return `${records} ${records === 1 ? "record" : "records"} that ${file} no longer holds.`;
}

/** Positions in files that could not be read as written, with line, bytes and reason. */
export async function listProblems(
  archive: Archive,
  query: { limit: number; offset: number; path?: string },
): Promise<z.infer<typeof problemsAnswer>> {
  const where = query.path === undefined ? "" : "WHERE s.path = @path";
  const problems = statementOf(
    archive.sqlite,
    {
      ...columns("import_errors", "line", "reason"),
      path: "sources.path",
      byteStart: "import_errors.byte_start",
      byteEnd: "import_errors.byte_end",
    },
    `SELECT s.path, e.line, e.byte_start AS byteStart, e.byte_end AS byteEnd, e.reason FROM import_errors e JOIN sources s ON s.pk = e.source_pk ${where}
     ORDER BY s.path, e.byte_start LIMIT @limit OFFSET @offset`,
  ).all(query);
  const total = scalar(archive.sqlite, "integer", `SELECT coalesce(sum(problems), 0) FROM sources s ${where}`).get(
    query,
  )!;
  return { problems, total };
}
