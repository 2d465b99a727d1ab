// A fleet as a node, a command or a test holds it: the database, the bucket, and who we are.
import { hostname } from "node:os";
import { randomBytes } from "node:crypto";
import { askDatabase, connectFleet, outliveCutConnections } from "#db/fleet/fleet-database.ts";
import { watchDatabase } from "#db/fleet/database-watch.ts";
import { requireSchema, withoutPassword } from "#db/fleet/fleet-database.ts";
import type { FleetSql } from "#db/fleet/fleet-sql.ts";
import { openObjects, type Environment } from "#lib/blobs/open-objects.ts";
import type { ObjectStore } from "#lib/blobs/object-store.ts";
import { fail } from "#lib/kernel/errors.ts";

export type Fragment = ReturnType<FleetSql["unsafe"]> | ReturnType<typeof anyFragment>;
const anyFragment = (sql: FleetSql) => sql``;

export type FleetAddress = { readonly database: string; readonly bucket: string };

export type Fleet = {
  readonly sql: FleetSql;
  readonly objects: ObjectStore;
  /** Names this process among the nodes. */
  readonly node: string;
  /** The database without its password. */
  readonly label: string;
  /** Asks the database; a network failure is told as a sentence, and so is a silence that is longer than this. */
  ask<T>(run: () => Promise<T>, withinMs?: number): Promise<T>;
  close(): Promise<void>;
};

export const FLEET_OPTIONS = "PLIMSOLL_DATABASE and PLIMSOLL_BUCKET";

/** The two addresses; null where neither is given. */
export function fleetAddress(
  given: { readonly database?: string | undefined; readonly bucket?: string | undefined },
  env: Environment,
): FleetAddress | null {
  const database = given.database ?? env["PLIMSOLL_DATABASE"] ?? "";
  const bucket = given.bucket ?? env["PLIMSOLL_BUCKET"] ?? "";
  if (database === "" && bucket === "") return null;
  if (database === "" || bucket === "")
    fail(
      "invalid",
      `A fleet needs both addresses. ${database === "" ? "The database" : "The bucket"} is missing: set ${FLEET_OPTIONS}.`,
    );
  return { database, bucket };
}

/** `isNode`: what fails does not name the database's address, since whoever reaches a node may be told of it. */
export function openFleet({ database, bucket }: FleetAddress, env: Environment = {}, isNode = false): Fleet {
  const objects = openObjects(bucket, env);
  const sql = connectFleet(database);
  const watch = watchDatabase(database);
  const label = withoutPassword(database);
  return {
    sql,
    objects,
    label,
    node: `${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`,
    ask: (run, withinMs) => askDatabase(isNode ? "" : label, () => watch.ask(run, withinMs)),
    close: () => {
      watch.close();
      return sql.end({ timeout: 5 });
    },
  };
}

/** The same, with its schema and bucket looked at. `part`: what asks of the database alone does so while the bucket is away. */
export async function openCheckedFleet(
  address: FleetAddress,
  env: Environment = {},
  part: "database" | "both" = "both",
): Promise<Fleet> {
  const fleet = openFleet(address, env);
  try {
    await fleet.ask(() => requireSchema(fleet.sql));
    if (part === "both") await fleet.objects.check();
    outliveCutConnections();
    return fleet;
  } catch (error) {
    await fleet.close();
    throw error;
  }
}
