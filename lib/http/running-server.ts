// Talking to the running server of an archive: the file that names it, and the questions of the command line.
import { rm } from "node:fs/promises";
import { request } from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { withReserve } from "#lib/archive/base/reserve-file.ts";
import { ERROR_CODES, fail } from "#lib/kernel/errors.ts";
import { errorAnswer } from "#lib/wire/common-schema.ts";
import { writePrivate } from "./credentials.ts";
import { addressFile, isServerLive, readAddress, type ServerAddress } from "./server-address.ts";

/** Writes where this server can be asked. */
export async function writeAddress(dir: string, value: ServerAddress): Promise<void> {
  await withReserve({ dir }, () => writePrivate(addressFile(dir), `${JSON.stringify(value)}\n`));
}

/** Removes it, when it is still this server's. */
export async function removeAddress(dir: string, nonce: string): Promise<void> {
  const current = await readAddress(dir);
  if (current?.nonce === nonce) await rm(addressFile(dir), { force: true });
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
  return { answer: await postTo(found, path, JSON.stringify(body ?? {})) };
}

/** Without fetch, which waits 5 minutes for an answer: an import or a repair may take longer. */
function postTo({ port, token }: ServerAddress, path: string, json: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
    request({ host: "127.0.0.1", port, path, method: "POST", headers, agent: false }, (response) => {
      text(response)
        .then((said) => resolve(answerOf(response.statusCode ?? 500, said)))
        .catch(reject);
    })
      .on("error", reject)
      .end(json);
  });
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
