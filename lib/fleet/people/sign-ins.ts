// How people come in: a link that works once, or what an identity provider says; then a cookie, of which the database has the sha-256.
import { randomBytes } from "node:crypto";
import { fail } from "#lib/kernel/errors.ts";
import type { PersonRole } from "#lib/wire/fleet-people-schema.ts";
import type { Fleet, Fragment } from "../open-fleet.ts";
import { EVERY_PROJECT, insertAudit } from "./audit.ts";
import { emailOf } from "./email-of.ts";
import { hashOf, reachOfRoles, type KnownCredential } from "./fleet-tokens.ts";
import { applyClaims, type ClaimedRoles, type PersonChange } from "./people-rows.ts";

/** A browser that signed in asks again after this. */
export const PERSON_DAYS = 30;
/** So long may somebody be at their identity provider. */
export const ATTEMPT_MINUTES = 10;

const newSecret = (): string => randomBytes(32).toString("base64url");

/** The condition that a person `p` has a role anywhere: who has none does not come in. */
const comesIn = (sql: Fleet["sql"]): Fragment =>
  sql`(p.is_admin OR p.is_admin_claimed OR EXISTS (SELECT 1 FROM person_roles r WHERE r.email = p.email))`;

/** A token for a link that signs this person in, once. Whoever has it comes in as them, so who made it is noted. */
export async function createLink(
  { sql, ask }: Fleet,
  person: string,
  minutes: number,
  by: PersonChange | null = null,
): Promise<string> {
  const email = emailOf(person);
  const token = newSecret();
  const isMade = await ask(() =>
    sql.begin(async (tx) => {
      const rows = await tx`INSERT INTO sign_in_links (hash, email, expires_at)
        SELECT ${hashOf(token)}, email, now() + ${minutes} * interval '1 minute' FROM people p
        WHERE email = ${email} AND ${comesIn(sql)} RETURNING 1`;
      if (rows.length === 0) return false;
      if (by !== null)
        await insertAudit(tx, {
          ...{ who: by.who, action: "person", project: EVERY_PROJECT, session: null },
          ...{ address: by.address, detail: `${email}: sign-in link` },
        });
      return true;
    }),
  );
  if (!isMade) fail("not_found", `${email} has no role in this fleet. Give one: plimsoll fleet person set ${email}`);
  return token;
}

/** The secret of a cookie for a link's token; null where it is unknown, used or too old. */
export async function redeemLink({ sql, ask }: Fleet, token: string): Promise<string | null> {
  const secret = newSecret();
  const rows = await ask(
    () => sql`WITH used AS (DELETE FROM sign_in_links WHERE hash = ${hashOf(token)} RETURNING email, expires_at > now() AS is_live),
        seen AS (UPDATE people SET seen_at = now() WHERE email IN (SELECT email FROM used WHERE is_live))
      INSERT INTO sign_ins (hash, email, expires_at)
      SELECT ${hashOf(secret)}, email, now() + ${PERSON_DAYS} * interval '1 day' FROM used WHERE is_live RETURNING 1`,
  );
  return rows.length === 0 ? null : secret;
}

/** Signs in whom a provider vouches for; fails where they have no role. The secret of their cookie. */
export async function signIn(
  { sql, ask }: Fleet,
  person: { readonly email: string; readonly name: string; readonly claimed: ClaimedRoles | null },
): Promise<string> {
  const email = emailOf(person.email);
  const secret = newSecret();
  const isIn = await ask(() =>
    sql.begin(async (tx) => {
      if (person.claimed !== null) await applyClaims(tx, email, person.claimed);
      const [found] = await tx`SELECT 1 FROM people p WHERE email = ${email} AND ${comesIn(sql)}`;
      if (found === undefined) return false;
      await tx`UPDATE people SET seen_at = now(), name = ${person.name.slice(0, 200)} WHERE email = ${email}`;
      await tx`INSERT INTO sign_ins (hash, email, expires_at) VALUES (${hashOf(secret)}, ${email}, now() + ${PERSON_DAYS} * interval '1 day')`;
      await tx`DELETE FROM sign_ins WHERE email = ${email} AND expires_at < now()`;
      return true;
    }),
  );
  return isIn ? secret : fail("not_found", `${email} has no role in this fleet. Ask an admin for one.`);
}

export async function signOut({ sql, ask }: Fleet, secret: string): Promise<void> {
  await ask(() => sql`DELETE FROM sign_ins WHERE hash = ${hashOf(secret)}`);
}

/** Who has this cookie; null for nobody. */
export async function findSignIn({ sql, ask }: Fleet, secret: string): Promise<KnownCredential | null> {
  const [row] = await ask(
    () => sql<{ email: string; is_admin: boolean; roles: Record<string, PersonRole> }[]>`
      SELECT p.email, p.is_admin OR p.is_admin_claimed AS is_admin,
        (SELECT coalesce(json_object_agg(project, role), '{}') FROM person_roles r WHERE r.email = p.email) AS roles
      FROM sign_ins s JOIN people p ON p.email = s.email WHERE s.hash = ${hashOf(secret)} AND s.expires_at > now()`,
  );
  if (row === undefined) return null;
  const reach = reachOfRoles(row.roles);
  const known = { id: `person:${row.email}`, person: row.email, ...reach };
  return row.is_admin ? { ...known, scope: "admin", access: "all" } : known;
}

/** What a browser that went to its provider comes back with. */
export type Attempt = {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where it was going. */
  readonly location: string;
};

/** Notes an attempt; any node may finish it. The secret is a cookie of the browser that began. */
export async function beginAttempt({ sql, ask }: Fleet, attempt: Attempt): Promise<string> {
  const secret = newSecret();
  const row = { hash: hashOf(secret), ...attempt };
  await ask(() => sql`DELETE FROM sign_in_attempts WHERE expires_at < now()`);
  await ask(
    () => sql`INSERT INTO sign_in_attempts (hash, state, nonce, verifier, location, expires_at)
      VALUES (${row.hash}, ${row.state}, ${row.nonce}, ${row.verifier}, ${row.location}, now() + ${ATTEMPT_MINUTES} * interval '1 minute')`,
  );
  return secret;
}

/** The attempt of a browser, once. */
export async function takeAttempt({ sql, ask }: Fleet, secret: string): Promise<Attempt | null> {
  const [row] = await ask(
    () => sql<(Attempt & { is_live: boolean })[]>`DELETE FROM sign_in_attempts WHERE hash = ${hashOf(secret)}
      RETURNING state, nonce, verifier, location, expires_at > now() AS is_live`,
  );
  if (row === undefined || !row.is_live) return null;
  const { is_live: _, ...attempt } = row;
  return attempt;
}
