// This server as a node of a fleet, where both addresses are set.
import { removeLimits } from "#lib/archive/artifacts/retention.ts";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { awaitFleet } from "#lib/fleet/await-fleet.ts";
import { fleetNode, type FleetNode } from "#lib/fleet/fleet-node.ts";
import { LEASE_SECONDS } from "#lib/fleet/held/held-sessions.ts";
import { fleetAddress } from "#lib/fleet/open-fleet.ts";
import { graceDaysOf } from "#lib/fleet/retention/sweep-fleet.ts";
import { identityProvider, providerOptions } from "#lib/fleet/people/identity-provider.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { judgeSessions } from "./judge-sessions.ts";
import type { ServerImports } from "./server-imports.ts";

/** Bytes of sessions that a node keeps of its fleet. */
const CACHE_BYTES = 20e9;

export type OpenedNode = {
  readonly fleet: FleetNode;
  /** Begins its work: at once where the database is there, or else when it comes. What waiting does not mend ends the process. */
  readonly run: FleetNode["run"];
};

export async function openNode(archive: Archive, imports: ServerImports): Promise<OpenedNode | null> {
  const address = fleetAddress({}, process.env);
  if (address === null) return null;
  const cacheBytes = Number(process.env["PLIMSOLL_CACHE_BYTES"] || CACHE_BYTES);
  if (!(cacheBytes > 0))
    fail("invalid", `PLIMSOLL_CACHE_BYTES is "${process.env["PLIMSOLL_CACHE_BYTES"]}". Give a number of bytes.`);
  const graceDays = graceDaysOf(process.env);
  const { fleet, database, bucket } = await awaitFleet(address, process.env);
  await removeLimits(archive);
  const importBundle = async (path: string): Promise<void> => {
    const { done } = await imports.start([path], { isCopy: true });
    const failed = (await done).files.find(({ status }) => status === "failed");
    if (failed !== undefined) fail("invalid", failed.reason ?? "The session could not be imported.");
  };
  const judge = (sessions: readonly string[]): Promise<void> => judgeSessions(archive, imports, sessions);
  const provider = providerOptions(process.env);
  const signIn = provider === null ? null : identityProvider(provider);
  imports.ships();
  const seconds = Number(process.env["PLIMSOLL_LEASE_SECONDS"] || LEASE_SECONDS);
  if (!(seconds >= 1))
    fail("invalid", `PLIMSOLL_LEASE_SECONDS is "${process.env["PLIMSOLL_LEASE_SECONDS"]}". Give 1 or more.`);
  const node = fleetNode(
    fleet,
    { archive, importBundle, judge },
    cacheBytes,
    archive.host.now,
    signIn,
    { seconds },
    graceDays,
  );
  return {
    fleet: node,
    async run(at, link) {
      bucket?.catch(endProcess);
      if (database === null) return node.run(at, link);
      database.then(() => node.run(at, link)).catch(endProcess);
    },
  };
}

/** As where it had been known at the start. A node that is ending waits no more. */
function endProcess(error: unknown): void {
  if ((error as Error | null)?.name === "AbortError") return;
  console.error(isAppError(error) ? error.message : error);
  process.exit(1);
}
