// Indexes that are made while nodes write: of the texts of a large catalogue one takes minutes to hours, and a migration would hold
// all writers up for so long. Until one is there, and whole, nothing asks it.
import { setTimeout as sleep } from "node:timers/promises";
import type { FleetSql } from "./fleet-sql.ts";

type ConcurrentIndex = { readonly name: string; readonly on: string; readonly why: string };

/** An expression's statistics would be of 30,000 texts, each taken apart anew. */
const WITHOUT_STATISTICS = "ALTER COLUMN 1 SET STATISTICS 0";

export const PAIRS_INDEX = "session_texts_pairs";
const INDEXES: readonly ConcurrentIndex[] = [
  { name: PAIRS_INDEX, on: "session_texts USING gin (word_pairs(words))", why: "phrases and identifiers" },
];

/** One connection makes them at a time; the number is ours alone. */
const INDEX_LOCK = 7_164_520;
const AGAIN_MS = 200;

/** Makes those that are missing, and anew what an earlier attempt left unfinished. `note` hears of each. */
export async function makeConcurrentIndexes(sql: FleetSql, note: (text: string) => void): Promise<void> {
  const one = await sql.reserve();
  try {
    // Who waited for the lock itself would have a snapshot, and the other's index would wait for that one's end.
    while (!(await isLocked(one))) await sleep(AGAIN_MS);
    for (const { name, on, why } of INDEXES) {
      const state = await stateOf(one, name);
      if (state === "whole") continue;
      note(`Making the index ${name}, for ${why}. Nodes go on meanwhile.`);
      if (state === "unfinished") await one.unsafe(`DROP INDEX CONCURRENTLY ${name}`);
      await one.unsafe(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
      await one.unsafe(`ALTER INDEX ${name} ${WITHOUT_STATISTICS}`);
    }
  } finally {
    await one`SELECT pg_advisory_unlock(${INDEX_LOCK})`.catch(() => undefined);
    one.release();
  }
}

type Reserved = Awaited<ReturnType<FleetSql["reserve"]>>;

async function isLocked(sql: Reserved): Promise<boolean> {
  const [row] = await sql<{ locked: boolean }[]>`SELECT pg_try_advisory_lock(${INDEX_LOCK}) AS locked`;
  return row!.locked;
}

async function stateOf(sql: FleetSql | Reserved, name: string): Promise<"missing" | "unfinished" | "whole"> {
  const [row] = await sql<
    { valid: boolean }[]
  >`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(${name})`;
  return row === undefined ? "missing" : row.valid ? "whole" : "unfinished";
}

/** Databases in which it was seen: an index that is whole stays so. */
const whole = new WeakSet<FleetSql>();

/** True where the index of pairs can be used. */
export async function hasPairs(sql: FleetSql): Promise<boolean> {
  if (!whole.has(sql) && (await stateOf(sql, PAIRS_INDEX)) === "whole") whole.add(sql);
  return whole.has(sql);
}
