import { query as statementOf, scalar } from "#db/statement.ts";
import { and, asc, desc, eq, sql, type SQL } from "drizzle-orm";
import { queriesOf, type Db } from "#db/shared-queries.ts";
import { artifacts } from "#db/schema/artifact-tables.ts";
import { shapeText, type Shape } from "#lib/kernel/artifacts/shape.ts";
import type { ArtifactRow, ArtifactsAnswer, ArtifactsQuery, ArtifactState } from "#lib/wire/artifacts-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { cached } from "../base/per-archive.ts";
import { likeOf } from "../base/like-pattern.ts";
import { findSession } from "../base/find-session.ts";
import { ARTIFACT_ROW } from "../base/artifact-row.ts";
import { artifactRowOf } from "./show-artifact.ts";

// Names stand as in a book: case does not part them.
const SORTS = {
  size: artifacts.size,
  created: artifacts.created_at,
  name: sql`${artifacts.name} COLLATE NOCASE`,
  tool: sql`${artifacts.tool_name} COLLATE NOCASE`,
  type: sql`${artifacts.content_type} COLLATE NOCASE`,
  expires: artifacts.expires_at,
} as const;

const DELETED = sql.raw("artifacts.deleted_at");
const EXPIRES = sql.raw("artifacts.expires_at");
const WHY = sql.raw("artifacts.deleted_why");
const ORIGIN = sql.raw("artifacts.origin");

/** As stateOf says of a row. */
const STATES: Record<ArtifactState, (now: number) => SQL> = {
  live: (now) => sql`(${DELETED} IS NULL AND (${EXPIRES} IS NULL OR ${EXPIRES} > ${now}))`,
  expired: (now) => sql`((${DELETED} IS NULL AND ${EXPIRES} <= ${now}) OR ${WHY} = 'expired')`,
  deleted: () => sql`(${DELETED} IS NOT NULL AND ${WHY} IS NOT 'expired')`,
};

/** Artifacts of a session, or of the whole archive. `next` is the offset to go on from, or null. */
export async function listArtifacts(archive: Archive, query: ArtifactsQuery): Promise<ArtifactsAnswer> {
  const { sqlite } = archive;
  const db = await queriesOf(sqlite);
  const pattern = likeOf(query.q);
  const inSession = query.session === undefined ? undefined : sessionIs(archive, findSession(archive, query.session));
  const now = archive.host.now();
  const filters: Record<"tool" | "type" | "state" | "origin", SQL | undefined> = {
    tool: query.tool === undefined ? undefined : eq(artifacts.tool_name, query.tool),
    type: query.type === undefined ? undefined : eq(artifacts.content_type, query.type),
    state: query.state === undefined ? undefined : STATES[query.state](now),
    origin: query.origin === undefined ? undefined : sql`${ORIGIN} = ${query.origin}`,
  };
  const text =
    query.q.trim() === ""
      ? undefined
      : sql`(${artifacts.name} LIKE ${pattern} ESCAPE '\\' OR ${artifacts.digest} LIKE ${pattern} ESCAPE '\\' OR ${artifacts.pointer} LIKE ${pattern} ESCAPE '\\')`;
  const where = and(inSession, ...Object.values(filters), text);
  const sum = () =>
    db
      .select({
        total: sql<number>`count(*)`,
        bytes: sql<number>`coalesce(sum(${artifacts.size}) FILTER (WHERE ${DELETED} IS NULL), 0)`,
      })
      .from(artifacts)
      .where(where)
      .get();
  const { session, q, tool, type, state, origin } = query;
  // What counts as expired changes with the clock alone.
  const keptAs = <T>(name: string, make: () => T): T =>
    state === undefined ? kept(archive, JSON.stringify([name, session, q, tool, type, origin]), make) : make();
  const totals = keptAs("sums", sum);
  // A figure beside a choice says what it would list: every other filter holds, its own does not.
  const facet = (own: "tool" | "type", column: typeof artifacts.tool_name | typeof artifacts.content_type) =>
    keptAs(own, () => countsOf(db, column, and(inSession, text, ...Object.values({ ...filters, [own]: undefined }))));
  const total = totals?.total ?? 0;
  const count = Math.max(0, Math.min(query.limit, total - query.offset));
  // The far half is read from its end: of 100,000 sorted entries no more than 50,000 are ever skipped.
  const isFar = query.offset > total / 2;
  const order = (query.dir === "asc") !== isFar ? asc : desc;
  const found = db
    .select({ pk: artifacts.pk })
    .from(artifacts)
    .where(where)
    .orderBy(order(SORTS[query.sort]), order(artifacts.pk))
    .limit(count)
    .offset(isFar ? total - query.offset - count : query.offset)
    .all();
  const pks = isFar ? found.toReversed() : found;
  const row = statementOf(
    sqlite,
    { ...ARTIFACT_ROW, blob_shape: "blobs.shape", label: "events.label?" },
    `SELECT a.*, s.id AS session_id, s.title AS session_title, b.shape AS blob_shape, e.label FROM artifacts a JOIN sessions s ON s.pk = a.session_pk
     LEFT JOIN blobs b ON b.digest = a.digest LEFT JOIN events e ON e.id = a.session_pk * 4294967296 + a.seq WHERE a.pk = ?`,
  );
  const rowOf = (pk: number): ArtifactRow => {
    const found = row.get(pk)!;
    return { ...artifactRowOf(found, now), shape: oneLineShape(found.blob_shape), label: found.label };
  };
  return {
    artifacts: pks.map(({ pk }) => rowOf(pk)),
    next: query.offset + pks.length < total ? query.offset + pks.length : null,
    total,
    totalBytes: totals?.bytes ?? 0,
    tools: facet("tool", artifacts.tool_name),
    types: facet("type", artifacts.content_type),
  };
}

