// Credentials of a node of a fleet: those of its own archive, and those that the fleet's database knows. The gate decides at once,
// so what it may need of the database is asked before.
import { isFleetToken } from "#lib/fleet/people/fleet-tokens.ts";
import type { FleetNode } from "#lib/fleet/fleet-node.ts";
import type { Credentials } from "./credentials.ts";
import { fleetPrincipal } from "./principal.ts";
import { bearerToken, headerLists } from "./request-head.ts";

export type NodeCredentials = Pick<Credentials, "exchange" | "browserOf" | "bearerOf"> & {
  /** Asks what is not known yet of a request's credentials; null where nothing is to be waited for. */
  readonly prepare?: (rawHeaders: readonly string[]) => Promise<void> | null;
};

/** The same credentials where there is no fleet. */
export function withFleetCredentials(credentials: Credentials, fleet: FleetNode | null): NodeCredentials {
  if (fleet === null) return credentials;
  const { tokens } = fleet.people;
  return {
    exchange: credentials.exchange,
    browserOf: credentials.browserOf,
    bearerOf(token) {
      if (!isFleetToken(token)) return credentials.bearerOf(token);
      const found = tokens.of(token);
      return found === null ? null : fleetPrincipal(found);
    },
    prepare(rawHeaders) {
      const token = bearerToken(headerLists(rawHeaders).get("authorization")?.[0] ?? null);
      return token !== null && isFleetToken(token) ? tokens.prepare(token) : null;
    },
  };
}
