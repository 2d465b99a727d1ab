// Who holds a credential, and how far it goes. A browser that signed in and the command line may do everything; a token
// does what its scope says, in the session that it is bound to when it is bound to one.
import type { LiveToken } from "#lib/archive/settings/access-tokens.ts";
import type { TokenScope } from "#lib/wire/tokens-schema.ts";

export type Principal = {
  /** `browser:…`, `command-line` or `token:…`: what logs and the record of reads say. */
  readonly id: string;
  readonly kind: "browser" | "command-line" | "token";
  readonly scope: TokenScope;
  /** The one session that it sees, or null. */
  readonly session: string | null;
};

const RANK: Readonly<Record<TokenScope, number>> = { telemetry: -1, read: 0, write: 1, admin: 2 };

/** Telemetry is stored: a token that may only look does not send it, and one that sends it does not look. */
export const covers = (principal: Pick<Principal, "scope">, scope: TokenScope): boolean =>
  scope === "telemetry" ? principal.scope !== "read" : RANK[principal.scope] >= RANK[scope];

export const browserPrincipal = (id: string): Principal => ({ id, kind: "browser", scope: "admin", session: null });

export const COMMAND_LINE: Principal = { id: "command-line", kind: "command-line", scope: "admin", session: null };

/** Who asks where an endpoint is open: the least. */
export const NOBODY: Principal = { id: "nobody", kind: "token", scope: "read", session: null };

export const tokenPrincipal = ({ id, scope, session }: LiveToken): Principal => ({
  id: `token:${id}`,
  kind: "token",
  scope,
  session,
});

/** The id of a token, as the archive has it. */
export const tokenIdOf = ({ id }: Pick<Principal, "id">): string => id.slice("token:".length);
