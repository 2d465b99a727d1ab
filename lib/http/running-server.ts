// How the command line finds the running server of an archive: `endpoint.json` in its folder, 0600. Another
// program may sit on the port by then, so before the token is sent the server proves that it knows the nonce.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { withReserve } from "#lib/archive/base/reserve-file.ts";
import { ERROR_CODES, fail } from "#lib/kernel/errors.ts";
import { errorAnswer } from "#lib/wire/common-schema.ts";
import { writePrivate } from "./credentials.ts";

export const serverAddress = z.object({
  pid: z.number().int(),
  port: z.number().int(),
  nonce: z.string().min(16),
  token: z.string().min(16),
});
export type ServerAddress = z.infer<typeof serverAddress>;

const fileName = "endpoint.json";
/** A server answers its proof in a millisecond, but not while Next loads beside it: 0.4 s, over 2 s on a busy machine. */
const PROOF_MS = 5000;

/** The server's answer to a challenge: shows that it knows the nonce without telling it. */
export function proofOf(nonce: string, challenge: string): string {
  return createHmac("sha256", nonce).update(challenge).digest("hex");
}

/** Writes where this server can be asked. */
export async function writeAddress(dir: string, value: ServerAddress): Promise<void> {
  await withReserve({ dir }, () => writePrivate(join(dir, fileName), `${JSON.stringify(value)}\n`));
}

/** Removes it, when it is still this server's. */
export async function removeAddress(dir: string, nonce: string): Promise<void> {
  const current = await readAddress(dir);
  if (current?.nonce === nonce) await rm(join(dir, fileName), { force: true });
}

/** What the file says; null when there is none that can be read. */
export async function readAddress(dir: string): Promise<ServerAddress | null> {
  try {
    return serverAddress.parse(JSON.parse(await readFile(join(dir, fileName), "utf8")));
  } catch {
    // Absent, or left torn by a crash: nobody to talk to either way.
    return null;
  }
}

/** True when the server at this port knows the nonce of the file. */
export async function isServerLive(value: ServerAddress): Promise<boolean> {
  const challenge = randomBytes(16).toString("hex");
  try {
    const response = await fetch(`http://127.0.0.1:${value.port}/api/endpoint?challenge=${challenge}`, {
      signal: AbortSignal.timeout(PROOF_MS),
      redirect: "error",
    });
    const answer = z.object({ proof: z.string() }).parse(await response.json());
    const want = Buffer.from(proofOf(value.nonce, challenge));
    const got = Buffer.from(answer.proof);
    return want.length === got.length && timingSafeEqual(want, got);
  } catch {
    // Refused, silent, or not speaking our words: not our server.
    return false;
  }
}

/** The server that runs on an archive; null when none does. */
export async function runningServer(dir: string): Promise<ServerAddress | null> {
  const found = await readAddress(dir);
  return found !== null && (await isServerLive(found)) ? found : null;
}

/** Asks the running server of an archive; null when none runs. Failures arrive as the AppError that they were. */
export async function askServer(dir: string, path: string, body: unknown): Promise<{ answer: unknown } | null> {
  const found = await runningServer(dir);
  if (found === null) return null;
  const response = await fetch(`http://127.0.0.1:${found.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${found.token}` },
    body: JSON.stringify(body ?? {}),
    redirect: "error",
  });
  return { answer: answerOf(response.status, await response.text()) };
}

/** Streams bytes to a door of a server; its answer. What the server refuses is refused before all of it was sent. */
export function sendBytesTo(
  { port, token }: ServerAddress,
  path: string,
  bytes: Readable,
  sizeBytes: number | null,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/octet-stream",
      authorization: `Bearer ${token}`,
      // A refusal that comes while bytes are sent may be lost with the connection: they wait until they are wanted.
      expect: "100-continue",
      ...(sizeBytes === null ? {} : { "content-length": sizeBytes }),
    };
    const sent = request({ host: "127.0.0.1", port, path, method: "POST", headers }, (response) => {
      text(response)
        .then((said) => resolve(answerOf(response.statusCode ?? 500, said)))
        .catch(reject);
    });
    sent.on("error", reject);
    bytes.on("error", (error) => {
      sent.destroy();
      reject(error);
    });
    sent.on("continue", () => bytes.pipe(sent));
    sent.flushHeaders();
  });
}

/** The answer of a door, or its refusal as the failure that it was there. */
function answerOf(status: number, said: string): unknown {
  const answer: unknown = JSON.parse(said);
  if (status >= 200 && status < 300) return answer;
  const refusal = errorAnswer.safeParse(answer);
  const code = ERROR_CODES.find((known) => refusal.success && known === refusal.data.error.code);
  if (code !== undefined && refusal.success) fail(code, refusal.data.error.message);
  throw new Error(`The running server answered ${status}${refusal.success ? `: ${refusal.data.error.message}` : ""}.`);
}

/** `POST /api/commands/<name>` of the running server; null when none runs. */
export function askCommand(dir: string, name: string, body: unknown): Promise<{ answer: unknown } | null> {
  return askServer(dir, `/api/commands/${encodeURIComponent(name)}`, body);
}
