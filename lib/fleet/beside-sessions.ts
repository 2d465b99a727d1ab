// What people keep beside a session that was sent: plans of compactions, memory and marks. The database has it under a version; a node
// tells it before it is committed there, and takes over what the others told when it opens the session.
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { hasSeen, marksIn, withSeen, type KeptMark } from "#lib/archive/base/beside-rows.ts";
import type { HeldEntry } from "#lib/archive/base/held-entry.ts";
import { write } from "#lib/archive/base/write.ts";
import { putBesideWrite } from "#lib/archive/import/keep-memory.ts";
import { AppError } from "#lib/kernel/errors.ts";
import { clean } from "./commits.ts";
import type { Fleet } from "./open-fleet.ts";

export type BesideSessions = {
  /** Tells what is beside these sessions now. One answer each: null, or why the write is refused. */
  ship(entries: readonly HeldEntry[]): Promise<(Error | null)[]>;
  /** Gives a session here what the other nodes told of it. */
  bring(project: string, session: string): Promise<void>;
  /** What is here is what the fleet had when it was last brought or told. */
  isBrought(session: string): boolean;
  /** They are not here any more, or were read anew. */
  forget(sessions: readonly string[]): void;
};

export function besideSessions(fleet: Fleet, archive: Archive): BesideSessions {
  const { sql, ask } = fleet;
  /** Of each session that was brought: the version that is here. */
  const versions = new Map<string, number>();

  /** Null: told. */
  async function tell(session: string, text: string): Promise<Error | null> {
    let project: string | null = null;
    try {
      const version = await ask(() =>
        sql.begin(async (tx) => {
          const [row] = await tx<{ project: string }[]>`SELECT project FROM sessions WHERE id = ${session}`;
          // A session that the fleet does not know is this node's own.
          if (row === undefined) return 0;
          project = row.project;
          return await keep(tx, project, session, text);
        }),
      );
      if (version === null) return moved(project!, session);
      if (version > 0) versions.set(session, version);
      return null;
    } catch (error) {
      // The answer may be lost and not the change.
      versions.delete(session);
      return error as Error;
    }
  }

  async function keep(tx: FleetTransaction, project: string, session: string, text: string): Promise<number | null> {
    const before = await keptOf(tx, project, session);
    const version = before?.version ?? 0;
    if (version !== (versions.get(session) ?? 0)) return null;
    // Its copy was imported a moment ago, with what its sender has alone.
    if (before !== null && !hasSeen(text, before.rows)) return null;
    const told = clean(before === null ? text : withSeen(text, before.rows));
    // Where there is none yet two nodes may write at once.
    const [row] = await tx<{ version: number }[]>`INSERT INTO session_kept (project, session, version, rows)
      VALUES (${project}, ${session}, ${version + 1}, ${told})
      ON CONFLICT (project, session) DO UPDATE SET version = excluded.version, rows = excluded.rows, at = now()
        WHERE session_kept.version = ${version} RETURNING version`;
    if (row === undefined) return null;
    await tx`DELETE FROM session_marks WHERE project = ${project} AND session = ${session}`;
    await insertMarks(tx, project, session, marksIn(told));
    return row.version;
  }

  function moved(project: string, session: string): Error {
    versions.delete(session);
    // Not awaited: it waits for the very writes that are refused.
    void bring(project, session).catch(() => undefined);
    return new AppError(
      "conflict",
      `Another node changed what is kept beside session ${session}. Nothing was written here; send the request again.`,
      { isPassing: true },
    );
  }

  return {
    async ship(entries) {
      const answers = new Map<string, Error | null>();
      // Several writes of one session: the last has what all of them left, and speaks of what each of them found.
      const last = new Map<string, string>();
      for (const { session, beside } of entries) {
        const earlier = last.get(session);
        last.set(session, earlier === undefined ? beside! : withSeen(beside!, earlier));
      }
      for (const [session, text] of last) answers.set(session, await tell(session, text));
      return entries.map(({ session }) => answers.get(session) ?? null);
    },
    bring,
    isBrought: (session) => versions.has(session),
    forget(sessions) {
      for (const session of sessions) versions.delete(session);
    },
  };

  async function bring(project: string, session: string): Promise<void> {
    const [row] = await ask(
      () =>
        sql<
          { version: number }[]
        >`SELECT version FROM session_kept WHERE project = ${project} AND session = ${session}`,
    );
    const here = versions.get(session);
    if (row === undefined) versions.set(session, 0);
    else if (row.version !== here) {
      const kept = await ask(() => keptOf(sql, project, session));
      if (kept === null) return;
      await write(archive, putBesideWrite, { sessionId: session, text: kept.rows });
      versions.set(session, kept.version);
    }
  }
}

type Kept = { readonly version: number; readonly rows: string };

async function keptOf(sql: Fleet["sql"] | FleetTransaction, project: string, session: string): Promise<Kept | null> {
  const [row] = await sql<Kept[]>`SELECT version, rows FROM session_kept
    WHERE project = ${project} AND session = ${session}`;
  return row === undefined ? null : { ...row };
}

/** The marks of a session that is catalogued: those that its sender has, and what nodes made of them. */
export async function writeMarks(
  tx: FleetTransaction,
  project: string,
  session: string,
  sent: readonly KeptMark[],
): Promise<void> {
  const kept = await keptOf(tx, project, session);
  await insertMarks(tx, project, session, kept === null ? sent : marksIn(kept.rows, sent));
}

async function insertMarks(
  tx: FleetTransaction,
  project: string,
  session: string,
  marks: readonly KeptMark[],
): Promise<void> {
  if (marks.length === 0) return;
  // As one value: a statement takes 65,535, and each event may have marks.
  const rows = marks.map(({ seq, kind, value }) => ({ seq, kind, value: clean(value) }));
  await tx`INSERT INTO session_marks (project, session, seq, kind, value)
    SELECT ${project}, ${session}, seq, kind, value FROM jsonb_to_recordset(${tx.json(rows)}) AS m(seq integer, kind text, value text)
    ON CONFLICT DO NOTHING`;
}