/** Characters of a shape in a list; an object may have many keys. */
const SHAPE_CHARS = 200;

function oneLineShape(stored: string | null): string | null {
  if (stored === null) return null;
  const text = shapeText(JSON.parse(stored) as Shape);
  return text.length > SHAPE_CHARS ? `${text.slice(0, SHAPE_CHARS).toWellFormed()}…` : text;
}

/** Values of a column with their counts, the most frequent first. */
const countsOf = (
  db: Db,
  column: typeof artifacts.tool_name | typeof artifacts.content_type,
  where: SQL | undefined,
): { value: string; count: number }[] =>
  // One pass for each: both columns in one took 50 ms for 100,000 rows, the two passes 30.
  db
    .select({ value: sql<string>`${column}`, count: sql<number>`count(*)` })
    .from(artifacts)
    .where(and(where, sql`${column} IS NOT NULL`))
    .groupBy(column)
    .orderBy(desc(sql`count(*)`))
    .limit(FACET_VALUES)
    .all();

const FACET_VALUES = 100;

/**
 * A session that holds a good part of all artifacts is picked out of the index that every list reads: by its own index each
 * of its rows would be read for each page.
 */
function sessionIs(archive: Archive, pk: number): SQL {
  const own = scalar(archive.sqlite, "sessions.artifacts", "FROM sessions WHERE pk = ?").get(pk)!;
  const all = kept(archive, "all", () => scalar(archive.sqlite, "integer", "SELECT count(*) FROM artifacts").get()!);
  return own * 4 > all ? sql`+${artifacts.session_pk} = ${pk}` : eq(artifacts.session_pk, pk);
}

/** Answers that are kept for as long as the database is as it was: counting 100,000 rows takes some 35 ms, their first page 6. */
const KEPT = 64;

const kept = <T>(archive: Archive, key: string, make: () => T): T =>
  cached(archive, "artifact lists", stateOfDatabase(archive), make, { key, limit: KEPT });

/** Changes with each commit of another connection, and with each row that this one writes. */
function stateOfDatabase({ sqlite }: Archive): string {
  const others = scalar(sqlite, "integer", "PRAGMA data_version").get()!;
  return `${others} ${scalar(sqlite, "integer", "SELECT total_changes()").get()!}`;
}
