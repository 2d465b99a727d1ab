// Who writes to a session that agents write: one node at a time, for a while, under a number that only rises. All times are the
// database's. An append is one statement that holds only while its number is the session's.
import type { Fleet } from "../open-fleet.ts";

export type TakenLease = {
  readonly project: string;
  readonly fence: number;
  /** Appends that the session has, and how many of them are packed, in which commit. */
  readonly last: number;
  readonly packed: number;
  readonly commit: string | null;
};

export type Holder = {
  readonly project: string;
  readonly node: string | null;
  readonly isLive: boolean;
  readonly address: string | null;
  readonly host: string | null;
  /** Until the lease is over, where nobody renews it. */
  readonly leftMs: number;
};

/** Notes a session that begins, or goes on from what was sent of it; nothing where it is known, or another project has it. */
export async function noteHeld({ sql, ask }: Fleet, session: string, project: string): Promise<void> {
  await ask(
    () => sql`WITH owned AS (INSERT INTO session_projects (session, project) VALUES (${session}, ${project}) ON CONFLICT DO NOTHING)
      INSERT INTO held_sessions (session, project, commit_id)
      SELECT ${session}, ${project}, (SELECT commit_id FROM families WHERE project = ${project} AND id = ${session})
      WHERE NOT EXISTS (SELECT 1 FROM session_projects WHERE session = ${session} AND project <> ${project})
        AND NOT EXISTS (SELECT 1 FROM deleted_sessions WHERE session = ${session})
      ON CONFLICT DO NOTHING`,
  );
}

/** Takes a session that nobody has, or whose lease is over; null where another node has it, or it was deleted. */
export async function takeLease(
  { sql, ask, node }: Fleet,
  session: string,
  seconds: number,
): Promise<TakenLease | null> {
  const [row] = await ask(
    () => sql<TakenLease[]>`UPDATE held_sessions SET holder = ${node}, fence = fence + 1,
        until = clock_timestamp() + make_interval(secs => ${seconds})
      WHERE session = ${session} AND (holder IS NULL OR holder = ${node} OR until < clock_timestamp())
      RETURNING project, fence, last, packed, commit_id AS commit`,
  );
  return row === undefined ? null : { ...row };
}

/** Who has a session; null for one that no agent of this fleet writes, "deleted" for any that was deleted. */
export async function holderOf({ sql, ask }: Fleet, session: string): Promise<Holder | "deleted" | null> {
  const [row] = await ask(
    () => sql<
      (Holder & { isDeleted: boolean })[]
    >`SELECT h.project, EXISTS (SELECT 1 FROM deleted_sessions d WHERE d.session = q.session) AS "isDeleted", h.holder AS node, h.holder IS NOT NULL AND h.until >= clock_timestamp() AS "isLive",
        n.address, n.host, greatest(0, extract(epoch FROM h.until - clock_timestamp()) * 1000)::float8 AS "leftMs"
      FROM (SELECT ${session}::text AS session) q LEFT JOIN held_sessions h ON h.session = q.session LEFT JOIN nodes n ON n.id = h.holder`,
  );
  const { isDeleted, ...holder } = row!;
  return isDeleted ? "deleted" : holder.project === null ? null : holder;
}

/** Keeps leases; those that are this node's still, with their numbers. */
export async function renewLeases(
  { sql, ask, node }: Fleet,
  sessions: readonly string[],
  seconds: number,
): Promise<ReadonlyMap<string, number>> {
  if (sessions.length === 0) return new Map();
  const rows = await ask(
    () => sql<
      { session: string; fence: number }[]
    >`UPDATE held_sessions SET until = clock_timestamp() + make_interval(secs => ${seconds})
      WHERE holder = ${node} AND session = ANY(${[...sessions]}) RETURNING session, fence`,
  );
  return new Map(rows.map(({ session, fence }) => [session, fence]));
}

export async function giveBackLease({ sql, ask, node }: Fleet, session: string, fence: number): Promise<void> {
  await ask(
    () => sql`UPDATE held_sessions SET holder = NULL, until = 'epoch'
      WHERE session = ${session} AND holder = ${node} AND fence = ${fence}`,
  );
}

/** Appends of one session, and the number under which they are made. */
export type Span = { readonly session: string; readonly fence: number; readonly first: number; readonly last: number };
export type LogRow = {
  readonly session: string;
  readonly seq: number;
  readonly kept: string | null;
  readonly body: string;
};
export type NameRow = { readonly session: string; readonly name: string; readonly digest: string | null };

/** Appends, each session's all or none; the sessions whose number still held. */
export async function appendLog(
  { sql, ask, node }: Fleet,
  spans: readonly Span[],
  rows: readonly LogRow[],
  names: readonly NameRow[],
  seconds: number,
): Promise<ReadonlySet<string>> {
  const done = await ask(
    () => sql<{ session: string }[]>`
      WITH given AS (SELECT * FROM jsonb_to_recordset(${sql.json(spans as never)}) AS g(session text, fence bigint, first bigint, last bigint)),
      leased AS (
        UPDATE held_sessions h SET last = g.last, until = greatest(h.until, clock_timestamp() + make_interval(secs => ${seconds}))
        FROM given g WHERE h.session = g.session AND h.fence = g.fence AND h.holder = ${node} AND h.last = g.first - 1
        RETURNING h.session, h.project, h.fence),
      added AS (
        INSERT INTO live_log (session, seq, project, fence, kept, body)
        SELECT l.session, e.seq, l.project, l.fence, e.kept, e.body
        FROM jsonb_to_recordset(${sql.json(rows as never)}) AS e(session text, seq bigint, kept text, body text) JOIN leased l USING (session)),
      named AS (
        INSERT INTO held_names (name, session, digest) SELECT n.name, l.session, n.digest
        FROM jsonb_to_recordset(${sql.json(names as never)}) AS n(session text, name text, digest text) JOIN leased l USING (session)
        ON CONFLICT DO NOTHING)
      SELECT session FROM leased`,
  );
  return new Set(done.map(({ session }) => session));
}

/** Of appends whose answer was lost: the sessions whose are there. Nobody else appends under these numbers. */
export async function appendedOf({ sql, ask }: Fleet, spans: readonly Span[]): Promise<ReadonlySet<string>> {
  const rows = await ask(
    () => sql<{ session: string }[]>`SELECT l.session FROM live_log l
      JOIN jsonb_to_recordset(${sql.json(spans as never)}) AS g(session text, fence bigint, last bigint)
        ON l.session = g.session AND l.seq = g.last AND l.fence = g.fence`,
  );
  return new Set(rows.map(({ session }) => session));
}

/** The session that an output's pointer or a compaction's id belongs to; null where no agent of this fleet made it. */
export async function sessionOfName({ sql, ask }: Fleet, name: string): Promise<string | null> {
  const [row] = await ask(() => sql<{ session: string }[]>`SELECT session FROM held_names WHERE name = ${name}`);
  return row?.session ?? null;
}
