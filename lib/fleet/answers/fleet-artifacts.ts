// The artifacts of a fleet's sessions, as one machine lists its own: the same filters, sorts, sums and figures beside each choice.
import { isPlainQuery, parseSearch } from "#lib/kernel/search/search-query.ts";
import type { ArtifactRow, ArtifactsAnswer, ArtifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { wordQuery } from "../lexemes.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { beginSo } from "./begun-words.ts";
import { foundRows } from "./found-texts.ts";
import { conditionsOf, within } from "./search-conditions.ts";
import { patternsOf, triedTexts, type Asking } from "./tried-texts.ts";

/** Names stand as in a book. What is not known is the least, but for loads: those stand last in either order. */
const SORTS: Readonly<Record<ArtifactsQuery["sort"], readonly [column: string, isLoad?: true]>> = {
  size: ["a.size"],
  created: ["a.created_at"],
  name: ["lower(a.name)"],
  tool: ["lower(a.tool)"],
  type: ["lower(a.type)"],
  expires: ["a.expires_at"],
  tokens: ["a.tokens", true],
  calls: ["a.calls", true],
  cost: ["a.usd", true],
};

const FACET_VALUES = 100;

type Filters = Readonly<Record<"tool" | "type" | "state" | "origin" | "text", Fragment | null>>;

/** Of the sessions in these projects. `next` is the offset to go on from, or null. */
export async function fleetArtifacts(
  fleet: Fleet,
  query: ArtifactsQuery,
  visible: Projects,
  asking: Asking,
): Promise<ArtifactsAnswer> {
  const { sql, ask } = fleet;
  const { now } = asking;
  const filters = await filtersOf(fleet, query, visible, asking);
  const seen = inProjects(fleet, visible, "a.project");
  const where = (left?: keyof Filters): Fragment =>
    Object.entries(filters).reduce<Fragment>(
      (all, [name, one]) => (one === null || name === left ? all : sql`${all} AND ${one}`),
      seen,
    );
  const [column, isLoad] = SORTS[query.sort];
  const nulls = query.dir === "desc" || isLoad === true ? "LAST" : "FIRST";
  const order = sql.unsafe(`${column} ${query.dir} NULLS ${nulls}, a.pointer ${query.dir}`);
  const facet = (own: "tool" | "type") =>
    sql<
      { value: string; count: number }[]
    >`SELECT a.${sql(own)} AS value, count(*)::int AS count FROM session_artifacts a
      WHERE ${where(own)} AND a.${sql(own)} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${FACET_VALUES}`;
  return ask(async () => {
    const [[sums], rows, tools, types] = await Promise.all([
      sql<{ total: number; bytes: number; unweighed: number }[]>`SELECT count(*) AS total,
        coalesce(sum(a.size) FILTER (WHERE a.gone IS NULL), 0)::bigint AS bytes, count(*) FILTER (WHERE a.calls IS NULL) AS unweighed
        FROM session_artifacts a WHERE ${where()}`,
      sql<
        { row: ArtifactRow; state: ArtifactRow["state"] }[]
      >`SELECT a.row, ${stateIn(fleet, now)} AS state FROM session_artifacts a
        WHERE ${where()} ORDER BY ${order} LIMIT ${query.limit} OFFSET ${query.offset}`,
      facet("tool"),
      facet("type"),
    ]);
    const end = query.offset + rows.length;
    return {
      artifacts: rows.map(({ row, state }) => ({ ...row, state })),
      next: rows.length > 0 && end < sums!.total ? end : null,
      total: sums!.total,
      totalBytes: sums!.bytes,
      unweighed: sums!.unweighed,
      tools: [...tools],
      types: [...types],
      hooked: null,
    };
  });
}

/** A session that has the artifact, in these projects; null where none has. */
export async function sessionOfArtifact(fleet: Fleet, pointer: string, visible: Projects): Promise<string | null> {
  const [row] = await fleet.ask(
    () => fleet.sql<{ session: string }[]>`SELECT session FROM session_artifacts
      WHERE pointer = ${pointer} AND ${inProjects(fleet, visible)} LIMIT 1`,
  );
  return row?.session ?? null;
}

/** What is past its time counts as expired at once, swept or not. */
const stateIn = ({ sql }: Fleet, now: number): Fragment =>
  sql`coalesce(a.gone, CASE WHEN a.expires_at <= ${now} THEN 'expired' ELSE 'live' END)`;

async function filtersOf(fleet: Fleet, query: ArtifactsQuery, visible: Projects, asking: Asking): Promise<Filters> {
  const { sql } = fleet;
  const { now } = asking;
  const { tool, type, state, origin } = query;
  return {
    tool: tool === undefined ? null : sql`a.tool = ${tool}`,
    type: type === undefined ? null : sql`a.type = ${type}`,
    state: state === undefined ? null : sql`${stateIn(fleet, now)} = ${state}`,
    origin: origin === undefined ? null : sql`a.origin = ${origin}`,
    text: query.q.trim() === "" ? null : (await textFilter(fleet, query.q, visible, asking)).condition,
  };
}

/** Words alone are looked for in names; a field, a phrase or a pattern asks what is stored, or the session. */
async function textFilter(
  fleet: Fleet,
  q: string,
  visible: Projects,
  asking: Asking,
): Promise<{ readonly condition: Fragment }> {
  const { sql } = fleet;
  const parsed = parseSearch(q, asking.now);
  if (isPlainQuery(parsed)) {
    const like = within(q);
    return { condition: sql`(a.name ILIKE ${like} OR a.digest ILIKE ${like} OR a.pointer ILIKE ${like})` };
  }
  const patterns = patternsOf(parsed);
  const words = wordQuery(parsed.terms);
  if (patterns.length > 0) {
    const { rows } = await triedTexts(
      fleet,
      asking,
      { filters: parsed.filters, words, patterns, isStored: true },
      visible,
    );
    return {
      condition: sql`(a.project, a.session, a.seq) IN (SELECT f.project, f.session, f.seq FROM ${foundRows(fleet, rows)})`,
    };
  }
  const ofText = conditionsOf(fleet, parsed.filters, { of: "text", marks: "session" });
  const ofSession = conditionsOf(fleet, parsed.filters, { of: "session", marks: "session" }) ?? sql`true`;
  if (words === null && ofText === null)
    return {
      condition: sql`EXISTS (SELECT 1 FROM sessions s WHERE s.project = a.project AND s.id = a.session AND ${ofSession})`,
    };
  const condition = sql`(a.project, a.session, a.seq) IN (SELECT t.project, t.session, t.seq FROM session_texts t
    JOIN sessions s ON s.project = t.project AND s.id = t.session
    WHERE t.piece > 0 AND ${ofSession} AND ${ofText ?? sql`true`}
      AND ${words === null ? sql`true` : sql`t.words @@ to_tsquery('plimsoll', ${words.tsquery}) AND ${beginSo(fleet, words)}`})`;
  return { condition };
}
