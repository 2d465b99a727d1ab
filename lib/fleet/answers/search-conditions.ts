// A query's words and fields as conditions on the rows of the catalogue: `t` is a text, `s` its session. Values of one field are
// alternatives, as on one machine.
import { agentPattern } from "#lib/archive/import/named-agents.ts";
import { isOfMark, type FilterOf, type MarkFilter, type SearchFilter } from "#lib/kernel/search/search-filter.ts";
import type { SearchField } from "#lib/kernel/search/search-fields.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { fileQuery } from "../lexemes.ts";

type Sql = Pick<Fleet, "sql">;

const OF_SESSION: readonly SearchField[] = ["agent", "project", "model", "branch", "cost", "commit", "pr"];
/** Numbers and times are bounds: each of them holds. */
const BOUNDS: readonly SearchField[] = ["cost", "tokens", "after", "before"];

/** True where a filter asks of the whole session. */
export const isOfSession = (filter: SearchFilter): boolean => OF_SESSION.includes(filter.field) || isOfMark(filter);

/** What filters are asked of. `marks`: what those for marks are asked of; a session has the marks of its events. */
export type Of = { readonly of: "session" | "text"; readonly marks: "session" | "text" };

/** What filters ask in other words, where an index knows these. */
export type KnownConditions = ReadonlyMap<SearchFilter, Fragment>;

/** What the filters ask of a session, or of a text; null where they ask nothing. */
export function conditionsOf(
  fleet: Sql,
  filters: readonly SearchFilter[],
  { of, marks }: Of,
  known: KnownConditions = new Map(),
): Fragment | null {
  const { sql } = fleet;
  const own = filters.filter((one) => (isOfMark(one) ? marks : isOfSession(one) ? "session" : "text") === of);
  if (own.length === 0) return null;
  const groups = Map.groupBy(
    own,
    (one) => `${one.field} ${one.not} ${BOUNDS.includes(one.field) ? own.indexOf(one) : ""}`,
  );
  return [...groups.values()].reduce<Fragment>(
    (all, group) => {
      const any = group
        .map((one) => known.get(one) ?? conditionOf(fleet, one, of))
        .reduce((ways, way) => sql`${ways} OR ${way}`);
      return sql`${all} AND ${group[0]!.not ? sql`NOT coalesce(${any}, false)` : sql`(${any})`}`;
    },
    sql`true`,
  );
}

/** A text in a pattern of LIKE. */
const escaped = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);
/** A pattern of LIKE that finds a text anywhere. */
export const within = (value: string): string => `%${escaped(value)}%`;

function conditionOf({ sql }: Sql, filter: SearchFilter, of: Of["of"]): Fragment {
  switch (filter.field) {
    case "agent":
      return sql`(s.format ~* ${agentPattern(filter.value)} OR s.agent ~* ${agentPattern(filter.value)})`;
    case "project":
      return sql`s.cwd ILIKE ${within(filter.value)}`;
    case "model":
      return sql`s.model ILIKE ${within(filter.value)}`;
    case "branch":
      return sql`s.branch ILIKE ${within(filter.value)}`;
    case "cost":
      return sql`s.usd ${sql.unsafe(filter.op)} ${filter.amount}`;
    case "type":
      return sql`t.kind = ANY(${[...filter.kinds]})`;
    case "tool":
      return toolIs({ sql }, filter);
    case "tokens":
      return sql`t.tokens ${sql.unsafe(filter.op)} ${filter.amount}`;
    case "after":
      return sql`t.at >= ${filter.at}`;
    case "before":
      return sql`t.at < ${filter.at}`;
    case "file": {
      const words = fileQuery(filter.value);
      return words === null ? sql`false` : sql`(t.file <> '' AND t.file_words @@ to_tsquery('plimsoll', ${words}))`;
    }
    case "is":
      return filter.state === "error" ? sql`t.is_error` : isMarked({ sql }, filter, of);
    case "label":
    case "note":
      return isMarked({ sql }, filter, of);
    case "commit":
    case "pr":
      return sql`(s.project, s.id) IN (SELECT m.project, m.session FROM session_made m
        WHERE m.kind = ${filter.field} AND ${filter.field === "commit" ? isCommit({ sql }, filter) : isPull({ sql }, filter)})`;
  }
}

/** A mark of a session is one of all its events; who does not want it refuses that of the whole session alone. */
function isMarked({ sql }: Sql, filter: MarkFilter, of: Of["of"]): Fragment {
  const is =
    filter.field === "is"
      ? sql`m.kind = 'star'`
      : filter.field === "label"
        ? sql`m.kind = 'label' AND lower(m.value) = lower(${filter.value})`
        : sql`m.kind = 'note' AND m.value ILIKE ${within(filter.value)}`;
  const where = of === "text" ? sql`AND m.seq IN (0, t.seq)` : filter.not ? sql`AND m.seq = 0` : sql``;
  const row =
    of === "text"
      ? sql`m.project = t.project AND m.session = t.session`
      : sql`m.project = s.project AND m.session = s.id`;
  return sql`EXISTS (SELECT FROM session_marks m WHERE ${row} AND ${is} ${where})`;
}

/** A tool's own name, or with `*` the beginning of some; an MCP server's tool goes by its last part too. */
function toolIs({ sql }: Sql, { value }: FilterOf<"tool">): Fragment {
  const name = escaped(value.toLowerCase());
  return name.endsWith("*")
    ? sql`lower(t.tool) LIKE ${`${name.replace(/\*+$/, "")}%`}`
    : sql`(lower(t.tool) = ${value.toLowerCase()} OR lower(t.tool) LIKE ${String.raw`%\_\_${name}`})`;
}

/** Characters of a commit's name, at most. */
const NAME = 64;

/** By the start of its name, or by the whole of a longer one. */
function isCommit({ sql }: Sql, { value }: FilterOf<"commit">): Fragment {
  const name = value.toLowerCase();
  const starts = Array.from({ length: Math.min(name.length, NAME) }, (_, n) => name.slice(0, n + 1));
  return sql`(lower(m.value) LIKE ${`${escaped(name)}%`} OR lower(m.value) = ANY(${starts}))`;
}

/** By its number, a part of its address, or `owner/name#12`. */
function isPull({ sql }: Sql, { value }: FilterOf<"pr">): Fragment {
  const [, repository, number] = /^(?:(.+)#|#?)(\d+)$/.exec(value.toLowerCase()) ?? [];
  if (number === undefined) return sql`m.value ILIKE ${within(value)}`;
  return sql`lower(m.value) LIKE ${`${repository === undefined ? "" : `%/${escaped(repository)}/`}%/${number}`}`;
}
