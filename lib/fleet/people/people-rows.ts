// People of a fleet and their roles in projects. A role is given by an admin, or claimed by the identity provider at each sign-in.
import type { FleetTransaction } from "#db/fleet/fleet-sql.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { FleetPerson, PersonRole, PersonRoleAnswer, RemovedPerson } from "#lib/wire/fleet-people-schema.ts";
import type { Fleet } from "../open-fleet.ts";
import { inProjects, type Projects } from "../visible-projects.ts";
import { EVERY_PROJECT, insertAudit } from "./audit.ts";
import { emailOf } from "./email-of.ts";
import { revokeTokensOf } from "./fleet-tokens.ts";

const PEOPLE = 10_000;

/**
 * Who changes what people may do, and from where, for the audit log. `keepsAdmin`: the last admin of the fleet stays one. The command
 * line may take that, too: whoever has the address of the database makes another.
 */
export type PersonChange = { readonly who: string; readonly address: string; readonly keepsAdmin?: boolean };

/** Whether it was otherwise before, and how many live tokens in somebody's name ended with the role. */
export type RoleChange = Pick<PersonRoleAnswer, "isChanged" | "revokedTokens">;

const UNCHANGED: RoleChange = { isChanged: false, revokedTokens: 0 };

/** Gives a role in a project; takes it where the role is null, with the live tokens in their name there. */
export async function setRole(
  { sql, ask }: Fleet,
  person: string,
  project: string,
  role: PersonRole | null,
  by: PersonChange | null = null,
): Promise<RoleChange> {
  const email = emailOf(person);
  return ask(() =>
    sql.begin(async (tx) => {
      // Held until the role is there: whoever removes them meanwhile waits.
      if (role !== null)
        await tx`INSERT INTO people (email) VALUES (${email}) ON CONFLICT (email) DO UPDATE SET email = excluded.email`;
      const rows =
        role === null
          ? await tx`DELETE FROM person_roles WHERE project = ${project} AND email = ${email} RETURNING 1`
          : await tx`INSERT INTO person_roles (project, email, role) VALUES (${project}, ${email}, ${role})
              ON CONFLICT (project, email) DO UPDATE SET role = excluded.role, is_claimed = false
                WHERE person_roles.role <> excluded.role OR person_roles.is_claimed RETURNING 1`;
      if (rows.length === 0) return UNCHANGED;
      const revokedTokens = role === null ? await revokeWithout(tx, email, by, tx`project = ${project}`) : 0;
      await note(tx, by, project, `${email}: ${role ?? "no role"}${withTokens(revokedTokens)}`);
      return { isChanged: true, revokedTokens };
    }),
  );
}

/** Makes somebody an admin of the whole fleet, or no longer: tokens in their name end where they have no role then. */
export async function setFleetAdmin(
  { sql, ask }: Fleet,
  person: string,
  isAdmin: boolean,
  by: PersonChange | null = null,
): Promise<RoleChange> {
  const email = emailOf(person);
  return ask(() =>
    sql.begin(async (tx) => {
      if (by?.keepsAdmin === true) await lockAdmins(tx);
      const rows = isAdmin
        ? await tx`INSERT INTO people (email, is_admin) VALUES (${email}, true)
            ON CONFLICT (email) DO UPDATE SET is_admin = true WHERE NOT people.is_admin RETURNING 1`
        : await tx`UPDATE people SET is_admin = false WHERE email = ${email} AND is_admin RETURNING 1`;
      if (rows.length === 0) return UNCHANGED;
      if (by?.keepsAdmin === true) await requireAdmin(tx, email);
      const revokedTokens = isAdmin ? 0 : await revokeWithout(tx, email, by);
      const what = isAdmin ? "admin of the fleet" : "no admin of the fleet";
      await note(tx, by, EVERY_PROJECT, `${email}: ${what}${withTokens(revokedTokens)}`);
      return { isChanged: true, revokedTokens };
    }),
  );
}

