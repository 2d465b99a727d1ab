// Reads that belong together: in WAL mode a transaction sees one moment of the database, whatever is written meanwhile.
import type { Sqlite } from "./connection.ts";

export const inSnapshot = <T>(sqlite: Sqlite, read: () => T): T => sqlite.transaction(read).deferred();
