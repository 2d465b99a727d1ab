// Where a list's search stands in its sessions: of those on the page that is answered, the first event that fits and the text around it.
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { markedText } from "#lib/kernel/search/search-query.ts";
import { excerpt, markedWords } from "#lib/archive/sessions/snippet.ts";
import type { SessionRow } from "#lib/wire/sessions-schema.ts";
import { countEvents } from "#lib/archive/search/scan-matches.ts";
import { expectedRows } from "../answers/expected-rows.ts";
import { foundRows, type TextKey } from "../answers/found-texts.ts";
import type { Fleet } from "../open-fleet.ts";
import type { Said } from "./list-filters.ts";
import type { PageRow } from "./list-page.ts";

/** Of more texts with the words each session of the page is looked through from its first event on: there they soon come. */
const FEW = 20_000;
/** Of more hits the list says no number: it would take as long as the list itself. */
const COUNTED = 20_000;

export type Hit = Pick<SessionRow, "hit" | "snippet">;
export const NO_HIT: Hit = { hit: null, snippet: null };

type HitRow = {
  readonly session: string;
  readonly seq: number;
  readonly piece: number;
  readonly kind: string;
  readonly text: string;
};

/** By the id of the session; one that was found by its title alone has none. */
export async function hitsOfPage(
  fleet: Fleet,
  q: string,
  said: Said,
  page: readonly PageRow[],
): Promise<ReadonlyMap<string, Hit>> {
  if (page.length === 0) return new Map();
  const { sql, ask } = fleet;
  const named = sql`unnest(${page.map(({ project }) => project)}::text[], ${page.map(({ row }) => row.id)}::text[]) w (project, session)`;
  const isRare =
    said.ofWords !== null && (await ask(() => expectedRows(fleet, sql`session_texts t WHERE ${said.ofWords!}`))) <= FEW;
  const first =
    said.tried !== null
      ? sql`SELECT * FROM ${foundRows(fleet, firstOf(said.tried.rows, page))}`
      : isRare
        ? // Behind OFFSET 0 the index of words comes first.
          sql`SELECT DISTINCT ON (t.project, t.session) t.project, t.session, t.seq, t.piece, t.kind
        FROM (SELECT * FROM session_texts t WHERE ${said.condition} OFFSET 0) t JOIN ${named} USING (project, session)
        ORDER BY t.project, t.session, t.seq, abs(t.piece)`
        : sql`SELECT t.project, t.session, t.seq, t.piece, t.kind FROM ${named} CROSS JOIN LATERAL (
        SELECT t.* FROM session_texts t WHERE t.project = w.project AND t.session = w.session AND ${said.condition}
        ORDER BY t.project, t.session, t.seq, abs(t.piece) LIMIT 1) t`;
  const rows = await ask(
    () => sql<HitRow[]>`SELECT f.session, f.seq, f.piece, f.kind, t.text
      FROM (${first}) f JOIN session_texts t USING (project, session, seq, piece, kind)`,
  );
  const words = markedWords(markedText(q));
  return new Map(rows.map((row) => [row.session, { hit: row.seq, snippet: snippetOf(row, words) }]));
}

/** Of each session of the page its first. */
function firstOf(rows: readonly TextKey[], page: readonly PageRow[]): readonly TextKey[] {
  const first = new Map<string, TextKey>();
  const shown = new Set(page.map(({ row }) => row.id));
  for (const row of rows) {
    const before = first.get(row.session);
    const isFirst =
      before === undefined ||
      row.seq < before.seq ||
      (row.seq === before.seq && Math.abs(row.piece) < Math.abs(before.piece));
    if (isFirst && shown.has(row.session)) first.set(row.session, row);
  }
  return [...first.values()];
}

/** Secrets of an output that was put away stay masked, as on one machine. */
const snippetOf = ({ kind, text }: HitRow, words: readonly string[]): string =>
  excerpt(kind === "artifact" ? redactText(text).text : text, words);

/** Events that fit, in all sessions; null where they are many. */
export async function countHits(fleet: Fleet, { tried, condition, among }: Said): Promise<number | null> {
  if (tried !== null) return countEvents(tried.rows);
  const { sql, ask } = fleet;
  const texts = sql`session_texts t WHERE ${condition} ${among === null ? sql`` : sql`AND ${among}`}`;
  if ((await ask(() => expectedRows(fleet, texts))) > COUNTED) return null;
  const [row] = await ask(
    () => sql<{ texts: number; events: number }[]>`SELECT coalesce(sum(n), 0)::int AS texts, count(*) AS events
      FROM (SELECT count(*) AS n FROM (SELECT t.project, t.session, t.seq FROM ${texts} LIMIT ${COUNTED + 1}) t GROUP BY project, session, seq) e`,
  );
  return row!.texts > COUNTED ? null : row!.events;
}