/** With all roles, links, browsers and saved searches of theirs, and the live tokens in their name. */
export async function removePerson(
  { sql, ask }: Fleet,
  person: string,
  by: PersonChange | null = null,
): Promise<RemovedPerson> {
  const email = emailOf(person);
  const revokedTokens = await ask(() =>
    sql.begin(async (tx) => {
      if (by?.keepsAdmin === true) await lockAdmins(tx);
      const [gone] = await tx<{ was: boolean }[]>`DELETE FROM people WHERE email = ${email}
        RETURNING is_admin OR is_admin_claimed AS was`;
      if (gone === undefined)
        return fail("not_found", `This fleet does not know ${email}. List its people: plimsoll fleet person list`);
      if (gone.was && by?.keepsAdmin === true) await requireAdmin(tx, email);
      await tx`DELETE FROM saved_searches WHERE owner = ${email}`;
      const revoked = await revokeTokensOf(tx, email, by);
      await note(tx, by, EVERY_PROJECT, `${email}: removed${withTokens(revoked)}`);
      return revoked;
    }),
  );
  return { email, revokedTokens };
}

/** Ends the live tokens in somebody's name whose project they have no role in any more. */
const revokeWithout = (
  tx: FleetTransaction,
  email: string,
  by: PersonChange | null,
  among = tx`true`,
): Promise<number> =>
  revokeTokensOf(
    tx,
    email,
    by,
    tx`${among} AND NOT EXISTS (SELECT 1 FROM people p WHERE p.email = ${email} AND (p.is_admin OR p.is_admin_claimed
      OR EXISTS (SELECT 1 FROM person_roles r
        WHERE r.email = p.email AND (fleet_tokens.project IS NULL OR r.project = fleet_tokens.project))))`,
  );

const withTokens = (count: number): string =>
  count === 0 ? "" : `, with ${count} ${count === 1 ? "token" : "tokens"}`;

/** Two who take each other's role wait for each other: the second sees what the first did. */
async function lockAdmins(tx: FleetTransaction): Promise<void> {
  await tx`SELECT 1 FROM people WHERE is_admin OR is_admin_claimed ORDER BY email FOR UPDATE`;
}

async function requireAdmin(tx: FleetTransaction, email: string): Promise<void> {
  const [left] = await tx`SELECT 1 FROM people WHERE is_admin OR is_admin_claimed LIMIT 1`;
  if (left === undefined) fail("conflict", `${email} is the last admin of the fleet. Make another person one first.`);
}

async function note(tx: FleetTransaction, by: PersonChange | null, project: string, detail: string): Promise<void> {
  if (by === null) return;
  const { who, address } = by;
  await insertAudit(tx, { who, action: "person", project, session: null, address, detail });
}

/** Those with a role in these projects, with their roles there alone; everybody for an admin of the fleet. */
export async function listPeople(fleet: Fleet, visible: Projects = "all"): Promise<FleetPerson[]> {
  const { sql, ask } = fleet;
  const isAll = visible === "all";
  const rows = await ask(
    () => sql<
      { email: string; name: string; is_admin: boolean; seen_at: Date | null; roles: FleetPerson["roles"] }[]
    >`SELECT email, name, is_admin OR is_admin_claimed AS is_admin, seen_at,
        (SELECT coalesce(json_object_agg(project, role ORDER BY project), '{}') FROM person_roles r
          WHERE r.email = p.email AND ${inProjects(fleet, visible, "r.project")}) AS roles
      FROM people p
      WHERE ${isAll} OR EXISTS (SELECT 1 FROM person_roles r WHERE r.email = p.email AND ${inProjects(fleet, visible, "r.project")})
      ORDER BY email LIMIT ${PEOPLE}`,
  );
  return rows.map(({ is_admin: isAdmin, seen_at: seenAt, ...row }) => ({
    ...row,
    isAdmin: isAll ? isAdmin : null,
    seenAt: seenAt?.toISOString() ?? null,
  }));
}

/** What a provider claims of somebody's roles. */
export type ClaimedRoles = { readonly isAdmin: boolean; readonly roles: Readonly<Record<string, PersonRole>> };

/** Puts claimed roles in place of those of the last sign-in. Roles that an admin gave stay as they are. */
export async function applyClaims(tx: FleetTransaction, email: string, claimed: ClaimedRoles): Promise<void> {
  const { isAdmin, roles } = claimed;
  if (isAdmin || Object.keys(roles).length > 0)
    await tx`INSERT INTO people (email) VALUES (${email}) ON CONFLICT DO NOTHING`;
  await tx`UPDATE people SET is_admin_claimed = ${isAdmin} WHERE email = ${email}`;
  await tx`DELETE FROM person_roles WHERE email = ${email} AND is_claimed`;
  for (const [project, role] of Object.entries(roles))
    await tx`INSERT INTO person_roles (project, email, role, is_claimed) VALUES (${project}, ${email}, ${role}, true)
      ON CONFLICT DO NOTHING`;
}
