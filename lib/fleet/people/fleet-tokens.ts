// Tokens of a fleet: valid on every node. The database has their sha-256; the text is shown once.
import { hash, randomBytes } from "node:crypto";
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import { fail } from "#lib/kernel/errors.ts";
import {
  fleetTokenRequest,
  type CreatedFleetToken,
  type FleetScope,
  type FleetTokenRequest,
  type FleetTokenRow,
  type PersonRole,
} from "#lib/wire/fleet-people-schema.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { EVERY_PROJECT, insertAudit, type DeletedBy } from "./audit.ts";
import { emailOf } from "./email-of.ts";
import { inProjects, rankOf, type Access, type Projects, type Role } from "../visible-projects.ts";

/** Tells a fleet's tokens from those of one node: nothing else is looked up in the database. */
const PREFIX = "plf_";

export const isFleetToken = (text: string): boolean => text.startsWith(PREFIX);

export const hashOf = (secret: string): string => hash("sha256", secret, "hex");

/** What a live credential may do. */
export type KnownCredential = {
  /** `token:…` or `person:…`. */
  readonly id: string;
  /** Whose it is, by their address; null where that was not said. */
  readonly person: string | null;
  /** A token that somebody else made in the name of its person. */
  readonly isByOther?: true;
  /** A token that may do less than its scope says, as its person may. */
  readonly isCut?: true;
  readonly scope: FleetScope;
  readonly access: Access;
  /** Projects in which it has a role of its own: what an admin reads elsewhere is noted. */
  readonly own: readonly string[];
};

const ROLE_OF: Readonly<Record<FleetScope, Role>> = { send: "sender", read: "reader", write: "writer", admin: "admin" };

type TokenRow = {
  id: string;
  name: string;
  project: string | null;
  scope: FleetScope;
  person: string | null;
  created_by: string;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  used_at: Date | null;
  is_expired: boolean;
};

const COLUMNS = [
  ...["id", "name", "project", "scope", "person", "created_by", "created_at", "expires_at", "revoked_at", "used_at"],
  "coalesce(expires_at <= now(), false) AS is_expired",
].join();

/** Of a person who has no role there only a sender's: what it may is cut by what they may. */
export async function createFleetToken(
  { sql, ask }: Fleet,
  request: FleetTokenRequest,
  by: DeletedBy,
): Promise<CreatedFleetToken> {
  const { name, project, scope, days, person } = fleetTokenRequest.parse(request);
  const token = `${PREFIX}${randomBytes(32).toString("base64url")}`;
  const id = `ft_${randomBytes(6).toString("hex")}`;
  const email = person === null ? null : emailOf(person);
  const made = await ask(() =>
    sql.begin(async (tx) => {
      if (email !== null && scope !== "send") await requireSomeRole(tx, email, project, scope);
      const [row] = await tx<
        TokenRow[]
      >`INSERT INTO fleet_tokens (hash, id, name, project, scope, person, created_by, expires_at)
        VALUES (${hashOf(token)}, ${id}, ${name}, ${project}, ${scope}, ${email}, ${by.who}, now() + ${days} * interval '1 day')
        RETURNING ${tx.unsafe(COLUMNS)}`;
      const answer = answerOf(row!);
      await note(tx, by, "created", answer);
      return answer;
    }),
  );
  return { ...made, token };
}

async function requireSomeRole(
  tx: FleetTransaction,
  email: string,
  project: string | null,
  scope: FleetScope,
): Promise<void> {
  const [row] = await tx`SELECT 1 FROM people p WHERE email = ${email} AND (p.is_admin OR p.is_admin_claimed
    OR EXISTS (SELECT 1 FROM person_roles r WHERE r.email = p.email AND (${project}::text IS NULL OR r.project = ${project})))`;
  const where = project === null ? "" : ` in ${project}`;
  if (row === undefined)
    fail(
      "conflict",
      `${email} has no role${where}: a token of theirs may not ${scope}. Give a role, or name no person.`,
    );
}

/** What somebody did with a token, without its secret. */
async function note(tx: FleetTransaction, by: DeletedBy | null, did: string, row: FleetTokenRow): Promise<void> {
  if (by === null) return;
  const { id, name, scope, person, expiresAt } = row;
  const until = expiresAt === null ? "never expires" : `until ${expiresAt.slice(0, 10)}`;
  const detail = `"${name}" ${did}: ${id}, scope ${scope},${person === null ? "" : ` for ${person},`} ${until}`;
  const project = row.project ?? EVERY_PROJECT;
  const { who, address } = by;
  await insertAudit(tx, { who, address, action: "token", project, session: null, detail });
}

/** The newest first. Those of every project are listed to whoever sees all projects. */
export async function listFleetTokens(fleet: Fleet, visible: Projects): Promise<FleetTokenRow[]> {
  const { sql, ask } = fleet;
  const rows = await ask(
    () => sql<TokenRow[]>`SELECT ${sql.unsafe(COLUMNS)} FROM fleet_tokens
      WHERE ${inProjects(fleet, visible)} ORDER BY created_at DESC, id LIMIT 10000`,
  );
  return rows.map(answerOf);
}

