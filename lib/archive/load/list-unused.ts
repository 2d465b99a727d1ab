// What sessions of the last days carried in every prompt and did not use, with its cost. What was used once is not listed.
import { connect, type Connection } from "#db/connection.ts";
import { query } from "#db/statement.ts";
import type { UnusedAnswer } from "#lib/wire/usage-schema.ts";

const DAY_MS = 86_400_000;
const MONTH_DAYS = 30;

export async function listUnused({ sqlite }: Connection, days: number, now: number): Promise<UnusedAnswer> {
  const rows = query(
    sqlite,
    {
      kind: "session_carried.kind",
      name: "session_carried.name",
      sessions: "integer",
      tokens: "integer",
      sent: "integer",
      usd: "real?",
      uses: "integer?",
    },
    `SELECT c.kind, c.name, count(*) AS sessions, max(c.tokens) AS tokens, sum(c.sent) AS sent, sum(c.usd) AS usd, sum(c.uses) AS uses
     FROM session_carried c JOIN sessions s ON s.pk = c.session_pk
     WHERE s.earlier IS NULL AND c.at >= ? GROUP BY c.kind, c.name
     HAVING coalesce(sum(c.uses), 0) = 0 ORDER BY usd DESC, sent DESC, name`,
  ).all(now - days * DAY_MS);
  return { days, rows: rows.map((row) => unusedRow(row, days)) };
}

type Row = UnusedAnswer["rows"][number];
export type UnusedRow = Omit<Row, "kind" | "monthlyUsd"> & { readonly kind: string };

/** Of sums over so many days. */
export const unusedRow = ({ kind, usd, ...row }: UnusedRow, days: number): Row => ({
  ...row,
  kind: kind as Row["kind"],
  usd,
  monthlyUsd: usd === null ? null : (usd * MONTH_DAYS) / days,
});

/** Opens the archive in a folder for this one question. */
export async function unusedOfFolder(dir: string, days: number, now: number): Promise<UnusedAnswer> {
  const connection = connect(dir, "read");
  try {
    return await listUnused(connection, days, now);
  } finally {
    connection.sqlite.close();
  }
}
