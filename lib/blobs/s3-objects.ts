// Objects in a bucket of S3 or of what speaks like it. s3mini asks; the PUT of a sender is signed here, since that signature
// holds the digest of the bytes: the bucket itself refuses others, so no sender can give a name bytes that are not its own.
// What the network broke off is asked again: a put that was done after all finds its name taken.
import { setTimeout } from "node:timers/promises";
import { S3mini, type AWSHeaders, type UploadPart } from "s3mini";
import { fail } from "#lib/kernel/errors.ts";
import { isOk, sendRequest, type HttpAnswer } from "./http-request.ts";
import { absentObject, checkedName, checkedRange, PART_BYTES, type ObjectStore } from "./object-store.ts";
import { signedAddress } from "./signed-address.ts";

export type Bucket = {
  /** With the bucket as its path. */
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
};

/** Pauses before what the network broke off is asked again (milliseconds). */
const PAUSES_MS = [100, 500, 2000] as const;

/** How long a request may be silent; and how long all tries of one may take together before no other is made. */
const TIMEOUT_MS = 60_000;
const LISTED = 1000;
/** A request of our own is made within so long of being signed. */
const ASKED_SECONDS = 300;
const TYPE = "application/octet-stream";
const IF_ABSENT = { "if-none-match": "*" } as const;