/** Ends a token; one that was revoked before stays as it is. */
export async function revokeFleetToken(
  fleet: Fleet,
  id: string,
  visible: Projects,
  by: DeletedBy | null = null,
): Promise<FleetTokenRow> {
  const { sql, ask } = fleet;
  const named = sql`id = ${id} AND ${inProjects(fleet, visible)}`;
  return ask(() =>
    sql.begin(async (tx) => {
      const [revoked] = await revoke(tx, named, by);
      if (revoked !== undefined) return revoked;
      const [row] = await tx<TokenRow[]>`SELECT ${tx.unsafe(COLUMNS)} FROM fleet_tokens WHERE ${named}`;
      return row === undefined
        ? fail("not_found", `There is no token "${id.slice(0, 80)}". List them: plimsoll fleet token list`)
        : answerOf(row);
    }),
  );
}

/** Ends the live tokens in somebody's name, or those `among` them. How many there were. */
export async function revokeTokensOf(
  tx: FleetTransaction,
  email: string,
  by: DeletedBy | null,
  among: Fragment = tx`true`,
): Promise<number> {
  const live = tx`person = ${email} AND (expires_at IS NULL OR expires_at > now()) AND ${among}`;
  return (await revoke(tx, live, by)).length;
}

async function revoke(tx: FleetTransaction, which: Fragment, by: DeletedBy | null): Promise<FleetTokenRow[]> {
  const rows = await tx<TokenRow[]>`UPDATE fleet_tokens SET revoked_at = now()
    WHERE revoked_at IS NULL AND ${which} RETURNING ${tx.unsafe(COLUMNS)}`;
  const revoked = rows.map(answerOf);
  for (const row of revoked) await note(tx, by, "revoked", row);
  return revoked;
}

type FoundToken = Pick<TokenRow, "id" | "project" | "scope" | "person"> & {
  is_by_other: boolean;
  is_due: boolean;
  is_admin: boolean;
  /** Of its person, where it may do anything. */
  roles: Readonly<Record<string, PersonRole>>;
};

/** The live token of a text; null where there is none. Its use is noted to the minute. */
export async function findFleetToken({ sql, ask }: Fleet, text: string): Promise<KnownCredential | null> {
  const hashed = hashOf(text);
  const [row] = await ask(
    () => sql<FoundToken[]>`
      SELECT t.id, t.project, t.scope, t.person, created_by ~ '^(person|token):' AND created_by <> 'person:' || person AS is_by_other,
        used_at IS NULL OR used_at < now() - interval '1 minute' AS is_due,
        coalesce(p.is_admin OR p.is_admin_claimed, false) AS is_admin,
        (SELECT coalesce(json_object_agg(r.project, r.role), '{}') FROM person_roles r
          WHERE r.email = t.person AND (t.project IS NULL OR r.project = t.project)) AS roles
      FROM fleet_tokens t LEFT JOIN people p ON p.email = t.person
      WHERE t.hash = ${hashed} AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
  );
  if (row === undefined) return null;
  if (row.is_due) await ask(() => sql`UPDATE fleet_tokens SET used_at = now() WHERE hash = ${hashed}`);
  const known: KnownCredential = { id: `token:${row.id}`, person: row.person, ...reachOfToken(row) };
  return row.is_by_other ? { ...known, isByOther: true } : known;
}

type TokenReach = Pick<KnownCredential, "scope" | "access" | "own" | "isCut">;

/**
 * In somebody's name it may do what both may, by the roles that they have now. A sender's shows nothing, and needs no role: many whose
 * sessions are counted sign in nowhere.
 */
function reachOfToken({ scope, project, person, is_admin: isAdmin, roles }: FoundToken): TokenReach {
  const role = ROLE_OF[scope];
  if (person === null || scope === "send" || isAdmin)
    return project === null
      ? { scope, access: "all", own: [] }
      : { scope, access: { [project]: role }, own: [project] };
  const reach = reachOfRoles(
    Object.fromEntries(Object.entries(roles).map(([name, own]) => [name, rankOf(own) < rankOf(role) ? own : role])),
  );
  return reach.scope === scope ? reach : { ...reach, isCut: true };
}

const SCOPE_OF: Readonly<Record<Role, FleetScope>> = {
  sender: "send",
  reader: "read",
  writer: "write",
  admin: "admin",
};

/** What roles in projects allow; the scope is that of the highest. */
export function reachOfRoles(roles: Readonly<Record<string, Role>>): Omit<TokenReach, "isCut"> {
  const [highest = "sender"] = Object.values(roles).toSorted((a, b) => rankOf(b) - rankOf(a));
  return { scope: SCOPE_OF[highest], access: roles, own: Object.keys(roles) };
}

function answerOf(row: TokenRow): FleetTokenRow {
  const iso = (at: Date | null): string | null => at?.toISOString() ?? null;
  return {
    ...{ id: row.id, name: row.name, scope: row.scope, project: row.project },
    ...{ person: row.person, createdBy: row.created_by },
    ...{ createdAt: row.created_at.toISOString(), expiresAt: iso(row.expires_at) },
    ...{ revokedAt: iso(row.revoked_at), usedAt: iso(row.used_at) },
    state: row.revoked_at !== null ? "revoked" : row.is_expired ? "expired" : "live",
  };
}
