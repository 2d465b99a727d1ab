// What admins read outside their own projects, and what was deleted: a row each, written before the answer goes out. While the
// database is away rows wait in a file of the node, and go in when it is back.
import { randomUUID } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { FleetSql, FleetTransaction } from "#db/fleet/fleet-sql.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { AuditAction, AuditRow } from "#lib/wire/fleet-people-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";

/** The project of what is of no single one. */
export const EVERY_PROJECT = "*";

export type AuditEntry = {
  readonly who: string;
  readonly action: AuditAction;
  readonly project: string;
  readonly session: string | null;
  /** Where the request came from. */
  readonly address: string;
  readonly detail: string;
};

type Dated = AuditEntry & { readonly id: string; readonly at: string };

/** A page asks for a session a dozen times: the same read by the same person is one row in so long. */
const SAME_MS = 60_000;
const SAME = 5000;

export type Audit = {
  note(entry: AuditEntry): Promise<void>;
  /** Writes what waited while the database was away. */
  flush(): Promise<void>;
};

export function openAudit(fleet: Fleet, file: string, now: () => number): Audit {
  const noted = new Map<string, number>();
  let last = 0;

  /** Now, in microseconds; never the same twice: rows are read in the order of their moments. */
  const moment = (): string => {
    last = Math.max(now() * 1000, last + 1);
    const micros = String(last % 1000).padStart(3, "0");
    return new Date(Math.floor(last / 1000)).toISOString().replace("Z", `${micros}Z`);
  };

  async function writeWaiting(): Promise<void> {
    if (!existsSync(file)) return;
    const text = readFileSync(file, "utf8");
    for (const line of text.split("\n").filter(Boolean)) {
      const row = rowOf(line);
      if (row === null) console.error(`A row of the audit log was cut off, and is left out: ${line.slice(0, 200)}`);
      else await fleet.ask(() => insertAudit(fleet.sql, row));
    }
    // What was added meanwhile stays.
    const rest = readFileSync(file, "utf8").slice(text.length);
    rmSync(file);
    if (rest !== "") appendFileSync(file, rest, { mode: 0o600 });
  }

  /** One at a time: the file is removed at the end. */
  let flushing: Promise<void> | null = null;
  const flush = (): Promise<void> => (flushing ??= writeWaiting().finally(() => (flushing = null)));

  return {
    flush,
    async note(entry) {
      const key = JSON.stringify([entry.who, entry.action, entry.project, entry.session, entry.detail]);
      if (entry.action === "read" && now() - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < SAME_MS) return;
      const row = { ...entry, id: randomUUID() };
      try {
        await fleet.ask(() => insertAudit(fleet.sql, row));
        if (existsSync(file)) await flush();
      } catch (error) {
        if (!isAppError(error) || error.code !== "timeout") throw error;
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        const dated: Dated = { ...row, at: moment() };
        // What was cut off before it ends here.
        appendFileSync(file, `\n${JSON.stringify(dated)}\n`, { mode: 0o600 });
      }
      noted.delete(key);
      noted.set(key, now());
      if (noted.size > SAME) noted.delete(noted.keys().next().value!);
    },
  };
}

/** Null for what is no whole row. */
function rowOf(line: string): Dated | null {
  try {
    return JSON.parse(line) as Dated;
  } catch {
    return null;
  }
}

/** Also inside the transaction of what it tells of. */
export async function insertAudit(
  sql: FleetSql | FleetTransaction,
  { who, action, project, session, address, detail, ...dated }: AuditEntry & Partial<Dated>,
): Promise<void> {
  const { id = randomUUID(), at = null } = dated;
  // As text: the driver would cut a moment to its millisecond.
  await sql`INSERT INTO audit (project, at, id, who, action, session, address, detail)
    VALUES (${project}, coalesce(${at}::text::timestamptz, clock_timestamp()), ${id}, ${who}, ${action}, ${session}, ${address}, ${detail.slice(0, 500)})
    ON CONFLICT DO NOTHING`;
}

/** Who deletes something, and from where. */
export type DeletedBy = { readonly who: string; readonly address: string };

/** A row of what somebody deleted that was no session: in the transaction that deletes it, or just after where a node's archive does. */
export const insertDeletion = (
  sql: FleetSql | FleetTransaction,
  { who, address }: DeletedBy,
  { project, session = null, what }: { project: string; session?: string | null; what: string },
): Promise<void> => insertAudit(sql, { who, address, action: "delete", project, session, detail: what });

export type AuditRequest = {
  readonly visible: Projects;
  readonly project?: string | undefined;
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly days?: number | undefined;
  readonly limit: number;
  readonly before?: string | undefined;
};

/** The newest first. Rows of no single project are for who sees all. */
export async function listAudit(fleet: Fleet, request: AuditRequest): Promise<AuditRow[]> {
  const { sql, ask } = fleet;
  const { visible, project, who = "", action, days, limit, before } = request;
  const rows = await ask(
    () => sql<AuditRow[]>`
      SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at, who, action, project, session, address, detail FROM audit WHERE ${inProjects(fleet, visible)}
        ${project === undefined ? sql`` : sql`AND project = ${project}`}
        ${who === "" ? sql`` : sql`AND strpos(lower(who), lower(${who})) > 0`}
        ${action === undefined ? sql`` : sql`AND action = ${action}`}
        ${days === undefined ? sql`` : sql`AND audit.at >= now() - make_interval(days => ${days})`}
        ${before === undefined ? sql`` : sql`AND audit.at < ${before}::text::timestamptz`}
      ORDER BY audit.at DESC, id LIMIT ${limit}`,
  );
  return [...rows];
}
