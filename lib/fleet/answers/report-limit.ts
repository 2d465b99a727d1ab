// What may read the rows or the texts of every session: of ten million rows a report takes minutes, and a node has eight connections
// for everybody.
import type { FleetSql } from "#db/fleet/fleet-sql.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { Fleet } from "../open-fleet.ts";

/** How long the database may take for each question of a report (ms). */
const LIMIT_MS = 60_000;

const CANCELLED = "57014";

type Limited = {
  /** What has a temporary table writes. */
  readonly mode: "READ ONLY" | "READ WRITE";
  readonly name: string;
  readonly advice: string;
};
const REPORT: Limited = { mode: "READ ONLY", name: "report", advice: "Choose fewer days, or another grouping." };
export const FOUND_LIST: Limited = { mode: "READ WRITE", name: "search", advice: "Search for rarer words." };

/** Asks within a time, one question after the other on one connection. What takes longer is ended in the database too. */
export async function withinTime<T>(
  fleet: Fleet,
  ask: (sql: FleetSql) => Promise<T>,
  { mode, name, advice } = REPORT,
  limitMs = LIMIT_MS,
): Promise<T> {
  let answer: T;
  try {
    await fleet.sql.begin(mode, async (tx) => {
      await tx.unsafe(`SET LOCAL statement_timeout = ${limitMs}`);
      // It asks as the other does; nothing in it begins a transaction.
      answer = await ask(tx as unknown as FleetSql);
    });
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== CANCELLED) throw error;
    fail("timeout", `This ${name} took the database more than ${Math.ceil(limitMs / 1000)} s. ${advice}`, error);
  }
  return answer!;
}
