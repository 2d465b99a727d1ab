// Which artifacts a list or a search is about, and in which order: the choices of a person as SQL.
import { scalar } from "#db/statement.ts";
import { artifacts } from "#db/schema/artifact-tables.ts";
import { queriesOf } from "#db/shared-queries.ts";
import { and, asc, desc, eq, sql, type SQL } from "drizzle-orm";
import type { ArtifactsQuery, ArtifactState } from "#lib/wire/artifacts-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { databaseState } from "../base/database-state.ts";
import { findSession } from "../base/find-session.ts";
import { findArtifacts, type FoundArtifacts } from "../search/found-artifacts.ts";
import { likeOf } from "../base/like-pattern.ts";
import { cached } from "../base/per-archive.ts";

/** Of what is not known; it stands behind everything in either order. */
const UNKNOWN = sql.raw("9e999");

// Names stand as in a book: case does not part them.
const SORTS = {
  size: artifacts.size,
  created: artifacts.created_at,
  name: sql`${artifacts.name} COLLATE NOCASE`,
  tool: sql`${artifacts.tool_name} COLLATE NOCASE`,
  type: sql`${artifacts.content_type} COLLATE NOCASE`,
  expires: artifacts.expires_at,
  tokens: artifacts.load_tokens,
  calls: artifacts.load_calls,
  cost: artifacts.load_usd,
} as const;
const LOADS: ReadonlySet<ArtifactsQuery["sort"]> = new Set(["tokens", "calls", "cost"]);

export const DELETED = sql.raw("artifacts.deleted_at");
const EXPIRES = sql.raw("artifacts.expires_at");
const WHY = sql.raw("artifacts.deleted_why");
const ORIGIN = sql.raw("artifacts.origin");

/** As stateOf says of a row. */
const STATES: Record<ArtifactState, (now: number) => SQL> = {
  live: (now) => sql`(${DELETED} IS NULL AND (${EXPIRES} IS NULL OR ${EXPIRES} > ${now}))`,
  expired: (now) => sql`((${DELETED} IS NULL AND ${EXPIRES} <= ${now}) OR ${WHY} = 'expired')`,
  deleted: () => sql`(${DELETED} IS NOT NULL AND ${WHY} IS NOT 'expired')`,
};

/** What a list is narrowed to, each filter by itself too; `pk`: its one session. Fails with `not_found` for a session that is not there. */
export async function artifactFilters(archive: Archive, query: ArtifactChoice) {
  const found = query.q.trim() === "" ? null : await findArtifacts(archive, query.q);
  const pattern = likeOf(query.q);
  const pk = query.session === undefined ? null : findSession(archive, query.session);
  const inSession = pk === null ? undefined : sessionIs(archive, pk);
  const now = archive.host.now();
  const filters: Record<"tool" | "type" | "state" | "origin", SQL | undefined> = {
    tool: query.tool === undefined ? undefined : eq(artifacts.tool_name, query.tool),
    type: query.type === undefined ? undefined : eq(artifacts.content_type, query.type),
    state: query.state === undefined ? undefined : STATES[query.state](now),
    origin: query.origin === undefined ? undefined : sql`${ORIGIN} = ${query.origin}`,
  };
  const text =
    found === null
      ? undefined
      : found !== "names"
        ? foundFilter(found)
        : sql`(${artifacts.name} LIKE ${pattern} ESCAPE '\\' OR ${artifacts.digest} LIKE ${pattern} ESCAPE '\\' OR ${artifacts.pointer} LIKE ${pattern} ESCAPE '\\')`;
  return { pk, inSession, filters, text, where: and(inSession, ...Object.values(filters), text) };
}

const foundFilter = ({ sessions, events }: Exclude<FoundArtifacts, "names">): SQL =>
  sessions === null
    ? sql`artifacts.session_pk * 4294967296 + artifacts.seq IN (SELECT value FROM json_each(${JSON.stringify(events)}))`
    : sql`artifacts.session_pk IN (SELECT value FROM json_each(${JSON.stringify(sessions)}))`;

export type ArtifactChoice = Pick<ArtifactsQuery, "session" | "q" | "tool" | "type" | "state" | "origin">;
export type ArtifactOrder = Pick<ArtifactsQuery, "sort" | "dir">;

export function artifactOrder({ sort, dir }: ArtifactOrder, isBack = false): [SQL, SQL] {
  const order = (dir === "asc") !== isBack ? asc : desc;
  const by = SORTS[sort];
  // SQLite takes what is not there for the least.
  return [order(dir === "asc" && LOADS.has(sort) ? sql`coalesce(${by}, ${UNKNOWN})` : by), order(artifacts.pk)];
}

/** What a search through contents needs of an artifact before it has found anything. */
export type Searchable = {
  readonly pk: number;
  readonly pointer: string;
  readonly digest: string;
  readonly size: number;
  readonly lineCount: number | null;
  readonly deletedAt: number | null;
  readonly expiresAt: number | null;
};

/** The first `limit` artifacts of a choice, in its order; how many there are in all. */
export async function matchingArtifacts(
  archive: Archive,
  query: ArtifactChoice & ArtifactOrder,
  limit: number,
): Promise<{ readonly rows: readonly Searchable[]; readonly total: number }> {
  const db = await queriesOf(archive.sqlite);
  const { where } = await artifactFilters(archive, query);
  const rows = db
    .select({
      pk: artifacts.pk,
      pointer: artifacts.pointer,
      digest: artifacts.digest,
      size: artifacts.size,
      lineCount: artifacts.line_count,
      deletedAt: artifacts.deleted_at,
      expiresAt: artifacts.expires_at,
    })
    .from(artifacts)
    .where(where)
    .orderBy(...artifactOrder(query))
    .limit(limit)
    .all();
  if (rows.length < limit) return { rows, total: rows.length };
  const all = db
    .select({ total: sql<number>`count(*)` })
    .from(artifacts)
    .where(where)
    .get();
  return { rows, total: all?.total ?? rows.length };
}

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

export const kept = <T>(archive: Archive, key: string, make: () => T): T =>
  cached(archive, "artifact lists", databaseState(archive), make, { key, limit: KEPT });
