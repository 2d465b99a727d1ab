// The sessions page: filtered, sorted, searched and paged in SQLite. 10,000 sessions answer in well under 100 ms, because
// everything that is sorted by stands in the session's row.
import { query, scalar } from "#db/statement.ts";
import { and, asc, desc, eq, gte, inArray, isNotNull, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import { inSnapshot } from "#db/snapshot.ts";
import { queriesOf, type Db } from "#db/shared-queries.ts";
import { sessions } from "#db/schema/session-tables.ts";
import { captured } from "#lib/formats/captured.ts";
import type { SessionState } from "#lib/kernel/load/compaction-state.ts";
import {
  sessionRow,
  sessionsQuery,
  type SessionCulprit,
  type SessionRow,
  type SessionsAnswer,
  type SessionsQuery,
  type SessionSummary,
} from "#lib/wire/sessions-schema.ts";
import { markedText } from "#lib/kernel/search/search-query.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { cleanupFolders, DAY_MS, deletedAtSql } from "../import/agent-cleanup.ts";
import { labelOf } from "../import/format-label.ts";
import { unsearchedSessions } from "../import/archived-transcripts.ts";
import { likeOf } from "../base/like-pattern.ts";
import { findSessions, type FoundSessions } from "../search/found-sessions.ts";
import { seqOfRow } from "../base/row-keys.ts";
import { continuationOf } from "./list-continuations.ts";
import { listSummaryOf } from "./list-summary.ts";
import { listSums, NO_PROJECT } from "./list-sums.ts";
import { RUNNING_MS, summaryOf, VIEW_COLUMNS, VIEW_FROM, VIEW_ROW } from "./session-view.ts";
import { summaryOfSession } from "./show-session.ts";
import { snippetOf } from "./snippet.ts";
import { judgedAvoidable } from "../load/session-findings.ts";
import { titleRank } from "./title-rank.ts";
import { recentCalls, sessionBurn } from "../load/session-burn.ts";
import { callsByModel } from "../base/call-sums.ts";

const SINCE = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

// Names stand as in a book: case does not part them.
const SORTS = {
  active: sessions.ended_at,
  started: sessions.started_at,
  title: sql`${sessions.title} COLLATE NOCASE`,
  turns: sessions.turn,
  calls: sessions.calls,
  peak: sessions.peak_share,
  compactions: sessions.compactions,
  artifacts: sessions.artifacts,
  cost: sessions.usd,
  avoidable: sessions.avoidable_usd,
} as const;

/** `nested` lists sub-agents beside their parents; pages fold them instead. */
type ListQuery = SessionsQuery & { nested?: boolean };

export async function listSessions(archive: Archive, query: ListQuery): Promise<SessionsAnswer> {
  const db = await queriesOf(archive.sqlite);
  const found = await searchSessions(archive, query.q);
  const { where, rows, ...answer } = inSnapshot(archive.sqlite, () => listed(archive, db, query, found));
  return {
    // The row's schema picks what a list needs of the summary.
    sessions: await Promise.all(
      rows.map(async ({ hit, ...row }) =>
        sessionRow.parse({
          ...row,
          hit: hit === null ? null : seqOfRow(hit),
          snippet: hit === null ? null : await snippetOf(archive, hit, found?.words ?? ""),
        }),
      ),
    ),
    ...answer,
    ...(query.sums === undefined
      ? { sums: null, groups: null }
      : await listSums(archive, db, where, query.group !== undefined)),
    marked: markedText(query.q),
    isWhole: found?.isWhole ?? true,
    hits:
      found === null || found.isOfSessions
        ? null
        : [...found.sessions.values()].reduce((sum, { hits }) => sum + hits, 0),
  };
}

/** What a list says of one moment: the thread that writes may take a session away between two queries. */
function listed(archive: Archive, db: Db, query: ListQuery, found: FoundSessions | null) {
  const whereWithout = (left: keyof Filters | null) => whereOf(archive, query, found, left);
  const where = whereWithout(null);
  const page = inOrder(archive, db, where, query).limit(query.limit).offset(query.offset).all();
  const calls = callsByModel(
    archive,
    page.map(({ pk }) => pk),
  );
  const now = archive.host.now();
  const recent = recentCalls(
    archive,
    page.filter(({ written }) => (written ?? 0) >= now - RUNNING_MS).map(({ pk }) => pk),
  );
  const total =
    db
      .select({ n: sql<number>`count(*)` })
      .from(sessions)
      .where(where)
      .get()?.n ?? 0;
  return {
    where,
    rows: page.map(({ pk }) => ({
      ...listedRow(archive, pk, { calls, recent }),
      hit: found?.sessions.get(pk)?.first ?? null,
    })),
    total,
    // A figure beside a choice says what that choice would list: every other filter holds, its own does not.
    counts: countsOf(archive, db, whereWithout("state")),
    facets: {
      formats: facetOf(db, "format", whereWithout("format")).map((one) => ({ ...one, label: labelOf(one.value) })),
      projects: facetOf(db, "cwd", whereWithout("project")),
      models: facetOf(db, "model", whereWithout("model")),
    },
  };
}

/**
 * The summary of every session that a query lists, sub-agents too, newest first, from rows alone: a sparkline and what
 * loaded a session most would need all of its calls and outputs.
 */
export async function listSummaries(
  archive: Archive,
  { q, format }: { readonly q?: string | undefined; readonly format?: string | undefined },
): Promise<{ sessions: { summary: SessionSummary; calls: number }[]; isWhole: boolean }> {
  const query = { ...sessionsQuery.parse({ q }), format, nested: true };
  const found = await searchSessions(archive, query.q);
  const where = whereOf(archive, query, found, null);
  const db = await queriesOf(archive.sqlite);
  const listed = inSnapshot(archive.sqlite, () =>
    inOrder(archive, db, where, query)
      .all()
      .map(({ pk, calls }) => ({ summary: summaryOfSession(archive, pk), calls })),
  );
  return { sessions: listed, isWhole: found?.isWhole ?? true };
}

type Order = Pick<SessionsQuery, "q" | "sort" | "dir" | "pin" | "group">;

function inOrder({ host }: Archive, db: Db, where: SQL | undefined, { q, sort, dir, pin, group }: Order) {
  const order = dir === "asc" ? asc : desc;
  const project = sql`coalesce(${sessions.cwd}, ${NO_PROJECT})`;
  // As listSums() orders the groups.
  const grouped = [sql`coalesce(max(${sessions.ended_at}) OVER (PARTITION BY ${project}), -1) DESC`, project];
  return db
    .select({ pk: sessions.pk, calls: sessions.calls, written: sessions.written_at })
    .from(sessions)
    .where(where)
    .orderBy(
      ...(group === undefined ? [] : grouped),
      ...(pin === "running" ? [desc(sql`coalesce(${runningAt(host.now())}, 0)`)] : []),
      ...(pin === "title" ? titleRank(q) : []),
      sql`${SORTS[sort]} IS NULL`,
      order(SORTS[sort]),
      desc(sessions.pk),
    );
}

/** Sessions whose text, fields or title the query finds; null without a search. */
const searchSessions = async (archive: Archive, q: string): Promise<FoundSessions | null> =>
  q.trim() === "" ? null : findSessions(archive, q);

function foundFilter(archive: Archive, { sessions: found, titled }: FoundSessions): SQL | undefined {
  const isOneOf = (pks: Iterable<number>) =>
    inArray(sessions.pk, sql`(SELECT value FROM json_each(${JSON.stringify([...pks])}))`);
  if (titled === null) return isOneOf(found.keys());
  const isTitled = and(
    sql`${sessions.title} LIKE ${likeOf(titled.words)} ESCAPE '\\'`,
    sql`${sessions.pk} NOT IN (SELECT value FROM json_each(${JSON.stringify(unsearchedSessions(archive))}))`,
    titled.among === null ? undefined : isOneOf(titled.among),
  );
  return or(isOneOf(found.keys()), isTitled);
}

type Filters = Pick<SessionsQuery, "format" | "project" | "model" | "state" | "since" | "artifacts" | "file">;

const SOON_MS = 7 * DAY_MS;

/** Sessions whose file was deleted, or is by its agent within a week. */
function fileFilter(archive: Archive, file: NonNullable<Filters["file"]>): SQL {
  if (file === "deleted") return sql`${sessions.source_pk} IN (SELECT pk FROM sources WHERE status = 'gone')`;
  const { sqlite } = archive;
  const pks = scalar(sqlite, "sources.pk", `FROM sources WHERE ${deletedAtSql("sources", "?")} <= ?`).all(
    cleanupFolders(archive),
    archive.host.now() + SOON_MS,
  );
  return sql`${sessions.source_pk} IN (SELECT value FROM json_each(${JSON.stringify(pks)}))`;
}

/** What a query lists; `left` names one filter that does not hold. */
function whereOf(
  archive: Archive,
  query: ListQuery,
  found: FoundSessions | null,
  left: keyof Filters | null,
): SQL | undefined {
  const now = archive.host.now();
  const request = { ...query, state: stateFilter(query) };
  const { format, project, model, state, since, artifacts, file }: Filters =
    left === null ? request : { ...request, [left]: undefined };
  return and(
    // A search looks into sub-agents too; the list shows them under their parents.
    query.parent !== undefined
      ? eq(sessions.parent_pk, findSession(archive, query.parent))
      : (found === null || found.isOfSessions) && query.nested !== true
        ? isNull(sessions.parent_pk)
        : undefined,
    // What was captured of a session is shown in that session.
    or(isNull(sessions.parent_pk), ne(sessions.format, captured.id)),
    // Earlier versions of files are found by a search, and listed beside their session.
    found === null || found.isOfSessions ? isNull(sessions.earlier) : undefined,
    format === undefined ? undefined : eq(sessions.format, format),
    project === undefined ? undefined : eq(sessions.cwd, project),
    model === undefined ? undefined : eq(sessions.model, model),
    state === undefined ? undefined : state === "running" ? runningAt(now) : eq(sessions.state, state),
    since === undefined ? undefined : gte(sessions.started_at, now - SINCE[since]),
    artifacts === undefined ? undefined : gte(sessions.artifacts, 1),
    file === undefined ? undefined : fileFilter(archive, file),
    found === null ? undefined : foundFilter(archive, found),
  );
}

/** Links of older versions call it a badge: what was over is refused now. */
const stateFilter = ({ state, badge }: SessionsQuery): SessionsQuery["state"] =>
  state ?? (badge === "over" ? "refused" : badge);

const runningAt = (now: number): SQL => gte(sessions.written_at, now - RUNNING_MS);

function countsOf(archive: Archive, db: Db, where: SQL | undefined): SessionsAnswer["counts"] {
  const filtered = (condition: SQL) => sql<number>`count(*) FILTER (WHERE ${condition})`;
  const inState = (state: SessionState) => filtered(eq(sessions.state, state));
  return db
    .select({
      all: sql<number>`count(*)`,
      refused: inState("refused"),
      compacted: inState("compacted"),
      near: inState("near"),
      fine: inState("fine"),
      running: filtered(runningAt(archive.host.now())),
    })
    .from(sessions)
    .where(where)
    .get() as SessionsAnswer["counts"];
}

const FACETS = 200;

function facetOf(
  db: Db,
  column: "format" | "cwd" | "model",
  where: SQL | undefined,
): { value: string; count: number }[] {
  const value = sessions[column];
  return db
    .select({ value: sql<string>`${value}`, count: sql<number>`count(*)` })
    .from(sessions)
    .where(and(where, isNotNull(value)))
    .groupBy(value)
    .orderBy(sql`2 DESC`, sql`1`)
    .limit(FACETS)
    .all();
}

/** One session as a list shows it, whatever lists it. */
export async function listRow(archive: Archive, pk: number): Promise<SessionRow> {
  const row = listedRow(archive, pk, { calls: callsByModel(archive, [pk]), recent: recentCalls(archive, []) });
  return sessionRow.parse({ ...row, hit: null, snippet: null });
}

type ListedCalls = {
  readonly calls: ReturnType<typeof callsByModel>;
  /** Of the sessions that run. */
  readonly recent: ReturnType<typeof recentCalls>;
};

function listedRow(archive: Archive, pk: number, { calls, recent }: ListedCalls) {
  const row = query(archive.sqlite, VIEW_ROW, `SELECT ${VIEW_COLUMNS} ${VIEW_FROM} WHERE s.pk = ?`).get(pk)!;
  const summary = summaryOf(archive, row, calls);
  return {
    ...summary,
    ...listSummaryOf(archive, pk),
    culprit: row.culprit === null ? null : (JSON.parse(row.culprit) as SessionCulprit),
    avoidable: judgedAvoidable(archive, pk, row),
    burn:
      summary.status === "running"
        ? sessionBurn(archive, recent.get(pk) ?? [], {
            startedAt: row.started_at,
            isCounted: summary.peak.origin === "counted",
          })
        : null,
    calls: row.calls,
    ...continuationOf(archive, pk, row.native_id),
  };
}
