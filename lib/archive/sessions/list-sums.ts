// What all sessions of a filter come to, and each of their projects: over the whole list, not over the rows that a page has.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Rows } from "#db/schema.ts";
import { scalar, select } from "#db/statement.ts";
import { sessions } from "#db/schema/session-tables.ts";
import type { Db } from "#db/shared-queries.ts";
import { and, inArray, isNull, sql, type SQL } from "drizzle-orm";
import { promptTokens } from "#lib/kernel/draft.ts";
import type { SessionGroup, SessionsAnswer, SessionSums } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { countersOf } from "../import/session-counters.ts";
import { callsByModel, isAllPriced } from "../base/call-sums.ts";

/** What a session's counters and calls say, for as long as it is of this version. */
type Figures = {
  readonly of: string;
  /** Its own calls; what it inherited was paid elsewhere. */
  readonly calls: number;
  readonly tokens: number;
  /** The true cost is more: known by the counters, by its calls, or not looked at yet. */
  isPartial: boolean | null;
};

type Listed = Pick<Rows["sessions"], "pk" | "version" | "usd" | "ended_at"> & { readonly project: string };
type Summed = Listed & { readonly figures: Figures };

/** Sessions whose counters or calls are read at once: some 10 ms. */
const STEP = 200;
const figures = perArchive(() => new Map<number, Figures>());

/** The project of sessions that name no folder. */
export const NO_PROJECT = "";

/** The sums of what `where` lists, of the sub-agents below it, and, where it is grouped, of each project: the last active first. */
export async function listSums(
  archive: Archive,
  db: Db,
  where: SQL | undefined,
  isGrouped: boolean,
): Promise<Pick<SessionsAnswer, "sums" | "groups">> {
  const listed = await rowsWhere(archive, db, where);
  const below = belowOf(archive, listed);
  const found = below.length === 0 ? [] : await rowsWhere(archive, db, and(pkIn(below), isNull(sessions.earlier)));
  return {
    sums: {
      ...(await sumOf(archive, listed)),
      subAgents: found.length === 0 ? null : await sumOf(archive, found),
    },
    groups: isGrouped ? await groupsOf(archive, listed) : null,
  };
}

async function groupsOf(archive: Archive, listed: readonly Summed[]): Promise<SessionGroup[]> {
  const groups = await Promise.all(
    [...Map.groupBy(listed, ({ project }) => project)].map(async ([project, rows]) => ({
      activeAt: rows.reduce((most, row) => Math.max(most, row.ended_at ?? -1), -1),
      group: { project, ...(await sumOf(archive, rows)) },
    })),
  );
  // As ORDER BY of the rows: by time, then by the bytes of the name.
  const bytes = (project: string) => Buffer.from(project);
  groups.sort((a, b) => b.activeAt - a.activeAt || Buffer.compare(bytes(a.group.project), bytes(b.group.project)));
  return groups.map(({ group }) => group);
}

async function rowsWhere(archive: Archive, db: Db, where: SQL | undefined): Promise<Summed[]> {
  const rows: Listed[] = db
    .select({
      pk: sessions.pk,
      version: sessions.version,
      usd: sessions.usd,
      ended_at: sessions.ended_at,
      project: sql<string>`coalesce(${sessions.cwd}, ${NO_PROJECT})`,
    })
    .from(sessions)
    .where(where)
    .all();
  const known = figures(archive);
  const open = rows.filter((row) => known.get(row.pk)?.of !== keyOf(row));
  for (let at = 0; at < open.length; at += STEP) {
    if (at > 0) await nextTurn();
    readFigures(archive, known, open.slice(at, at + STEP));
  }
  return rows.map((row) => ({ ...row, figures: known.get(row.pk)! }));
}

const keyOf = ({ version, usd }: Pick<Listed, "version" | "usd">): string => `${version} ${usd}`;

/** The counters of a session are 2 kB of JSON: for 10,000 sessions they take 150 ms, so they are read once a version. */
function readFigures({ sqlite }: Archive, known: Map<number, Figures>, rows: readonly Listed[]): void {
  const read = select(sqlite, "sessions", ["tally"], "WHERE pk = ?");
  for (const row of rows) {
    const { calls, usage, lost, lowerBound, withoutUsage } = countersOf(read.get(row.pk)!);
    const isUnsure = lost !== null || (lowerBound + withoutUsage > 0 && calls.inherited === 0);
    known.set(row.pk, {
      of: keyOf(row),
      calls: calls.own,
      tokens: promptTokens(usage),
      isPartial: isUnsure ? true : null,
    });
  }
}

const pkIn = (pks: readonly number[]): SQL =>
  inArray(sessions.pk, sql`(SELECT value FROM json_each(${JSON.stringify(pks)}))`);

/** Sub-agents of the sessions, theirs too, that are not among them. */
function belowOf({ sqlite }: Archive, listed: readonly Listed[]): number[] {
  const tops = new Set(listed.map(({ pk }) => pk));
  return scalar(
    sqlite,
    "sessions.pk",
    `WITH RECURSIVE below(pk) AS (SELECT pk FROM sessions WHERE parent_pk IN (SELECT value FROM json_each(?))
         UNION SELECT s.pk FROM sessions s JOIN below b ON s.parent_pk = b.pk)
     SELECT pk FROM below`,
  )
    .all(JSON.stringify([...tops]))
    .filter((pk) => !tops.has(pk));
}

async function sumOf(archive: Archive, rows: readonly Summed[]): Promise<SessionSums> {
  const priced = rows.filter(({ usd }) => usd !== null);
  return {
    sessions: rows.length,
    calls: rows.reduce((sum, row) => sum + row.figures.calls, 0),
    tokens: rows.reduce((sum, row) => sum + row.figures.tokens, 0),
    usd: priced.length === 0 ? null : priced.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
    isPartial: await isAnyPartial(archive, rows),
  };
}

/**
 * Whether the true cost of any is more. The counters of nearly every session of Claude Code say so at once; where they do
 * not, its calls are read, once for each version.
 */
async function isAnyPartial(archive: Archive, rows: readonly Summed[]): Promise<boolean> {
  if (rows.some((row) => row.figures.isPartial === true)) return true;
  const open = rows.filter((row) => row.figures.isPartial === null);
  for (let at = 0; at < open.length; at += STEP) {
    if (at > 0) await nextTurn();
    const step = open.slice(at, at + STEP);
    const calls = callsByModel(
      archive,
      step.map(({ pk }) => pk),
    );
    for (const row of step) row.figures.isPartial = !isAllPriced(calls.get(row.pk) ?? []);
    if (step.some((row) => row.figures.isPartial === true)) return true;
  }
  return false;
}
