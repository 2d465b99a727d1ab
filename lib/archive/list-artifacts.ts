import { and, asc, desc, eq, sql, type SQL } from "drizzle-orm";
import { artifacts } from "#db/schema.ts";
import type { ArtifactsAnswer, ArtifactsQuery, ArtifactState } from "#lib/wire/artifacts.ts";
import type { Archive } from "./archive.ts";
import { likeOf } from "./find-in-session.ts";
import { findSession } from "./find-session.ts";
import { plucked } from "./import/prepared.ts";
import type { ArtifactDbRow } from "./artifacts/artifact-row.ts";
import { artifactRowOf } from "./show-artifact.ts";

const SORTS = {
  size: artifacts.size,
  created: artifacts.createdAt,
  name: artifacts.name,
  tool: artifacts.toolName,
  type: artifacts.contentType,
  expires: artifacts.expiresAt,
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
  const { db, sqlite } = archive;
  const pattern = likeOf(query.q);
  const inSession = query.session === undefined ? undefined : sessionIs(archive, findSession(archive, query.session));
  const now = archive.host.now();
  const conditions: (SQL | undefined)[] = [
    inSession,
    query.tool === undefined ? undefined : eq(artifacts.toolName, query.tool),
    query.type === undefined ? undefined : eq(artifacts.contentType, query.type),
    query.state === undefined ? undefined : STATES[query.state](now),
    query.origin === undefined ? undefined : sql`${ORIGIN} = ${query.origin}`,
    query.q.trim() === ""
      ? undefined
      : sql`(${artifacts.name} LIKE ${pattern} ESCAPE '\\' OR ${artifacts.digest} LIKE ${pattern} ESCAPE '\\' OR ${artifacts.pointer} LIKE ${pattern} ESCAPE '\\')`,
  ];
  const where = and(...conditions);
  const order = query.dir === "asc" ? asc : desc;
  const pks = db
    .select({ pk: artifacts.pk })
    .from(artifacts)
    .where(where)
    // Both in one direction, as the indexes have them: of 100,000 rows no more are read than are shown.
    .orderBy(order(SORTS[query.sort]), order(artifacts.pk))
    .limit(query.limit)
    .offset(query.offset)
    .all();
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
  const totals = state === undefined ? kept(archive, JSON.stringify([session, q, tool, type, origin]), sum) : sum();
  const row = sqlite.prepare(
    "SELECT a.*, s.id AS session_id, s.title AS session_title FROM artifacts a JOIN sessions s ON s.pk = a.session_pk WHERE a.pk = ?",
  );
  const facet = (column: typeof artifacts.toolName | typeof artifacts.contentType, name: string) =>
    kept(archive, JSON.stringify([name, session]), () => countsOf(column));
  const countsOf = (column: typeof artifacts.toolName | typeof artifacts.contentType) =>
    db
      .select({ value: sql<string>`${column}`, count: sql<number>`count(*)` })
      .from(artifacts)
      .where(and(inSession, sql`${column} IS NOT NULL`))
      .groupBy(column)
      .orderBy(desc(sql`count(*)`))
      .limit(100)
      .all();
  const total = totals?.total ?? 0;
  return {
    artifacts: pks.map(({ pk }) => artifactRowOf(row.get(pk) as ArtifactDbRow, now)),
    next: query.offset + pks.length < total ? query.offset + pks.length : null,
    total,
    totalBytes: totals?.bytes ?? 0,
    tools: facet(artifacts.toolName, "tools"),
    types: facet(artifacts.contentType, "types"),
  };
}

/**
 * A session that holds a good part of all artifacts is picked out while an index of the order is read: by its own index all
 * of its rows would be read and sorted for each page.
 */
function sessionIs(archive: Archive, pk: number): SQL {
  const own = plucked(archive.sqlite, "SELECT artifacts FROM sessions WHERE pk = ?").get(pk) as number;
  const all = kept(archive, "all", () => plucked(archive.sqlite, "SELECT count(*) FROM artifacts").get() as number);
  return own * 4 > all ? sql`+${artifacts.sessionPk} = ${pk}` : eq(artifacts.sessionPk, pk);
}

/** Answers that are kept for as long as the database is as it was: counting 100,000 rows takes 20 to 40 ms, a page 2 ms. */
const KEPT = 64;
const answers = new WeakMap<Archive, { version: string; byKey: Map<string, unknown> }>();

function kept<T>(archive: Archive, key: string, make: () => T): T {
  const version = stateOfDatabase(archive);
  let held = answers.get(archive);
  if (held?.version !== version) answers.set(archive, (held = { version, byKey: new Map() }));
  if (held.byKey.has(key)) return held.byKey.get(key) as T;
  const value = make();
  if (held.byKey.size >= KEPT) held.byKey.clear();
  held.byKey.set(key, value);
  return value;
}

/** Changes with each commit of another connection, and with each row that this one writes. */
function stateOfDatabase({ sqlite }: Archive): string {
  const others = plucked(sqlite, "PRAGMA data_version").get() as number;
  return `${others} ${plucked(sqlite, "SELECT total_changes()").get() as number}`;
}
