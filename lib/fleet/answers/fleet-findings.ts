// Findings of a fleet's sessions: grouped by the database, ranked and shown by the functions of one machine. A mark is of a project
// and a fingerprint: where a finding was seen in several projects, it counts as marked when all of them that one sees have the mark.
import {
  findingRowOf,
  firstWeek,
  oneFinding,
  rankFindings,
  SEEN,
  seenOf,
  sinceOf,
  type GroupedFinding,
  type RankedFinding,
  type SeenRow,
  type SeenTimes,
} from "#lib/archive/load/list-findings.ts";
import { forbid } from "#lib/kernel/errors.ts";
import type {
  FindingAnswer,
  FindingMarkRequest,
  FindingRow,
  FindingsAnswer,
  FindingsRequest,
} from "#lib/wire/findings-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { insertDeletion, type DeletedBy } from "../people/audit.ts";
import { inProjects, type Projects } from "../visible-projects.ts";

type Which = { readonly project?: string | null; readonly since?: number | null; readonly id?: string };

function grouped(
  { sql }: Fleet,
  visible: Projects,
  { project = null, since = null, id }: Which,
): Promise<readonly GroupedFinding[]> {
  return sql<GroupedFinding[]>`
    WITH own AS (
      SELECT f.project, f.fingerprint, sum(f.times) AS count, count(DISTINCT f.session) AS sessions, sum(f.usd) AS usd,
        count(*) FILTER (WHERE f.usd IS NULL OR f.partial) AS unpriced, sum(f.tokens)::bigint AS tokens, min(coalesce(f.first_at, f.at)) AS first,
        max(coalesce(f.seen_at, f.at)) AS last
      FROM session_findings f
      ${project === null ? sql`` : sql`JOIN sessions s ON s.project = f.project AND s.id = f.session AND s.cwd = ${project}`}
      WHERE ${inProjects({ sql }, visible, "f.project")} ${since === null ? sql`` : sql`AND coalesce(f.seen_at, f.at) >= ${since}`}
        ${id === undefined ? sql`` : sql`AND f.fingerprint = ${id}`}
      GROUP BY 1, 2)
    SELECT o.fingerprint, greatest(1, sum(o.count))::bigint AS count, sum(o.sessions)::bigint AS sessions, sum(o.usd) AS usd,
      sum(o.unpriced)::bigint AS unpriced, sum(o.tokens)::bigint AS tokens, min(o.first) AS first, max(o.last) AS last,
      CASE WHEN count(k.muted_at) = count(*) THEN max(k.muted_at) END AS muted,
      CASE WHEN count(k.done_at) = count(*) THEN max(k.done_at) END AS done
    FROM own o LEFT JOIN finding_marks k ON k.project = o.project AND k.fingerprint = o.fingerprint GROUP BY 1`;
}

export async function fleetFindings(
  fleet: Fleet,
  request: FindingsRequest,
  visible: Projects,
  now: number,
): Promise<FindingsAnswer> {
  const { sql, ask } = fleet;
  return ask(async () => {
    const which = { project: request.project ?? null, since: sinceOf(request) };
    const { page, ...answer } = rankFindings(await grouped(fleet, visible, which), request);
    const [rows, [left]] = await Promise.all([
      rowsOf(fleet, page, visible, now),
      sql<{ n: number }[]>`SELECT count(*) AS n FROM sessions
        WHERE calls > 0 AND judged IS NOT TRUE AND ${inProjects(fleet, visible)}`,
    ]);
    return { ...answer, findings: rows, waiting: left!.n };
  });
}

async function rowsOf(
  { sql }: Fleet,
  page: readonly RankedFinding[],
  visible: Projects,
  now: number,
): Promise<FindingRow[]> {
  if (page.length === 0) return [];
  const ids = page.map(({ row }) => row.fingerprint);
  const [fixes, times] = await Promise.all([
    sql<{ id: string; fix: string }[]>`SELECT DISTINCT ON (fingerprint) fingerprint AS id, fix FROM session_findings
      WHERE fingerprint = ANY(${ids}) AND ${inProjects({ sql }, visible)}
      ORDER BY fingerprint, coalesce(seen_at, at) DESC NULLS LAST, session DESC`,
    sql<
      ({ id: string } & SeenTimes)[]
    >`SELECT fingerprint AS id, coalesce(seen_at, at) AS at, times FROM session_findings
      WHERE fingerprint = ANY(${ids}) AND at > ${firstWeek(now)} AND coalesce(seen_at, at) > ${firstWeek(now)} AND ${inProjects({ sql }, visible)}`,
  ]);
  const fixOf = new Map(fixes.map((row) => [row.id, row.fix]));
  const timesOf = Map.groupBy(times, ({ id }) => id);
  return page.map((one) =>
    findingRowOf(one, {
      fix: fixOf.get(one.row.fingerprint) ?? "",
      times: timesOf.get(one.row.fingerprint) ?? [],
      now,
    }),
  );
}

export async function fleetFinding(fleet: Fleet, id: string, visible: Projects, now: number): Promise<FindingAnswer> {
  const { sql, ask } = fleet;
  return ask(async () => {
    const finding = oneFinding(await grouped(fleet, visible, { id }), id, "this fleet");
    const seen = await sql<
      SeenRow[]
    >`SELECT f.seq, f.label, f.fix, coalesce(f.seen_at, f.at) AS at, f.tokens, f.usd, s.id, s.title, s.cwd
      FROM session_findings f JOIN sessions s ON s.project = f.project AND s.id = f.session
      WHERE f.fingerprint = ${id} AND ${inProjects(fleet, visible, "f.project")}
      ORDER BY coalesce(f.seen_at, f.at) DESC NULLS LAST, f.session DESC LIMIT ${SEEN}`;
    const [row] = await rowsOf(fleet, [finding], visible, now);
    return { finding: row!, seen: seen.map(seenOf) };
  });
}

/** `writable`: the projects in which whoever asks may write. */
export async function markFleetFinding(
  fleet: Fleet,
  id: string,
  { mark }: FindingMarkRequest,
  {
    visible,
    writable,
    now,
    by,
  }: {
    readonly visible: Projects;
    readonly writable: Projects;
    readonly now: number;
    readonly by: DeletedBy;
  },
): Promise<FindingRow> {
  const { sql, ask } = fleet;
  const { finding } = await fleetFinding(fleet, id, visible, now);
  const marked = await ask(() =>
    mark === "open"
      ? sql.begin(async (tx) => {
          const rows = await tx<
            { project: string }[]
          >`DELETE FROM finding_marks WHERE fingerprint = ${finding.id} AND ${inProjects(fleet, writable)} RETURNING project`;
          for (const { project } of rows)
            await insertDeletion(tx, by, { project, what: `mark of finding ${finding.id}` });
          return rows;
        })
      : sql`INSERT INTO finding_marks (project, fingerprint, muted_at, done_at)
          SELECT DISTINCT project, fingerprint, ${mark === "muted" ? now : null}::bigint, ${mark === "done" ? now : null}::bigint
          FROM session_findings WHERE fingerprint = ${finding.id} AND ${inProjects(fleet, writable)}
          ON CONFLICT (project, fingerprint) DO UPDATE SET muted_at = excluded.muted_at, done_at = excluded.done_at RETURNING 1`,
  );
  if (marked.length === 0 && mark !== "open")
    forbid("You may read this finding, and not mark it. Ask for the role writer in its project.");
  return (await fleetFinding(fleet, id, visible, now)).finding;
}
