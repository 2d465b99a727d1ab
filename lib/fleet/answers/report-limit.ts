// Reports that read the rows of every session: of ten million rows one takes minutes, and a node has eight connections for everybody.
import type { FleetSql } from "#db/fleet/fleet-sql.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Fleet } from "../open-fleet.ts";

/** How long the database may take for each question of a report (ms). */
const LIMIT_MS = 60_000;

const CANCELLED = "57014";

/** Asks within a time, one question after the other on one connection. What takes longer is ended in the database too. */
export async function withinTime<T>(fleet: Fleet, ask: (sql: FleetSql) => Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  let answer: T;
  try {
    await fleet.sql.begin("READ ONLY", async (tx) => {
      await tx.unsafe(`SET LOCAL statement_timeout = ${limitMs}`);
      // It asks as the other does; nothing in a report begins a transaction.
      answer = await ask(tx as unknown as FleetSql);
    });
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== CANCELLED) throw error;
    fail(
      "timeout",
      `This report took the database more than ${Math.ceil(limitMs / 1000)} s. Choose fewer days, or another grouping.`,
      error,
    );
  }
  return answer!;
}
