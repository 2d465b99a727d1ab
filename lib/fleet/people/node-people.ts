// Who may come in at a node: what the database says of tokens, and the acts of those who manage them.
import type { CreatedFleetToken, FleetTokenRequest, FleetTokenRow } from "#lib/wire/fleet-people-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import type { Projects } from "../visible-projects.ts";
import { createFleetToken, findFleetToken, listFleetTokens, revokeFleetToken } from "./fleet-tokens.ts";
import { knownCredentials, type KnownCredentials } from "./known-credentials.ts";

export type NodePeople = {
  readonly tokens: KnownCredentials;
  createToken(request: FleetTokenRequest, by: string): Promise<CreatedFleetToken>;
  listTokens(visible: Projects): Promise<FleetTokenRow[]>;
  revokeToken(id: string, visible: Projects): Promise<FleetTokenRow>;
};

export function nodePeople(fleet: Fleet, now: () => number): NodePeople {
  return {
    tokens: knownCredentials((secret) => findFleetToken(fleet, secret), now),
    createToken: (request, by) => createFleetToken(fleet, request, by),
    listTokens: (visible) => listFleetTokens(fleet, visible),
    revokeToken: (id, visible) => revokeFleetToken(fleet, id, visible),
  };
}
