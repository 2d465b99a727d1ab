// The rows of tokens, and the writes that make, end and date them.
import { fail } from "#lib/kernel/errors.ts";
import type { TokenRow, TokenScope } from "#lib/wire/tokens-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { prepared } from "../base/statement-cache.ts";
import { defineWrite } from "../base/write.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export type TokenDbRow = {
  readonly id: string;
  readonly name: string;
  readonly scope: TokenScope;
  readonly session: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly used_at: number | null;
};

export type NewToken = Pick<TokenDbRow, "id" | "name" | "scope" | "session"> & {
  readonly hash: string;
  days: number | null;
};

/** The write of createToken. */
export function addToken(archive: Archive, batch: Batch, wish: NewToken): TokenRow {
  const expiresAt = wish.days === null ? null : batch.now + wish.days * DAY_MS;
  prepared(
    archive.sqlite,
    "INSERT INTO tokens (id, name, hash, scope, session, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
  ).run(wish.id, wish.name, wish.hash, wish.scope, wish.session, batch.now, expiresAt);
  return tokenById(archive, wish.id, batch.now);
}

/** The write of revokeToken. */
export function endToken(archive: Archive, batch: Batch, wish: { readonly id: string }): TokenRow {
  const rows = archive.sqlite
    .prepare(
      "SELECT id FROM tokens WHERE id = @id OR (name = @id AND revoked_at IS NULL) ORDER BY id = @id DESC LIMIT 2",
    )
    .all(wish) as { id: string }[];
  const exact = rows.find((row) => row.id === wish.id);
  const found = exact ?? rows[0];
  if (found === undefined)
    fail("not_found", `There is no token "${wish.id.slice(0, 80)}". plimsoll token list shows those that were made.`);
  if (exact === undefined && rows.length > 1)
    fail("invalid", `"${wish.id.slice(0, 80)}" means several tokens: give the id that plimsoll token list shows.`);
  prepared(archive.sqlite, "UPDATE tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL").run(
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
  const set = prepared(archive.sqlite, "UPDATE tokens SET used_at = max(coalesce(used_at, 0), ?) WHERE id = ?");
  for (const { id, at } of uses) set.run(at, id);
}

function tokenById(archive: Archive, id: string, now: number): TokenRow {
  return tokenOfRow(archive.sqlite.prepare("SELECT * FROM tokens WHERE id = ?").get(id) as TokenDbRow, now);
}

export function tokenOfRow(row: TokenDbRow, now: number): TokenRow {
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
  };
}

export const createTokenWrite = defineWrite("createToken", addToken);
export const revokeTokenWrite = defineWrite("revokeToken", endToken);
export const noteTokenUsesWrite = defineWrite("noteTokenUses", addTokenUses);
