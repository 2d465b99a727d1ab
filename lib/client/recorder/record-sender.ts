// Sends the lines of a spool, some at a time. Throws while Plimsoll is away; a record that it refuses is found and put aside.
import { isAppError } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { heldSession } from "#lib/wire/held-schema.ts";
import { ingestAnswer } from "#lib/wire/memory-schema.ts";
import { remoteHttp, type RemoteHttp, type RemoteOptions } from "../remote-http.ts";
import type { SpoolFile } from "./spool-file.ts";

/** A request that is this much longer than its records: `{"records":[…]}`. */
const FRAME_BYTES = 64;

export class RecordSender {
  readonly #http: RemoteHttp;
  readonly #onRefused: (line: string, reason: string) => void;
  readonly #stop = new AbortController();
  /** The archive's own ids of the sessions that were asked for. */
  readonly #ids = new Map<string, string>();

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
    const { lines, end } = spool.next(LIMITS.ingestRecords, LIMITS.requestBytes - FRAME_BYTES);
    if (lines.length === 0) return false;
    const id = this.#ids.get(spool.header.id) ?? (await this.#open(spool));
    await this.#sendLines(spool, id, lines);
    spool.acknowledge(end);
    return true;
  }

  async #open({ header }: SpoolFile): Promise<string> {
    const ask = { method: "POST", path: "/api/sessions", json: header.request } as const;
    const { id } = await this.#http.ask(ask, heldSession);
    this.#ids.set(header.id, id);
    return id;
  }

  /** All of them or none is how Plimsoll takes them: where it refuses, the halves are tried, down to the one record. */
  async #sendLines(spool: SpoolFile, id: string, lines: readonly string[]): Promise<void> {
    try {
      const path = `/api/sessions/${encodeURIComponent(id)}/events`;
      await this.#http.ask({ method: "POST", path, jsonText: `{"records":[${lines.join(",")}]}` }, ingestAnswer);
    } catch (error) {
      this.#ids.delete(spool.header.id);
      if (!isRefusal(error)) throw error;
      // A token that is not taken any more refuses everything: then this throws, and nothing is put aside.
      await this.#open(spool);
      if (lines.length === 1) return this.#onRefused(lines[0]!, error.message);
      const half = lines.length >> 1;
      await this.#sendLines(spool, id, lines.slice(0, half));
      await this.#sendLines(spool, id, lines.slice(half));
    }
  }
}

/** Something is wrong with a record. An address where nobody answers is not_found too: that passes. */
const isRefusal = (error: unknown): error is Error =>
  isAppError(error) && ["invalid", "conflict", "too_large"].includes(error.code);
