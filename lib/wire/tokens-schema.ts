// Tokens that agents come in with: what they may do, which session they see, how long they last. The token itself is
// shown once, when it is made; the archive keeps its sha-256.
import { z } from "zod";

/**
 * `read` looks, `write` makes sessions and stores beside, `admin` deletes and manages sources and settings beside. `telemetry`
 * sends OpenTelemetry and sees nothing: it stands in the environment of every agent.
 */
export const TOKEN_SCOPES = ["read", "write", "admin", "telemetry"] as const;
export const tokenScope = z.enum(TOKEN_SCOPES);
export type TokenScope = z.infer<typeof tokenScope>;

/** Arguments of tools that are fixed for a token, by tool: they leave the tool's schema and win over what the model says. */
export const pinnedArguments = z.record(z.string().min(1).max(100), z.record(z.string().min(1).max(100), z.unknown()));
export type PinnedArguments = z.infer<typeof pinnedArguments>;

/** `POST /api/tokens`, and `plimsoll token create`. */
export const createTokenRequest = z
  .object({
    name: z.string().min(1).max(200).default("agent"),
    scope: tokenScope.default("write"),
    /** The one session that it sees; all of them when absent. */
    session: z.string().min(1).max(400).nullish(),
    /** Days until it ends; null for one that lasts until it is revoked. */
    days: z.number().int().min(1).max(3650).nullable().default(90),
    arguments: pinnedArguments.default({}),
  })
  .strict()
  .refine(({ scope, session }) => (scope !== "admin" && scope !== "telemetry") || session == null, {
    path: ["scope"],
    message: "a token for one session needs scope read or write",
  });
export type CreateTokenRequest = z.input<typeof createTokenRequest>;

export const tokenRow = z.object({
  id: z.string(),
  name: z.string(),
  scope: tokenScope,
  session: z.string().nullable(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  revokedAt: z.string().nullable(),
  /** To the minute; null when it was never used. */
  usedAt: z.string().nullable(),
  state: z.enum(["live", "expired", "revoked"]),
  arguments: pinnedArguments,
});
export type TokenRow = z.infer<typeof tokenRow>;

export const tokensAnswer = z.object({ tokens: z.array(tokenRow) });

/** The only answer that holds the token. */
export const createdToken = tokenRow.extend({ token: z.string() });
export type CreatedToken = z.infer<typeof createdToken>;

export const revokeTokenRequest = z.object({ id: z.string().max(200) }).strict();
