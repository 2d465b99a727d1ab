// How the command line finds the running server of an archive: `endpoint.json` in its folder, 0600. Another program may sit
// on the port by then, so before the token is sent the server proves that it knows the nonce. Without fetch and without a
// schema library: what an agent runs after every message has no time to load them (40 ms together).
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";

export type ServerAddress = {
  readonly pid: number;
  readonly port: number;
  readonly nonce: string;
  readonly token: string;
};

export const addressFile = (dir: string): string => join(dir, "endpoint.json");

/** A server answers its proof in a millisecond, but not while Next loads beside it: 0.4 s, over 2 s on a busy machine. */
const PROOF_MS = 5000;

/** The server's answer to a challenge: shows that it knows the nonce without saying it. */
export function proofOf(nonce: string, challenge: string): string {
  return createHmac("sha256", nonce).update(challenge).digest("hex");
}

/** What the file says; null when there is none that can be read. */
export async function readAddress(dir: string): Promise<ServerAddress | null> {
  try {
    const value: unknown = JSON.parse(await readFile(addressFile(dir), "utf8"));
    return isAddress(value) ? value : null;
  } catch {
    // Absent, or left torn by a crash: nobody to talk to either way.
    return null;
  }
}

function isAddress(value: unknown): value is ServerAddress {
  const { pid, port, nonce, token } = (value ?? {}) as Partial<Record<keyof ServerAddress, unknown>>;
  const isSecret = (one: unknown): boolean => typeof one === "string" && one.length >= 16;
  return Number.isInteger(pid) && Number.isInteger(port) && isSecret(nonce) && isSecret(token);
}

/** True when the server at this port knows the nonce of the file. */
export async function isServerLive({ port, nonce }: ServerAddress, limitMs = PROOF_MS): Promise<boolean> {
  const challenge = randomBytes(16).toString("hex");
  try {
    const { answer } = await getJson(port, `/api/endpoint?challenge=${challenge}`, { limitMs });
    const want = Buffer.from(proofOf(nonce, challenge));
    const got = Buffer.from(String((answer as { proof?: unknown }).proof));
    return want.length === got.length && timingSafeEqual(want, got);
  } catch {
    // Refused, silent, or not speaking our words: not our server.
    return false;
  }
}

/** Asks the server of an archive; null when none runs, or none that answers in time. */
export async function getFromServer(
  dir: string,
  path: string,
  limitMs: number,
): Promise<{ readonly status: number; readonly answer: unknown } | null> {
  const found = await readAddress(dir);
  if (found === null || !(await isServerLive(found, limitMs))) return null;
  return getJson(found.port, path, { token: found.token, limitMs }).catch(() => null);
}

async function getJson(
  port: number,
  path: string,
  { token, limitMs }: { readonly token?: string; readonly limitMs: number },
): Promise<{ status: number; answer: unknown }> {
  // Imported as a module it would bring its WebSocket, and all of undici with it: 20 ms.
  const { request } = process.getBuiltinModule("node:http");
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; answer: unknown }>();
  const asked = request(
    { host: "127.0.0.1", port, path, headers, signal: AbortSignal.timeout(limitMs) },
    (response) => {
      text(response)
        .then((said) => resolve({ status: response.statusCode ?? 500, answer: JSON.parse(said) as unknown }))
        .catch(reject);
    },
  );
  asked.on("error", reject);
  asked.end();
  return promise;
}
