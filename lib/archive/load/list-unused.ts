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
      first: "integer",
      last: "integer",
    },
    `SELECT c.kind, c.name, count(*) AS sessions, max(c.tokens) AS tokens, sum(c.sent) AS sent, sum(c.usd) AS usd, sum(c.uses) AS uses,
       min(c.at) AS first, max(c.at) AS last
     FROM session_carried c JOIN sessions s ON s.pk = c.session_pk
     WHERE s.earlier IS NULL AND c.at >= ? GROUP BY c.kind, c.name, c.uses IS NULL
     HAVING coalesce(sum(c.uses), 0) = 0 ORDER BY usd DESC, sent DESC, name, uses`,
  ).all(now - days * DAY_MS);
  return { days, rows: rows.map((row) => unusedRow(row, days)) };
}

type Row = UnusedAnswer["rows"][number];
export type UnusedRow = Omit<Row, "kind" | "monthlyUsd"> & {
  readonly kind: string;
  /** When the first and the last session ended that carried it. */
  readonly first: number;
  readonly last: number;
};

/** Of sums over so many days. A month's dollars are of the time in which it was carried: a server that is gone cost no less while it was there. */
export function unusedRow({ kind, usd, first, last, ...row }: UnusedRow, days: number): Row {
  const carried = Math.max((last - first) / DAY_MS, Math.min(days, MONTH_DAYS));
  return { ...row, kind: kind as Row["kind"], usd, monthlyUsd: usd === null ? null : (usd * MONTH_DAYS) / carried };
}

/** Opens the archive in a folder for this one question. */
export async function unusedOfFolder(dir: string, days: number, now: number): Promise<UnusedAnswer> {
  const connection = connect(dir, "read");
  try {
    return await listUnused(connection, days, now);
  } finally {
    connection.sqlite.close();
  }
}