export function s3Objects(bucket: Bucket, timeoutMs: number = TIMEOUT_MS): ObjectStore {
  const client = new S3mini({ ...bucket, requestAbortTimeout: timeoutMs });
  const label = `The bucket ${bucket.endpoint}`;
  const name = (text: string): string => checkedName(text);
  const addressOf = (key: string): string => `${bucket.endpoint}${key === "" ? "" : `/${key}`}`;

  /** Runs a request, again where the network or the gateway failed. */
  async function ask<T>(run: (leftMs: number) => Promise<T>, withinMs: number = timeoutMs): Promise<T> {
    const startedAt = performance.now();
    const passedMs = (): number => Math.round(performance.now() - startedAt);
    for (let tries = 0; ; tries++)
      try {
        return await run(withinMs - passedMs());
      } catch (error) {
        const status = statusOf(error);
        if (status !== null && status < 500 && status !== 429) throw error;
        // One that answers nothing has had its time: whoever waits is told.
        if (tries === PAUSES_MS.length || passedMs() + PAUSES_MS[tries]! > 0.9 * withinMs) throw away(error);
        await setTimeout(PAUSES_MS[tries]);
      }
  }

  const away = (error: unknown): Error => {
    const reason = error instanceof Error ? (codeOf(error.cause) ?? codeOf(error) ?? error.message) : String(error);
    try {
      return fail(
        "timeout",
        `${label} does not answer (${reason}). Nothing is sent or fetched meanwhile; lists, search and cached sessions work.`,
        error,
      );
    } catch (failure) {
      return failure as Error;
    }
  };

  async function putWhole(key: string, bytes: Uint8Array): Promise<"stored" | "there"> {
    // Its types know headers of Amazon's own alone.
    const headers = IF_ABSENT as unknown as AWSHeaders;
    try {
      await ask(() =>
        client.putObject(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), TYPE, undefined, headers),
      );
      return "stored";
    } catch (error) {
      if (statusOf(error) === 412) return "there";
      throw error;
    }
  }

  async function sizeOf(key: string): Promise<number | null> {
    const { status, headers } = await ask(() => signed("HEAD", key));
    if (status === 404) return null;
    if (!isOk(status)) throw away(new Error(`status ${status}`));
    return Number(headers["content-length"]);
  }

  async function signed(method: "HEAD" | "PUT", key: string, silentMs: number = timeoutMs): Promise<HttpAnswer> {
    const url = signedAddress(bucket, { method, url: addressOf(key), seconds: ASKED_SECONDS, now: new Date() });
    // A PUT has a length, also one without bytes.
    const body = method === "PUT" ? { body: new Uint8Array() } : {};
    const answer = await sendRequest(url, { method, headers: {}, silentMs, ...body });
    if (answer.status >= 500) throw Object.assign(new Error(`status ${answer.status}`), { status: answer.status });
    return answer;
  }

  async function putParts(key: string, first: readonly Buffer[], rest: AsyncIterator<Buffer>): Promise<void> {
    const upload = await ask(() => client.getMultipartUploadId(key, TYPE));
    try {
      const parts: UploadPart[] = [];
      const add = async (part: Buffer): Promise<void> => {
        const number = parts.length + 1;
        parts.push(await ask(() => client.uploadPart(key, upload, part, number)));
      };
      for (const part of first) await add(part);
      for (let next = await rest.next(); !next.done; next = await rest.next()) await add(next.value);
      await ask(() => client.completeMultipartUpload(key, upload, parts));
    } catch (error) {
      await client.abortMultipartUpload(key, upload).catch(() => undefined);
      throw error;
    }
  }

  return {
    label,
    put: async (key, bytes) => putWhole(name(key), bytes),
    async putStream(key, pieces, partBytes = PART_BYTES) {
      const parts = inParts(pieces, partBytes);
      const first = await parts.next();
      const second = first.done ? first : await parts.next();
      if (second.done) return putWhole(name(key), first.done ? new Uint8Array() : first.value);
      if ((await sizeOf(name(key))) !== null) {
        await parts.return(undefined);
        return "there";
      }
      await putParts(key, [first.value as Buffer, second.value], parts);
      return "stored";
    },
    async get(key, range) {
      if (range !== undefined && checkedRange(range).start === range.end)
        return (await sizeOf(name(key))) === null ? absentObject(label, key) : new Uint8Array();
      try {
        const answer = await ask(async () => {
          const response = await (range === undefined
            ? client.getObjectRaw(name(key), true)
            : client.getObjectRaw(name(key), false, range.start, range.end));
          return response.arrayBuffer();
        });
        return new Uint8Array(answer);
      } catch (error) {
        if (statusOf(error) === 404) return absentObject(label, key);
        // The range lies behind the end.
        if (statusOf(error) === 416) return new Uint8Array();
        throw error;
      }
    },
    async *read(key) {
      const size = await sizeOf(name(key));
      if (size === null) return absentObject(label, key);
      for (let start = 0; start < size; start += PART_BYTES)
        yield await this.get(key, { start, end: Math.min(size, start + PART_BYTES) });
    },
    async head(key) {
      const size = await sizeOf(name(key));
      return size === null ? null : { size };
    },
    async *list(prefix) {
      let token: string | undefined;
      do {
        const page = await ask(() => client.listObjectsPaged("/", prefix, LISTED, token));
        for (const { Key, Size, LastModified } of page?.objects ?? [])
          yield { name: Key, size: Number(Size), modifiedMs: Number(new Date(LastModified)) };
        token = page?.nextContinuationToken;
      } while (token !== undefined);
    },
    async remove(key) {
      await ask(() => client.deleteObject(name(key)));
    },
    async signPut(key, sha256, seconds) {
      const headers = { ...IF_ABSENT, "x-amz-content-sha256": sha256 };
      const parts = { method: "PUT", url: addressOf(name(key)), headers, seconds, now: new Date() } as const;
      return { url: signedAddress(bucket, parts), headers };
    },
    async signGet(key, seconds) {
      return {
        url: signedAddress(bucket, { method: "GET", url: addressOf(name(key)), seconds, now: new Date() }),
        headers: {},
      };
    },
    async ensure() {
      // Without a body: a region that a gateway does not know by name would be refused.
      const { status } = await ask(() => signed("PUT", ""));
      // 409: it is ours already.
      if (!isOk(status) && status !== 409)
        fail("invalid", `${label} cannot be made (status ${status}). Check its address and keys.`);
    },
    async check(withinMs = timeoutMs) {
      const { status } = await ask((leftMs) => signed("HEAD", "", leftMs), withinMs);
      if (status === 404) fail("not_found", `${label} is missing. Make it: plimsoll fleet init.`);
      if (!isOk(status)) fail("invalid", `${label} refuses these keys (status ${status}).`);
    },
  };
}

async function* inParts(pieces: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Buffer, undefined> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces)
    for (let from = 0; from < piece.length;) {
      const cut = piece.subarray(from, from + partBytes - bytes);
      held.push(cut);
      from += cut.length;
      bytes += cut.length;
      if (bytes < partBytes) continue;
      yield Buffer.concat(held);
      held = [];
      bytes = 0;
    }
  if (bytes > 0) yield Buffer.concat(held);
  return undefined;
}

/** The status of an answer; null where there was none. s3mini wraps what failed. */
function statusOf(error: unknown): number | null {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { status } = one as { status?: unknown };
    if (typeof status === "number" && status > 0) return status;
  }
  return null;
}

function codeOf(cause: unknown): string | null {
  for (let one = cause; one instanceof Error; one = one.cause) {
    const { code } = one as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return null;
}
