// Whether an agent has taken a written file into its database: then the session is there, and the file is only what it came from. The
// database is asked itself, since nobody may have read it since.
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { scalar } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { databaseOf, databaseStat, openSnapshot } from "#lib/sources/sqlite.ts";
import type { Archive } from "../base/archive-type.ts";
import { copiesFolder } from "../import/database-source.ts";
import type { HandoverRow } from "./handover-rows.ts";

export type Importer = { readonly label: string; readonly database: string; readonly sessionId: string };

/** Null for agents that resume the file itself, and while the session is in no database. */
export async function importedBy(
  archive: Archive,
  { origin, native_id: native }: Pick<HandoverRow, "origin" | "native_id">,
): Promise<Importer | null> {
  const separator = native.indexOf(":");
  const sessionId = native.slice(separator + 1);
  const { label, database: reader, continuation } = FORMATS.find(({ id }) => id === native.slice(0, separator)) ?? {};
  if (label === undefined || reader === undefined || continuation?.handOver === undefined) return null;
  const path = scalar(
    archive.sqlite,
    "sources.path",
    "FROM sessions s JOIN sources ON sources.pk = s.source_pk WHERE s.native_id = ?",
  ).get(origin);
  const database = path === undefined ? null : databaseOf(path);
  if (database === null || databaseStat(database) === null) return null;
  const snapshot = await openSnapshot(database, [realpathSync(dirname(database))], copiesFolder(archive));
  try {
    const queries = reader.queries(snapshot.tables);
    const isThere =
      typeof queries === "object" && queries !== null && snapshot.sessions(queries).some(({ id }) => id === sessionId);
    return isThere ? { label, database, sessionId } : null;
  } finally {
    snapshot.close();
  }
}
