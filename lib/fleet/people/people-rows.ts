// People of a fleet and their roles in projects. A role is given by an admin, or claimed by the identity provider at each sign-in.
import { z } from "zod";
import type { FleetTransaction } from "#db/fleet/fleet-database.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { FleetPerson, PersonRole } from "#lib/wire/fleet-people-schema.ts";
import type { Fleet } from "../open-fleet.ts";

/** The address as it is kept: one person has one, however it is written. */
export function emailOf(text: string): string {
  const email = z.email().max(320).safeParse(text.trim().toLowerCase());
  return email.success ? email.data : fail("invalid", `"${text.slice(0, 80)}" is not an e-mail address.`);
}

/** Gives a role in a project; takes it where the role is null. */
export async function setRole(
  { sql, ask }: Fleet,
  person: string,
  project: string,
  role: PersonRole | null,
): Promise<void> {
  const email = emailOf(person);
  await ask(() =>
    sql.begin(async (tx) => {
      if (role === null)
        return void (await tx`DELETE FROM person_roles WHERE project = ${project} AND email = ${email}`);
      await tx`INSERT INTO people (email) VALUES (${email}) ON CONFLICT DO NOTHING`;
      await tx`INSERT INTO person_roles (project, email, role) VALUES (${project}, ${email}, ${role})
        ON CONFLICT (project, email) DO UPDATE SET role = excluded.role, is_claimed = false`;
    }),
  );
}

/** Makes somebody an admin of the whole fleet, or no longer. */
export async function setFleetAdmin({ sql, ask }: Fleet, person: string, isAdmin: boolean): Promise<void> {
  const email = emailOf(person);
  await ask(
    () => sql`INSERT INTO people (email, is_admin) VALUES (${email}, ${isAdmin})
      ON CONFLICT (email) DO UPDATE SET is_admin = excluded.is_admin`,
  );
}

/** With all roles, links and browsers of theirs. */
export async function removePerson({ sql, ask }: Fleet, person: string): Promise<void> {
  const email = emailOf(person);
  const rows = await ask(() => sql`DELETE FROM people WHERE email = ${email} RETURNING 1`);
  if (rows.length === 0)
    fail("not_found", `This fleet does not know ${email}. List its people: plimsoll fleet person list`);
}

export async function listPeople({ sql, ask }: Fleet): Promise<FleetPerson[]> {
  const rows = await ask(
    () => sql<
      { email: string; name: string; is_admin: boolean; seen_at: Date | null; roles: FleetPerson["roles"] }[]
    >`SELECT email, name, is_admin OR is_admin_claimed AS is_admin, seen_at,
        (SELECT coalesce(json_object_agg(project, role ORDER BY project), '{}') FROM person_roles r WHERE r.email = p.email) AS roles
      FROM people p ORDER BY email`,
  );
  return rows.map(({ is_admin: isAdmin, seen_at: seenAt, ...row }) => ({
    ...row,
    isAdmin,
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
