// Texts that were found, by their keys.
import type { SearchKind } from "#lib/kernel/search/search-fields.ts";
import type { SearchAnswer } from "#lib/wire/search-schema.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";

export type FoundRow = {
  readonly project: string;
  readonly session: string;
  readonly seq: number;
  readonly piece: number;
  readonly kind: SearchKind;
  readonly tool: string;
  readonly at: number | null;
  readonly tokens: number;
  readonly is_error: boolean;
  readonly score: number;
};

/** Those that regular expressions fit, and how many of those that they could be in were tried. */
export type Tried = { readonly rows: readonly FoundRow[]; readonly scanned: NonNullable<SearchAnswer["scanned"]> };

export type TextKey = Pick<FoundRow, "project" | "session" | "seq" | "piece" | "kind">;

export const keyOf = ({ project, session, seq, piece, kind }: TextKey): string =>
  JSON.stringify([project, session, seq, piece, kind]);

/** Rows `f` of their keys. */
export const foundRows = ({ sql }: Pick<Fleet, "sql">, rows: readonly TextKey[]): Fragment =>
  sql`unnest(${rows.map(({ project }) => project)}::text[], ${rows.map(({ session }) => session)}::text[],
    ${rows.map(({ seq }) => seq)}::integer[], ${rows.map(({ piece }) => piece)}::integer[], ${rows.map(({ kind }) => kind)}::text[])
    f (project, session, seq, piece, kind)`;

/** Those of them whose text `t` meets the condition `fits`. */
export async function textsOf(
  fleet: Fleet,
  rows: readonly TextKey[],
  fits: Fragment = fleet.sql`true`,
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map();
  const found = await fleet.ask(
    () => fleet.sql<(TextKey & { text: string })[]>`
      SELECT t.project, t.session, t.seq, t.piece, t.kind, t.text FROM ${foundRows(fleet, rows)} JOIN session_texts t USING (project, session, seq, piece, kind)
      WHERE ${fits}`,
  );
  return new Map(found.map((row) => [keyOf(row), row.text]));
}
