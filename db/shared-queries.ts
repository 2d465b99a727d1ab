// Queries that are built. Loaded when the first one is asked for: from 130 modules Node reads drizzle's package.json of
// 179 KB again and again, which takes 0.3 s and 190 MB, in each thread that opens an archive and builds none.
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { Sqlite } from "./connection.ts";

export type Db = BetterSQLite3Database;

const built = new WeakMap<Sqlite, Db>();

export async function queriesOf(sqlite: Sqlite): Promise<Db> {
  let db = built.get(sqlite);
  if (db === undefined) {
    const { drizzle } = await import("drizzle-orm/better-sqlite3");
    built.set(sqlite, (db = drizzle(sqlite)));
  }
  return db;
}
