// Tokens of agents. Kept as sha-256, shown once; each request looks its token up again, so that one that was revoked or has
// ended opens nothing from that moment on. Their last use is noted to the minute, many in one write.
import { command, query, select } from "#db/statement.ts";
import { hash, randomBytes } from "node:crypto";
import type { CreatedToken, CreateTokenRequest, TokenRow, TokenScope } from "#lib/wire/tokens-schema.ts";
import { createTokenRequest } from "#lib/wire/tokens-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { tokenOfRow, createTokenWrite, noteTokenUsesWrite, revokeTokenWrite } from "./access-token-rows.ts";
import { write } from "../base/write.ts";

/** A token in use is written down at most this often. */
const USE_MS = 60_000;

export type LiveToken = { readonly id: string; readonly scope: TokenScope; readonly session: string | null };

/** Makes a token. Its text is in this answer and nowhere else. */
export async function createToken(archive: Archive, request: CreateTokenRequest): Promise<CreatedToken> {
  const { name, scope, session, days, arguments: pinned } = createTokenRequest.parse(request);
  const token = `plm_${randomBytes(32).toString("base64url")}`;
  const sessionId = session == null ? null : publicIdOf(archive, session);
  const id = `t_${randomBytes(6).toString("hex")}`;
  const row = await write(archive, createTokenWrite, {
    id,
    name,
    scope,
    session: sessionId,
    days,
    hash: hashOf(token),
    arguments: pinned,
  });
  return { ...row, token };
}

/** All tokens that were made, the newest first. */
export async function listTokens(archive: Archive): Promise<TokenRow[]> {
  const rows = query(archive.sqlite, { "*": "tokens.*" }, "FROM tokens ORDER BY created_at DESC, id").all();
  return rows.map((row) => tokenOfRow(archive, row, archive.host.now()));
}

/** Ends a token, at once; one that was revoked before stays as it is. `id` may be the name of one in use. */
export async function revokeToken(archive: Archive, id: string): Promise<TokenRow> {
  return write(archive, revokeTokenWrite, { id });
}

/** The token of a text, when it may be used now. */
export function liveToken(archive: Archive, token: string): LiveToken | null {
  const row = select(
    archive.sqlite,
    "tokens",
    ["id", "scope", "session"],
    "WHERE hash = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
  ).get(hashOf(token), archive.host.now());
  return row ?? null;
}

/** True while a token may be used: what was opened with it is closed when it ends. */
export function isTokenLive(archive: Archive, id: string): boolean {
  return (
    command(
      archive.sqlite,
      "SELECT 1 FROM tokens WHERE id = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)",
    ).get(id, archive.host.now()) !== undefined
  );
}

/** Notes uses of tokens. A minute that is lost in a crash is no loss: nothing is decided by it. */
export function tokenUses(archive: Archive): { note(id: string): void; flush(): Promise<void> } {
  const noted = new Map<string, number>();
  let pending = new Map<string, number>();
  let timer: NodeJS.Timeout | null = null;

  async function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (pending.size === 0) return;
    const uses = [...pending].map(([id, at]) => ({ id, at }));
    pending = new Map();
    await write(archive, noteTokenUsesWrite, { uses });
  }

  return {
    note(id) {
      const now = archive.host.now();
      if (now - (noted.get(id) ?? Number.NEGATIVE_INFINITY) < USE_MS) return;
      noted.set(id, now);
      pending.set(id, now);
      timer ??= setTimeout(() => {
        flush().catch((error: unknown) => console.error("The last use of a token was not recorded:", error));
      }, 2000).unref();
    },
    flush,
  };
}

const hashOf = (token: string): string => hash("sha256", token, "hex");

function publicIdOf(archive: Archive, name: string): string {
  const pk = findSession(archive, name);
  return sessionIdOf(archive, pk)!;
}
