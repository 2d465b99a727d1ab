// Sends the lines of a spool, some at a time. Throws while Plimsoll is away; a record that it refuses is found and put aside.
import { randomUUID } from "node:crypto";
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { heldSession } from "#lib/wire/held-schema.ts";
import { ingestAnswer } from "#lib/wire/memory-schema.ts";
import { NoAnswer, remoteHttp, type RemoteHttp, type RemoteOptions } from "../remote-http.ts";
import type { SpoolChunk, SpoolFile, SpoolLines } from "./spool-file.ts";

/** What stands around the records of a request. */
const HEAD = Buffer.from('{"records":[');
const TAIL = Buffer.from("]}");
const COMMA = 0x2c;

/** A request that nobody has answered: sent again it is the same, under the same key. */
type Unanswered = SpoolChunk & { readonly spool: SpoolFile; readonly key: string };

export class RecordSender {
  readonly #http: RemoteHttp;
  readonly #onRefused: (line: string, reason: string) => void;
  readonly #stop = new AbortController();
  /** The archive's own ids of the sessions that were asked for. */
  readonly #ids = new Map<string, string>();
  #unanswered: Unanswered | null = null;

  constructor(options: RemoteOptions, onRefused: (line: string, reason: string) => void) {
    const send = options.fetch ?? fetch;
    const stop = this.#stop.signal;
    this.#http = remoteHttp({
      ...options,
      fetch: (url, init) => send(url, { ...init, signal: AbortSignal.any([stop, init!.signal!]) }),
    });
    this.#onRefused = onRefused;
  }

  /** A request that is under way is given up: what it brought is known by its identity when it is sent again. */
  stop(): void {
    this.#stop.abort();
  }

  /** The next lines of it; false when there are none. */
  async sendSome(spool: SpoolFile): Promise<boolean> {
    const next = this.#unanswered?.spool === spool ? this.#unanswered : nextOf(spool);
    if (next.ends.length === 0) return false;
    const id = this.#ids.get(spool.header.id) ?? (await this.#open(spool));
    this.#unanswered = next;
    await this.#sendLines(spool, id, next, next.key);
    this.#unanswered = null;
    spool.acknowledge(next.end);
    return true;
  }

  async #open({ header }: SpoolFile): Promise<string> {
    const ask = { method: "POST", path: "/api/sessions", json: header.request } as const;
    const { id } = await this.#http.ask(ask, heldSession);
    this.#ids.set(header.id, id);
    return id;
  }

  /** All of them or none is how Plimsoll takes them: where it refuses, the halves are tried, down to the one record. */
  async #sendLines(spool: SpoolFile, id: string, lines: SpoolLines, key: string): Promise<void> {
    try {
      const path = `/api/sessions/${encodeURIComponent(id)}/events`;
      await this.#http.carryOut({ method: "POST", path, jsonBytes: requestOf(lines), key }, ingestAnswer);
    } catch (error) {
      this.#ids.delete(spool.header.id);
      // Plimsoll keeps a refusal with its key: what is answered is asked anew.
      if (isAppError(error) && !(error instanceof NoAnswer)) this.#unanswered = null;
      if (!isRefusal(error)) throw error;
      // A token that is not taken any more refuses everything: then this throws, and nothing is put aside.
      await this.#open(spool);
      const count = lines.ends.length;
      if (count === 1) return this.#onRefused(lines.bytes.toString("utf8", 0, lines.ends[0]! - 1), error.message);
      const half = count >> 1;
      await this.#sendLines(spool, id, linesOf(lines, 0, half), randomUUID());
      await this.#sendLines(spool, id, linesOf(lines, half, count), randomUUID());
    }
  }
}

const nextOf = (spool: SpoolFile): Unanswered => {
  const maxBytes = LIMITS.requestBytes - HEAD.length - TAIL.length;
  return { ...spool.next(LIMITS.ingestRecords, maxBytes), spool, key: randomUUID() };
};

function linesOf({ bytes, ends }: SpoolLines, from: number, to: number): SpoolLines {
  const start = from === 0 ? 0 : ends[from - 1]!;
  return { bytes: bytes.subarray(start, ends[to - 1]), ends: ends.slice(from, to).map((end) => end - start) };
}

/** The lines as they are: a newline between two is a comma. */
function requestOf({ bytes, ends }: SpoolLines): Uint8Array {
  const body = Buffer.concat([HEAD, bytes.subarray(0, -1), TAIL]);
  for (const end of ends.slice(0, -1)) body[HEAD.length + end - 1] = COMMA;
  return body;
}

/** Something is wrong with a record. An address where nobody answers is not_found too: that passes. */
const isRefusal = (error: unknown): error is Error =>
  isAppError(error) && ["invalid", "conflict", "too_large"].includes(error.code);
