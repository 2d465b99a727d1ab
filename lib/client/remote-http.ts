// Asking a running Plimsoll: with a bearer token, over fetch, and nothing else. A refusal becomes the AppError that the
// server meant; an address to which a token must not go is refused before anything is sent.
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { z } from "zod";
import { AppError, ERROR_CODES, fail, isAppError } from "#lib/kernel/errors.ts";
import type { ErrorCode } from "#lib/kernel/errors.ts";

export type RemoteOptions = {
  /** Where Plimsoll runs, for example `http://127.0.0.1:4567`. */
  readonly url: string;
  /** Made by `plimsoll token create`. */
  readonly token: string;
  readonly fetch?: typeof fetch;
  /** How long an answer may take (milliseconds). */
  readonly timeoutMs?: number;
};

export type Body = string | Uint8Array | AsyncIterable<Uint8Array>;

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

type Ask = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly query?: Query;
  readonly json?: unknown;
  /** The same as UTF-8 that was written before. */
  readonly jsonBytes?: Uint8Array;
  readonly body?: Body;
  /** Carried out twice it would do more than once: it has a key, so that it may be sent again when its answer is lost. */
  readonly once?: true;
  /** A POST that, carried out twice, does what it does once: sent again as it is. Every GET is. */
  readonly again?: true;
  /** The key of one that its sender sends again itself. */
  readonly key?: string;
};

type Read<T> = (response: Response) => Promise<T>;
/** Null for what is no result. */
type Answer<T> = { readonly response: Response; readonly result: { readonly data: T } | null };

/** Nobody answered, or not with a result: what the request did is not known. */
export class NoAnswer extends AppError {}

export type RemoteHttp = {
  ask<T>(ask: Ask, answer: z.ZodType<T>): Promise<T>;
  /** A write whose answer is not needed: one that was lost behind the write is no failure. */
  carryOut(ask: Ask, answer: z.ZodType): Promise<void>;
  /** The bytes of an answer as they come. */
  stream(ask: Ask): Promise<ReadableStream<Uint8Array>>;
};

const ANSWER_MS = 60_000;
/** Bytes take as long as they are many. */
const TRANSFER_MS = 15 * 60_000;

/** 0.1, 0.2, … 3.2 s: as long as a server takes to start again. */
const RETRIES = 6;
const RETRY_MS = 100;

export function remoteHttp(options: RemoteOptions): RemoteHttp {
  const base = baseOf(options.url);
  const send = options.fetch ?? fetch;

  /** `read`: what is taken of a result. One that breaks off is as lost as one that never came. */
  const sendOnce = async <T>(ask: Ask, key: string | null, read: Read<T>): Promise<Answer<T>> => {
    const url = new URL(ask.path, base);
    for (const [name, value] of Object.entries(ask.query ?? {}))
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    const isTransfer = !isJson(ask);
    const ms = options.timeoutMs ?? (isTransfer ? TRANSFER_MS : ANSWER_MS);
    try {
      const response = await send(url, {
        method: ask.method,
        // A redirect would carry the token to whoever it names.
        redirect: "error",
        signal: AbortSignal.timeout(ms),
        headers: {
          authorization: `Bearer ${options.token}`,
          "content-type": typeOf(ask),
          ...(key !== null && { "idempotency-key": key }),
        },
        ...bodyOf(ask),
      });
      return { response, result: response.ok ? { data: await read(response) } : null };
    } catch (error) {
      throw noAnswer(error, base, ms);
    }
  };

  const respond = async <T>(ask: Ask, read: Read<T>): Promise<T> => {
    const key = ask.key ?? (ask.once === true && !isPieces(ask.body) ? randomUUID() : null);
    const mayRepeat = ask.method === "GET" || ask.again === true || (key !== null && key !== ask.key);
    const retries = mayRepeat ? RETRIES : 0;
    for (let tries = 0; ; tries++) {
      const answer = await sendOnce(ask, key, read).catch((error: unknown) => {
        // At first nothing but a connection that broke: who does not listen got nothing. Then a server may come back.
        const isLost = isAppError(error) && (LOST.has(socketCode(error)) || (tries > 0 && error.code === "not_found"));
        if (!isLost || tries >= retries) throw error;
        return null;
      });
      if (answer?.result != null) return answer.result.data;
      if (answer !== null && !isRunning(answer.response)) throw await refusalOf(answer.response);
      await answer?.response.body?.cancel();
      if (tries >= retries) throw new NoAnswer("timeout", `${base.origin} is still carrying out ${ask.path}.`);
      await wait(RETRY_MS * 2 ** tries);
    }
  };

  /** Null where the write is known to be done, and its answer is lost. */
  const resultOf = async <T>(ask: Ask, answer: z.ZodType<T>): Promise<{ readonly data: T } | null> => {
    const { text, isReplayed } = await respond(ask, async (response) => ({
      text: await response.text(),
      isReplayed: response.headers.get("idempotency-replayed") === "true",
    }));
    if (text === "" && isReplayed) return null;
    const parsed = answer.safeParse(jsonOf(text));
    if (parsed.success) return parsed;
    return fail(
      "unsupported",
      `${base.origin} answered ${ask.path} in an unknown way. Check that it is Plimsoll, in the same version.`,
      parsed.error,
    );
  };

  return {
    async ask(ask, answer) {
      const result = await resultOf(ask, answer);
      if (result !== null) return result.data;
      return fail(
        "conflict",
        `${ask.path} was carried out, and its answer was lost with the server. Read the session again.`,
      );
    },
    async carryOut(ask, answer) {
      await resultOf(ask, answer);
    },
    async stream(ask) {
      const { body } = await respond(ask, async (response) => response);
      return body ?? new ReadableStream({ start: (controller) => controller.close() });
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function baseOf(text: string): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    return fail("invalid", `"${text.slice(0, 200)}" is not an address. Use the form http://127.0.0.1:4567.`, error);
  }
  const isHere = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isHere))
    fail("invalid", `A token is sent only to this machine or over https. ${url.origin} is neither.`);
  return url;
}

