// Every table, with the names that its columns have in SQL. Types of rows come from here and from nowhere else. The SQL that
// makes the tables is in migrations.ts; a test compares the two. The types cost nothing at run time: loading drizzle does
// (shared-queries.ts), so that only the two lists that build their queries import the tables themselves.
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type * as artifactTables from "./schema/artifact-tables.ts";
import type * as memoryTables from "./schema/memory-tables.ts";
import type * as sessionTables from "./schema/session-tables.ts";
import type * as settingsTables from "./schema/settings-tables.ts";
import type * as sourceTables from "./schema/source-tables.ts";

type Tables = typeof artifactTables &
  typeof memoryTables &
  typeof sessionTables &
  typeof settingsTables &
  typeof sourceTables;

type RowsOf<Named extends Record<string, SQLiteTable>> = {
  readonly [Key in keyof Named as Named[Key]["_"]["name"]]: Named[Key]["$inferSelect"];
};

/** The rows of every table, by the table's name. */
export type Rows = RowsOf<Tables>;
