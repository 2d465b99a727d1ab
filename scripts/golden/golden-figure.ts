// What a golden figure is, and what its reader is given: the sessions that one file alone yielded in an empty archive.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { rowRange } from "#lib/archive/base/row-keys.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import type { ImportedFile } from "#lib/wire/sources-schema.ts";

export type Figure = { readonly name: string; readonly got: number | string; readonly want: number | string };
export const isMet = ({ got, want }: Figure): boolean => got === want;

export type GoldenFile = {
  readonly archive: Archive;
  /** What the import said. */
  readonly imported: ImportedFile;
  /** Every session of the file, sub-agents too; without those that progress lines tell of. */
  readonly sessions: readonly SessionSummary[];
};

/** Compares the files of one folder of the collection. `want` is the file's entry in GOLDEN.json. */
export type GoldenReader = {
  readonly folder: string;
  figures(want: unknown, file: GoldenFile): readonly Figure[] | Promise<readonly Figure[]>;
};

/** Values of a session's events, by SQL over their rows. */
export function eventsOf({ archive }: GoldenFile, session: SessionSummary) {
  const range = rowRange(findSession(archive, session.id));
  const ask = (what: string, where: string): unknown =>
    archive.sqlite
      .prepare(`SELECT ${what} FROM events WHERE id BETWEEN ? AND ? AND ${where}`)
      .pluck()
      .get(...range);
  return {
    number: (what: string, where: string): number => Number(ask(what, where) ?? 0),
    /** The text of the note of this subtype; empty where there is none. */
    note: (subtype: string): string =>
      String(ask("json_extract(body, '$.text')", `json_extract(body, '$.subtype') = '${subtype}'`) ?? ""),
  };
}

export const sumOf = (sessions: readonly SessionSummary[], pick: (session: SessionSummary) => number): number =>
  sessions.reduce((total, session) => total + pick(session), 0);

/** Tokens of a kind, inherited history included. */
export const usedBy = (sessions: readonly SessionSummary[], field: keyof SessionSummary["usage"]): number =>
  sumOf(sessions, (session) => session.usageWithInherited[field]);