const isJson = ({ json, jsonBytes }: Ask): boolean => json !== undefined || jsonBytes !== undefined;
const typeOf = (ask: Ask): string => (isJson(ask) ? "application/json" : "application/octet-stream");

/** Pieces come once: they cannot be sent again. */
const isPieces = (body: Body | undefined): boolean =>
  body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);

const LOST: ReadonlySet<unknown> = new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

const socketCode = ({ cause }: AppError): unknown =>
  ((cause as Error | undefined)?.cause as { code?: unknown } | undefined)?.code;

/** The same request, sent before, is under way. */
const isRunning = ({ status, headers }: Response): boolean => status === 409 && headers.has("retry-after");

function bodyOf({ json, jsonBytes, body }: Ask): RequestInit {
  if (jsonBytes !== undefined) return { body: jsonBytes as BodyInit };
  if (json !== undefined) return { body: JSON.stringify(json) };
  if (body === undefined) return {};
  if (typeof body === "string" || body instanceof Uint8Array) return { body: body as BodyInit };
  return { body: streamOf(body), duplex: "half" } as RequestInit;
}

/** The pieces as a stream; one that fails breaks the request off, and the server keeps nothing of it. */
function streamOf(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const next = await iterator.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

async function refusalOf(response: Response): Promise<Error> {
  const body = (await response.json().catch(() => null)) as { error?: { code?: unknown; message?: unknown } } | null;
  const { code, message } = body?.error ?? {};
  const said = typeof message === "string" ? message : `Plimsoll answered ${response.status}.`;
  const known = ERROR_CODES.find((one) => one === code) ?? byStatus(response.status);
  return known === null ? new Error(said) : new AppError(known, said);
}

/** For answers whose code is another than the six. 500 is none of them: it is a bug there. */
function byStatus(status: number): ErrorCode | null {
  if (status === 404 || status === 410) return "not_found";
  if (status === 413 || status === 507) return "too_large";
  return status >= 400 && status < 500 ? "invalid" : null;
}

function noAnswer(error: unknown, base: URL, ms: number): Error {
  const cause = { cause: error };
  if (error instanceof Error && error.name === "TimeoutError")
    return new NoAnswer("timeout", `${base.origin} did not answer within ${ms / 1000} s.`, cause);
  const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
  return new NoAnswer(
    "not_found",
    `No Plimsoll answers at ${base.origin} (${why}). Start it: npx plimsoll, or npm start in a checkout.`,
    cause,
  );
}
