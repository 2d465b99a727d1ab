// Who may come in. A launch link holds a token that works once, for ten minutes, and becomes a cookie; the archive keeps
// only the sha-256 of the cookie's secret, so that a browser stays signed in when the server starts again
// and a copy of the file signs nobody in. The command line has a token of its own, new at every start.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { chmod, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isNoRoom } from "#lib/archive/base/is-no-room.ts";
import type { LiveToken } from "#lib/archive/settings/access-tokens.ts";
import { COMMAND_LINE, tokenPrincipal, type Principal } from "./principal.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** A browser that was not signed in anew for so long asks for a link again. */
export const SIGN_IN_DAYS = 90;
/** A launch link that nobody opened is worth nothing after this. */
const LAUNCH_MS = 10 * 60_000;
// A person has a handful of browsers; the oldest go first.
const MAX_BROWSERS = 64;

const browsersFile = z.array(z.object({ hash: z.string().regex(/^[0-9a-f]{64}$/), expiresAt: z.number() }));
type Browser = z.infer<typeof browsersFile>[number];

export type Credentials = {
  /** A new one-time token for a link. */
  newLaunchToken(): string;
  /** The secret of a new cookie for a launch token, or null when the token is unknown or used. */
  exchange(token: string): Promise<string | null>;
  browserOf(secret: string): string | null;
  /** Who holds a bearer token: the command line, or an agent whose token the archive knows. */
  bearerOf(token: string): Principal | null;
  /** The command line's token of this start. */
  readonly bearer: string;
};

/** The tokens of agents: which may be used now, and that one was. */
export type AgentTokens = { live(token: string): LiveToken | null; note(id: string): void };

/** Credentials of one archive folder; `dir` null keeps them in memory (a folder that cannot be written). */
export function openCredentials(
  dir: string | null,
  now: () => number = Date.now,
  tokens: AgentTokens = { live: () => null, note: () => undefined },
): Credentials {
  const file = dir === null ? null : join(dir, "browsers.json");
  let browsers = file === null ? [] : readBrowsers(file);
  /** Hashes of launch tokens, and when each ends. */
  const launch = new Map<string, number>();
  const bearer = newSecret();
  const bearerHash = hashOf(bearer);
  let saving: Promise<void> = Promise.resolve();

  return {
    bearer,
    newLaunchToken() {
      const token = newSecret();
      for (const [hash, endsAt] of launch) if (endsAt <= now()) launch.delete(hash);
      launch.set(hashOf(token), now() + LAUNCH_MS);
      return token;
    },
    async exchange(token) {
      const hash = hashOf(token);
      const endsAt = launch.get(hash);
      launch.delete(hash);
      if (endsAt === undefined || endsAt <= now()) return null;
      const secret = newSecret();
      const live = browsers.filter((browser) => browser.expiresAt > now());
      browsers = [...live, { hash: hashOf(secret), expiresAt: now() + SIGN_IN_DAYS * DAY_MS }].slice(-MAX_BROWSERS);
      if (file !== null) {
        const text = JSON.stringify(browsers);
        saving = saving
          .then(() => writePrivate(file, text))
          .catch((error: unknown) => {
            // On a full disk the browser is signed in all the same, until the next start.
            if (!isNoRoom(error)) throw error;
          });
        await saving;
      }
      return secret;
    },
    browserOf(secret) {
      const hash = hashOf(secret);
      const found = browsers.find((browser) => browser.hash === hash && browser.expiresAt > now());
      return found ? `browser:${hash.slice(0, 16)}` : null;
    },
    bearerOf(token) {
      // Comparing digests tells nothing of the token, whatever time it takes.
      if (hashOf(token) === bearerHash) return COMMAND_LINE;
      const found = tokens.live(token);
      if (found === null) return null;
      tokens.note(found.id);
      return tokenPrincipal(found);
    },
  };
}

/** Writes a file that only its owner may read, whole or not at all, whatever the umask. */
export async function writePrivate(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
  const handle = await open(temporary, "wx", 0o600);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** 256 bits that can stand in a link, a cookie or a header. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

function readBrowsers(file: string): Browser[] {
  try {
    return browsersFile.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    // Absent at the first start; torn or edited, it signs everybody out and nobody in.
    return [];
  }
}
