// Labels, stars and notes on sessions and events, and searches that are saved under a name.
import { query } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import type {
  LabelsAnswer,
  Mark,
  MarkRequest,
  MarksAnswer,
  SavedSearch,
  SearchesAnswer,
} from "#lib/wire/marks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { write } from "../base/write.ts";
import { markedEvent } from "./mark-anchor.ts";
import { dropSearchWrite, saveSearchWrite, setMarkWrite } from "./mark-rows.ts";

const ROW = {
  seq: "marks.seq",
  kind: "marks.kind",
  value: "marks.value",
  anchor: "marks.anchor",
  at: "marks.at",
} as const;

/** Those of the session first, then those of its events in their order. */
export const marksOf = (archive: Archive, pk: number): Mark[] =>
  query(archive.sqlite, ROW, "FROM marks WHERE session_pk = ? ORDER BY seq, kind, value")
    .all(pk)
    .flatMap(({ seq, kind, value, anchor, at }) => {
      const now = seq === 0 ? 0 : markedEvent(archive, pk, seq, anchor);
      return now === null ? [] : [{ seq: now === 0 ? null : now, kind, value, at: iso(at) ?? "" }];
    });

export const listMarks = (archive: Archive, name: string): MarksAnswer => ({
  marks: marksOf(archive, findSession(archive, name)),
});

/** Sets a mark, or takes it away; answers with all of the session. */
export async function setMark(archive: Archive, name: string, request: MarkRequest): Promise<MarksAnswer> {
  const pk = findSession(archive, name);
  await write(archive, setMarkWrite, { sessionId: sessionIdOf(archive, pk)!, request });
  return listMarks(archive, name);
}

type ShownMarks = { readonly starred: boolean; readonly labels: string[]; readonly note: string | null };

/** What a list shows of a session with these marks on itself, in the order of their values. */
export const shownMarks = (rows: readonly { readonly kind: string; readonly value: string }[]): ShownMarks => ({
  starred: rows.some(({ kind }) => kind === "star"),
  labels: rows.flatMap(({ kind, value }) => (kind === "label" ? [value] : [])),
  note: rows.find(({ kind }) => kind === "note")?.value ?? null,
});

/** What a list shows of a session. */
export function marksOfSession(archive: Archive, pk: number): ShownMarks {
  const rows = query(
    archive.sqlite,
    { kind: "marks.kind", value: "marks.value" },
    "FROM marks WHERE session_pk = ? AND seq = 0 ORDER BY value",
  ).all(pk);
  return shownMarks(rows);
}

/** All labels, with how many sessions have each, on themselves or on an event. */
export const listLabels = (archive: Archive): LabelsAnswer => ({
  labels: query(
    archive.sqlite,
    { name: "marks.value", count: "integer" },
    "SELECT value AS name, count(DISTINCT session_pk) AS count FROM marks WHERE kind = 'label' GROUP BY value ORDER BY value",
  ).all(),
});

export const listSearches = (archive: Archive): SearchesAnswer => ({
  searches: query(
    archive.sqlite,
    { name: "saved_searches.name", query: "saved_searches.query", at: "saved_searches.created_at" },
    "SELECT name, query, created_at AS at FROM saved_searches ORDER BY name COLLATE NOCASE",
  )
    .all()
    .map(({ name, query: saved, at }) => ({ name, query: saved, createdAt: iso(at) ?? "" })),
});

export async function saveSearch(archive: Archive, request: Pick<SavedSearch, "name" | "query">): Promise<SavedSearch> {
  await write(archive, saveSearchWrite, request);
  return listSearches(archive).searches.find(({ name }) => name === request.name)!;
}

export async function dropSearch(archive: Archive, { name }: Pick<SavedSearch, "name">): Promise<{ deleted: boolean }> {
  const answer = await write(archive, dropSearchWrite, { name });
  if (!answer.deleted)
    fail("not_found", `No search is saved as "${name}". plimsoll search --saved lists those that are.`);
  return answer;
}
