// Who holds a credential, and how far it goes. A browser that signed in and the command line may do everything; a token
// does what its scope says, in the session that it is bound to when it is bound to one.
import type { LiveToken } from "#lib/archive/settings/access-tokens.ts";
import type { TokenScope } from "#lib/wire/tokens-schema.ts";

export type Holder = {
  /** `browser:…`, `command-line` or `token:…`: what logs and the record of reads say. */
  readonly id: string;
  readonly kind: "browser" | "command-line" | "token";
  readonly scope: TokenScope;
  /** The one session that it sees, or null. */
  readonly session: string | null;
};

const RANK: Readonly<Record<TokenScope, number>> = { read: 0, write: 1, admin: 2 };

export const covers = (holder: Pick<Holder, "scope">, scope: TokenScope): boolean => RANK[holder.scope] >= RANK[scope];

export const browserHolder = (id: string): Holder => ({ id, kind: "browser", scope: "admin", session: null });

export const COMMAND_LINE: Holder = { id: "command-line", kind: "command-line", scope: "admin", session: null };

export const tokenHolder = ({ id, scope, session }: LiveToken): Holder => ({
  id: `token:${id}`,
  kind: "token",
  scope,
  session,
});

/** The id of a token, as the archive has it. */
export const tokenIdOf = (holder: Holder): string => holder.id.slice("token:".length);

// How the holder travels to code that Next bundles. The gate drops these from every request before it writes them.
const ID = "x-plimsoll-credential";
const SCOPE = "x-plimsoll-scope";
const SESSION = "x-plimsoll-session";

export function headersOfHolder(holder: Holder): [string, string][] {
  const headers: [string, string][] = [
    [ID, holder.id],
    [SCOPE, holder.scope],
  ];
  return holder.session === null ? headers : [...headers, [SESSION, holder.session]];
}

/** What the gate wrote into a request. Without it nothing is known, and the least is allowed. */
export function holderOfHeaders(headers: Headers): Omit<Holder, "kind"> {
  const scope = headers.get(SCOPE);
  return {
    id: headers.get(ID) ?? "unknown",
    scope: scope === "admin" || scope === "write" ? scope : "read",
    session: headers.get(SESSION),
  };
}
