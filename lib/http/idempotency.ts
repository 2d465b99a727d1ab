// `Idempotency-Key` on a write (IETF draft): sent again with the same key it is answered again and not carried out again. The
// answer is kept in the archive before it is sent, so that it outlives this process. The key is in the transaction of the write,
// without the answer, which is made later: where the server dies between the two, the request has an empty answer.
import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Archive } from "#lib/archive/base/archive-type.ts";
import { perArchive } from "#lib/archive/base/per-archive.ts";
import { keptText, withRequestKey, type KeyedRequest } from "#lib/archive/base/request-key.ts";
import { keepAnswer, keptAnswer } from "#lib/archive/settings/idempotency-rows.ts";
import { fail, isAppError } from "#lib/kernel/errors.ts";
import { bodyAhead } from "./body.ts";
import { failureOf } from "./failure.ts";
import { NOBODY, type Principal } from "./principal.ts";
import { problemOf, sendKept } from "./send-json.ts";

/** Bare, as most clients send it, or in the quotes of the draft; one header. */
const FORM = /^(?:([!#-~]{1,255})|"([ !#-[\]-~]{1,255})")$/;

/** The key of a write; null where there is none. `isKept`: the endpoint has an answer that can be kept. */
export function idempotencyKey({ headers, method }: IncomingMessage, isKept: boolean): string | null {
  const header = headers["idempotency-key"];
  if (header === undefined || method === "GET" || method === "HEAD") return null;
  const match = FORM.exec(String(header));
  if (match === null) fail("invalid", "Idempotency-Key must be one key of 1 to 255 visible ASCII characters.");
  // Its sender expects a promise that would not be held.
  if (!isKept) fail("invalid", "This endpoint streams its answer and keeps none. Send it without Idempotency-Key.");
  return match[1] ?? match[2]!;
}

type Incoming = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly principal: Principal | null;
  readonly begin: () => void;
};

type Once<A> = {
  readonly key: string;
  readonly run: () => Promise<A>;
  readonly status: number | ((answer: A) => number) | undefined;
  readonly isSecret: boolean | undefined;
};

/** Keys that are being carried out, with their principals. */
const running = perArchive(() => new Set<string>());

/** Runs a write and sends its answer, or sends the one that was kept. */
export async function answerOnce<A>(archive: Archive, incoming: Incoming, once: Once<A>): Promise<void> {
  const { request, response, begin } = incoming;
  const principal = (incoming.principal ?? NOBODY).id;
  const name = `${principal} ${once.key}`;
  if (running(archive).has(name)) {
    response.setHeader("Retry-After", "1");
    fail("conflict", "A request with this Idempotency-Key is still running. Send it again when it has ended.");
  }
  running(archive).add(name);
  try {
    const body = hashBody(request);
    const kept = keptAnswer(archive, principal, once.key);
    if (kept === undefined) return await answerFirst(archive, incoming, principal, once, body);
    await wholeOf(request, begin);
    if (kept.fingerprint !== fingerprint(request, body))
      fail("unsupported", "This Idempotency-Key was sent with another request. Use a new key for a new request.");
    response.setHeader("Idempotency-Replayed", "true");
    sendKept(response, kept.status, kept.answer);
  } finally {
    running(archive).delete(name);
  }
}

async function answerFirst<A>(
  archive: Archive,
  { request, response, begin }: Incoming,
  principal: string,
  { key, run, status = 200, isSecret = false }: Once<A>,
  body: Hash,
): Promise<void> {
  const rowOf = (given: number, answer: string | null) =>
    ({ principal, key, fingerprint: fingerprint(request, body), status: given, answer }) as const;
  const keep = async (given: number, text: string): Promise<void> => {
    // The write is done, whatever becomes of its answer: a disk that refuses this one has been noted.
    const row = rowOf(given, isSecret ? null : keptText(text));
    await keepAnswer(archive, { ...row, session: keyed.session }).catch(() => undefined);
  };
  // A write before the whole body came is one of its parts: those have no key.
  const keyed: KeyedRequest = {
    rowOf: () => (request.complete ? rowOf(typeof status === "number" ? status : 200, null) : null),
    isAnswered: false,
    session: null,
  };
  try {
    const answer = await withRequestKey(keyed, run);
    const given = typeof status === "number" ? status : status(answer);
    const text = JSON.stringify(answer);
    await wholeOf(request, begin);
    if (!keyed.isAnswered) await keep(given, text);
    sendKept(response, given, text);
  } catch (error) {
    if (isAppError(error) && !error.isPassing && !error.isForbidden && request.complete) {
      const failure = failureOf(error, "");
      if (failure.status < 500) await keep(failure.status, JSON.stringify(problemOf(failure.status, failure.error)));
    }
    throw error;
  }
}

const hashing = new WeakMap<IncomingMessage, Hash>();

/** Hears of a body from now on: who answers may have to wait for something before the write begins. */
export const hashAhead = (request: IncomingMessage): void => void hashing.set(request, hashBody(request));

/** Of the body as it comes, whoever reads it, and though its stream is paused: what the parser hands on passes here. */
function hashBody(request: IncomingMessage): Hash {
  const hash = createHash("sha256");
  const read = bodyAhead(request);
  if (read !== null) return hash.update(read);
  const begun = hashing.get(request);
  if (begun !== undefined) return begun;
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, encoding) => {
    if (chunk !== null) hash.update(chunk);
    return push(chunk, encoding);
  };
  return hash;
}

/** Reads what nobody has read of a body. */
async function wholeOf(request: IncomingMessage, begin: () => void): Promise<void> {
  if (request.complete) return;
  begin();
  request.resume();
  await new Promise<void>((resolve, reject) => {
    request.once("end", resolve);
    request.once("close", () => (request.complete ? resolve() : reject(new Error("The client disconnected."))));
  });
}

/** Nothing of the request itself is kept. */
function fingerprint({ method, url }: IncomingMessage, body: Hash): string {
  return createHash("sha256").update(`${method} ${url}\n`).update(body.copy().digest()).digest("hex");
}
