// This server as a node of a fleet, where both addresses are set.
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { fleetNode } from "#lib/fleet/fleet-node.ts";
import { LEASE_SECONDS } from "#lib/fleet/held/held-sessions.ts";
import { fleetAddress, openCheckedFleet } from "#lib/fleet/open-fleet.ts";
import { graceDaysOf } from "#lib/fleet/retention/sweep-fleet.ts";
import { identityProvider, providerOptions } from "#lib/fleet/people/identity-provider.ts";
import type { AppContext } from "#lib/http/app-context.ts";
import { fail } from "#lib/kernel/errors.ts";
import { judgeSessions } from "./judge-sessions.ts";
import type { ServerImports } from "./server-imports.ts";

/** Bytes of sessions that a node keeps of its fleet. */
const CACHE_BYTES = 20e9;

export async function openNode(archive: Archive, imports: ServerImports): Promise<AppContext["fleet"]> {
  const address = fleetAddress({}, process.env);
  if (address === null) return null;
  const cacheBytes = Number(process.env["PLIMSOLL_CACHE_BYTES"] ?? CACHE_BYTES);
  if (!(cacheBytes > 0))
    fail("invalid", `PLIMSOLL_CACHE_BYTES is "${process.env["PLIMSOLL_CACHE_BYTES"]}". Give a number of bytes.`);
  const graceDays = graceDaysOf(process.env);
  const fleet = await openCheckedFleet(address, process.env);
  const importBundle = async (path: string): Promise<void> => {
    const { done } = await imports.start([path], { isCopy: true });
    const failed = (await done).files.find(({ status }) => status === "failed");
    if (failed !== undefined) fail("invalid", failed.reason ?? "The session could not be imported.");
  };
  const judge = (sessions: readonly string[]): Promise<void> => judgeSessions(archive, imports, sessions);
  const provider = providerOptions(process.env);
  const signIn = provider === null ? null : identityProvider(provider);
  imports.ships();
  const seconds = Number(process.env["PLIMSOLL_LEASE_SECONDS"] ?? LEASE_SECONDS);
  if (!(seconds >= 1))
    fail("invalid", `PLIMSOLL_LEASE_SECONDS is "${process.env["PLIMSOLL_LEASE_SECONDS"]}". Give 1 or more.`);
  return fleetNode(
    fleet,
    { archive, importBundle, judge },
    cacheBytes,
    archive.host.now,
    signIn,
    { seconds },
    graceDays,
  );
}
