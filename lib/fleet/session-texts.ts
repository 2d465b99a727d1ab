// The texts of a session in the database, with the words that they are found by. Their indexes are what cataloguing takes longest
// for, 0.3 s for a megabyte of session files: of a session that went on, the texts that are the same as before stay as they are.
import { hash } from "node:crypto";
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { CataloguedText, CataloguedTexts } from "#lib/archive/exports/catalogue-session.ts";
import { VIEWS } from "#lib/archive/exports/views-version.ts";
import { clean } from "./commits.ts";
import { fileWords, wordsOf } from "./lexemes.ts";

/** Rows of one INSERT: a text has 33 KB at most. */
const TEXTS = 200;

type Session = { readonly project: string; readonly session: string };

/** SQL: what all rows of a session's texts come to; null without any. */
export const TEXTS_PRINT = "md5(string_agg(print::text, '' ORDER BY seq, piece, kind))::uuid";

/** All texts of a session, in place of those that are there; their print. */
export async function writeTexts(
  tx: FleetTransaction,
  session: Session,
  parts: AsyncIterable<CataloguedTexts>,
): Promise<string | null> {
  let end = 0;
  for await (const { from, to, texts } of parts) {
    await writePart(tx, session, [from, to], texts.map(rowOf));
    end = to;
  }
  await tx`DELETE FROM session_texts WHERE project = ${session.project} AND session = ${session.session} AND seq >= ${end}`;
  const [row] = await tx<{ print: string | null }[]>`SELECT ${tx.unsafe(TEXTS_PRINT)} AS print FROM session_texts
    WHERE project = ${session.project} AND session = ${session.session}`;
  return row!.print;
}

type Row = ReturnType<typeof rowOf>;
type Key = Pick<Row, "seq" | "piece" | "kind">;

const keyOf = ({ seq, piece, kind }: Key): string => `${seq} ${piece} ${kind}`;

/** Its print is of all that a row is made of, the version that makes it, too. */
function rowOf({ ts, isError, text, tool, file, ...doc }: CataloguedText) {
  const row = { ...doc, at: ts, is_error: isError, text: clean(text), tool: clean(tool), file: clean(file) };
  return { ...row, print: hash("md5", JSON.stringify([VIEWS, row])) };
}

/** A path's words are words of the text, too. */
function withWords(row: Row): object {
  const inFile = fileWords(row.file);
  return { ...row, plain: `${wordsOf(row.text)} ${inFile}`, file_plain: inFile };
}

async function writePart(
  tx: FleetTransaction,
  { project, session }: Session,
  [from, to]: readonly [number, number],
  rows: readonly Row[],
): Promise<void> {
  const kept = await tx<Key[]>`
    WITH said AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(${tx.json(
      rows.map(({ seq, piece, kind, print }) => ({ seq, piece, kind, print })),
    )}) AS d(seq integer, piece integer, kind text, print uuid)),
    there AS MATERIALIZED (SELECT seq, piece, kind, print FROM session_texts
      WHERE project = ${project} AND session = ${session} AND seq >= ${from} AND seq < ${to}),
    same AS MATERIALIZED (SELECT seq, piece, kind FROM said JOIN there USING (seq, piece, kind, print)),
    gone AS (DELETE FROM session_texts t
      WHERE t.project = ${project} AND t.session = ${session} AND t.seq >= ${from} AND t.seq < ${to}
        AND (t.seq, t.piece, t.kind) NOT IN (SELECT seq, piece, kind FROM same))
    SELECT seq, piece, kind FROM same`;
  const same = new Set(kept.map(keyOf));
  const fresh = rows.filter((row) => !same.has(keyOf(row)));
  for (let at = 0; at < fresh.length; at += TEXTS)
    await tx`INSERT INTO session_texts
      (project, session, seq, piece, kind, tool, at, tokens, is_error, text, file, words, file_words, print)
    SELECT ${project}, ${session}, seq, piece, kind, tool, at, tokens, is_error, text, file, to_tsvector('plimsoll', plain),
      to_tsvector('plimsoll', file_plain), print
    FROM jsonb_to_recordset(${tx.json(fresh.slice(at, at + TEXTS).map(withWords) as never)}) AS d(seq integer, piece integer, kind text, tool text, at bigint,
      tokens integer, is_error boolean, text text, file text, plain text, file_plain text, print uuid)`;
}
