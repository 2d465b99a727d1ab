// The sessions that words and fields find, for a list of these.
import { parseSearch } from "#lib/kernel/search/search-query.ts";
import { FOUND_LIST, withinTime } from "../answers/report-limit.ts";
import { beginSo } from "../answers/begun-words.ts";
import { conditionsOf, isOfSession } from "../answers/search-conditions.ts";
import { foundRows } from "../answers/found-texts.ts";
import { valuesAsked } from "../answers/session-values.ts";
import { patternsOf, triedTexts, type Asking } from "../answers/tried-texts.ts";
import { wordQuery } from "../lexemes.ts";
import type { Fleet } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import type { Asked, ListFilters } from "./list-filters.ts";

/** What a list asks of a session that was found. */
const FOUND = [
  "project, id, parent, format, model, state, cwd, title, started_at, ended_at",
  "turns, calls, compactions, artifacts, peak_share",
  "usd, avoidable_usd, own_calls, own_tokens, own_usd, own_unsure",
].join(", ");

/**
 * The answer of a list whose sessions are looked for first: by each of its questions again a word of every tenth of a million texts
 * took 2.4 s.
 */
export const amongFound = <T>(
  fleet: Fleet,
  filters: ListFilters,
  answer: (fleet: Fleet, filters: ListFilters) => Promise<T>,
): Promise<T> =>
  fleet.ask(() =>
    withinTime(
      fleet,
      async (sql) => {
        await sql`CREATE TEMP TABLE found ON COMMIT DROP AS SELECT ${sql.unsafe(FOUND)} FROM sessions s WHERE ${filters.common}`;
        return answer({ ...fleet, sql, ask: (run) => run() }, { ...filters, common: sql`true` });
      },
      FOUND_LIST,
    ),
  );

/** Sessions that a query finds: by what is said in them, or by their titles. */
export async function foundBy(fleet: Fleet, q: string, visible: Projects, asking: Asking): Promise<Asked | null> {
  if (q.trim() === "") return null;
  const { sql } = fleet;
  const { terms, filters } = parseSearch(q, asking.now);
  const patterns = patternsOf({ terms });
  if (patterns.length > 0) {
    const words = wordQuery(terms);
    const tried = await triedTexts(fleet, asking, { filters, words, patterns }, visible);
    const condition = sql`(s.project, s.id) IN (SELECT f.project, f.session FROM ${foundRows(fleet, tried.rows)})`;
    return { condition, said: { tried, condition: sql`false`, ofWords: null, among: null } };
  }
  const words = wordQuery(terms, { isTyped: true });
  const known = await valuesAsked(fleet, filters, visible);
  const own = conditionsOf(fleet, filters, { of: "session", marks: "session" }, known);
  // The narrow rows of all sessions have what fields ask of, with an index of each.
  const ofField =
    own === null
      ? null
      : sql`(SELECT s.project, s.id FROM searched_sessions s WHERE ${inProjects(fleet, visible, "s.project")} AND ${own})`;
  const among = ofField === null ? sql`true` : sql`(s.project, s.id) IN ${ofField}`;
  const ofText = conditionsOf(fleet, filters, { of: "text", marks: "session" });
  if (words === null && ofText === null) return { condition: filters.length > 0 ? among : sql`false`, said: null };
  const ofWords = words === null ? null : sql`t.words @@ to_tsquery('plimsoll', ${words.tsquery})`;
  const isSaid = sql`${ofWords === null ? sql`true` : sql`${ofWords} AND ${beginSo(fleet, words)}`}
    ${ofText === null ? sql`` : sql`AND ${ofText}`}`;
  const isTitle =
    words !== null && filters.every(isOfSession) && terms.every(({ kind, not }) => kind === "word" && !not);
  const condition = sql`${among} AND (s.project, s.id) IN (
    SELECT t.project, t.session FROM session_texts t WHERE ${isSaid}
    ${isTitle ? sql`UNION SELECT n.project, n.id FROM sessions n WHERE n.title_words @@ to_tsquery('plimsoll', ${words.stems})` : sql``})`;
  return {
    condition,
    said: {
      tried: null,
      condition: sql`${inProjects(fleet, visible, "t.project")} AND ${isSaid}`,
      ofWords,
      among: ofField === null ? null : sql`(t.project, t.session) IN ${ofField}`,
    },
  };
}
