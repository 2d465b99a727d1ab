// The rows of tokens, and the writes that make, end and date them.
import { command, query, select } from "#db/statement.ts";
import type { Rows } from "#db/schema.ts";
import { fail } from "#lib/kernel/errors.ts";
import type { PinnedArguments, TokenRow } from "#lib/wire/tokens-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { putSetting, readSetting } from "../base/setting-rows.ts";
import { defineWrite } from "../base/write.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export type NewToken = Pick<Rows["tokens"], "id" | "name" | "scope" | "session" | "hash"> & {
  days: number | null;
  readonly arguments: PinnedArguments;
};

const settingOf = (id: string): string => `token-arguments:${id}`;

/** The arguments of tools that are fixed for a token. */
export const pinnedFor = (archive: Archive, id: string): PinnedArguments =>
  (readSetting(archive, settingOf(id)) as PinnedArguments | null) ?? {};

/** The write of createToken. */
export function addToken(archive: Archive, batch: Batch, input: NewToken): TokenRow {
  const expiresAt = input.days === null ? null : batch.now + input.days * DAY_MS;
  command(
    archive.sqlite,
    "INSERT INTO tokens (id, name, hash, scope, session, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  ).run(input.id, input.name, input.hash, input.scope, input.session, batch.now, expiresAt);
  if (Object.keys(input.arguments).length > 0) putSetting(archive, settingOf(input.id), input.arguments);
  return tokenById(archive, input.id, batch.now);
}

/** The write of revokeToken. */
export function endToken(archive: Archive, batch: Batch, input: { readonly id: string }): TokenRow {
  const rows = select(
    archive.sqlite,
    "tokens",
    ["id"],
    "WHERE id = @id OR (name = @id AND revoked_at IS NULL) ORDER BY id = @id DESC LIMIT 2",
  ).all(input);
  const exact = rows.find((row) => row.id === input.id);
  const found = exact ?? rows[0];
  if (found === undefined)
    fail("not_found", `There is no token "${input.id.slice(0, 80)}". List them: plimsoll token list`);
  if (exact === undefined && rows.length > 1)
    fail("invalid", `"${input.id.slice(0, 80)}" matches several tokens. Give an id from plimsoll token list.`);
  command(archive.sqlite, "UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL").run(
    batch.now,
    found.id,
  );
  return tokenById(archive, found.id, batch.now);
}

/** The write of the last uses. */
export function addTokenUses(
  archive: Archive,
  _batch: Batch,
  { uses }: { readonly uses: readonly { readonly id: string; readonly at: number }[] },
): void {
  const set = command(archive.sqlite, "UPDATE tokens SET used_at = max(coalesce(used_at, 0), ?) WHERE id = ?");
  for (const { id, at } of uses) set.run(at, id);
}

function tokenById(archive: Archive, id: string, now: number): TokenRow {
  return tokenOfRow(archive, query(archive.sqlite, { "*": "tokens.*" }, "FROM tokens WHERE id = ?").get(id)!, now);
}

export function tokenOfRow(archive: Archive, row: Rows["tokens"], now: number): TokenRow {
  const iso = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());
  return {
    id: row.id,
    name: row.name,
    scope: row.scope,
    session: row.session,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: iso(row.expires_at),
    revokedAt: iso(row.revoked_at),
    usedAt: iso(row.used_at),
    state: row.revoked_at !== null ? "revoked" : row.expires_at !== null && row.expires_at <= now ? "expired" : "live",
    arguments: pinnedFor(archive, row.id),
  };
}

export const createTokenWrite = defineWrite("createToken", addToken, { isWhole: true });
export const revokeTokenWrite = defineWrite("revokeToken", endToken);
export const noteTokenUsesWrite = defineWrite("noteTokenUses", addTokenUses);
