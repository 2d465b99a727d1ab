// Who holds a credential, and how far it goes. A browser that signed in and the command line may do everything; a token
// does what its scope says, in the session that it is bound to when it is bound to one.
import type { LiveToken } from "#lib/archive/settings/access-tokens.ts";
import type { KnownCredential } from "#lib/fleet/people/fleet-tokens.ts";
import type { Access } from "#lib/fleet/visible-projects.ts";
import type { FleetScope } from "#lib/wire/fleet-people-schema.ts";
import type { TokenScope } from "#lib/wire/tokens-schema.ts";

/** Those of one machine, and a sender's of a fleet. */
export type Scope = TokenScope | FleetScope;

export type Principal = {
  /** `browser:…`, `command-line`, `token:…` or `person:…`: what logs and the record of reads say. */
  readonly id: string;
  readonly kind: "browser" | "command-line" | "token" | "person";
  readonly scope: Scope;
  /** The one session that it sees, or null. */
  readonly session: string | null;
  /** What it may do in the projects of a fleet. Credentials of the node itself are those of whoever runs it. */
  readonly access: Access;
  /** Projects of a fleet in which it has a role of its own; none where it is absent. */
  readonly own?: readonly string[];
  /** Of a fleet: whose credential it is; null where that was not said. */
  readonly person?: string | null;
  /** Of a fleet: a token that somebody else made in that person's name. */
  readonly isByOther?: true;
  /** Of a fleet: a token that may do less than its scope says, as its person may. */
  readonly isCut?: true;
  /** Another node passes the request on: this one does not. */
  readonly isPassed?: true;
  /** Of a request that is passed on: where it came from, as that node says. */
  readonly from?: string;
};

const RANK: Readonly<Record<Scope, number>> = { telemetry: -1, send: -1, read: 0, write: 1, admin: 2 };

/** What is sent is stored: a token that may only look does not send, and one that sends one kind does nothing else. */
export const covers = (principal: Pick<Principal, "scope">, scope: Scope): boolean =>
  scope === "telemetry" || scope === "send"
    ? principal.scope === scope || RANK[principal.scope] >= RANK.write
    : RANK[principal.scope] >= RANK[scope];

export const browserPrincipal = (id: string): Principal => ({
  ...{ id, kind: "browser", scope: "admin", session: null, access: "all" },
});

export const COMMAND_LINE: Principal = {
  ...{ id: "command-line", kind: "command-line", scope: "admin", session: null, access: "all" },
};

/** Who asks where an endpoint is open: the least. */
export const NOBODY: Principal = { id: "nobody", kind: "token", scope: "read", session: null, access: {} };

export const tokenPrincipal = ({ id, scope, session }: LiveToken): Principal => ({
  id: `token:${id}`,
  kind: "token",
  scope,
  session,
  access: "all",
});

/** Of a fleet's token or person, by what its database said. */
export const fleetPrincipal = (
  kind: "token" | "person",
  { id, person, isByOther, isCut, scope, access, own }: KnownCredential,
): Principal => ({
  ...{ id, kind, person, scope, session: null, access, own },
  ...(isByOther && { isByOther }),
  ...(isCut && { isCut }),
});

/** The id of a token, as the archive has it. */
export const tokenIdOf = ({ id }: Pick<Principal, "id">): string => id.slice("token:".length);
