// What the tests of a backup share: databases on a server that can be dumped, and all that a node answers of what it has.
import { randomBytes } from "node:crypto";
import { connectFleet } from "#db/fleet/fleet-database.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { findSession } from "#lib/archive/base/find-session.ts";
import { rowsOf } from "#lib/archive/bundle/bundle-rows.ts";
import { sessionsQuery } from "#lib/wire/sessions-schema.ts";
import { usageQuery } from "#lib/wire/usage-schema.ts";
import { fleetNode, type FleetNode } from "../fleet-node.ts";
import type { Fleet } from "../open-fleet.ts";
import { readerOf } from "../testing-sender.ts";
import type { Projects } from "../visible-projects.ts";
import { dumpTools, type DumpTools } from "./testing-dump.ts";

export type BackupServer = Pick<DumpTools, "dump" | "restore"> & {
  /** The address of a new database. */
  database(): Promise<string>;
};

/** Runs with a server whose databases its own tools dump and restore. */
export async function withBackupServer(testUrl: string, run: (server: BackupServer) => Promise<void>): Promise<void> {
  const pg = await dumpTools(`/tmp/plimsoll-pg-${randomBytes(4).toString("hex")}`, testUrl);
  const database = async (): Promise<string> => {
    const name = `b_${randomBytes(6).toString("hex")}`;
    const sql = connectFleet(pg.url);
    await sql.unsafe(`CREATE DATABASE ${name}`);
    await sql.end();
    return pg.url.replace(/\/[^/]*$/, `/${name}`);
  };
  try {
    await run({ dump: pg.dump, restore: pg.restore, database });
  } finally {
    await pg.stop();
  }
}

/** A node that reads nothing by itself. Sessions of agents begin in the project team. */
export const backupNode = (fleet: Fleet, archive: Archive): FleetNode =>
  fleetNode({ ...fleet, close: () => Promise.resolve() }, readerOf(archive), 1e9, Date.now, null, {
    ...{ idleMs: 0, project: "team" },
  });

export const answersOf = async (node: FleetNode, visible: Projects, word: string): Promise<object> => ({
  listed: await node.listSessions(sessionsQuery.parse({ sums: "1" }), visible),
  found: (await node.listSessions(sessionsQuery.parse({ q: word }), visible)).total,
  usage: await node.answers.usage(usageQuery.parse({}), visible),
  deleted: await node.retention.listDeleted({ visible, limit: 10 }),
  retention: await node.retention.list(visible),
});

/** A session as its rows. */
export const linesOf = (archive: Archive, id: string): string[] =>
  [...rowsOf(archive, findSession(archive, id), true)].map((row) => JSON.stringify(row));
