/**
 * Streams what an agent does to a running Plimsoll. A record goes into a file first, ten milliseconds later at most, and
 * leaves it when Plimsoll has it: while Plimsoll is away it waits there, and what a killed process left is sent by the next
 * one. Each has an identity of its own, so that what is sent again is not stored again. Nothing here throws into a loop.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import type { CreateSessionRequest } from "#lib/wire/held-schema.ts";
import type { RemoteOptions } from "../remote-http.ts";
import { RecordSender } from "./record-sender.ts";
import type { CallRecord, EventRecord } from "./record-types.ts";
import type { SpoolFile } from "./spool-file.ts";
import { adoptSpools, closeSpool, createSpool, defaultSpoolDir, openSpoolFolder } from "./spool-folder.ts";

export type RecorderOptions = RemoteOptions & {
  /** The session that the records are of, as for `createSession`; a new one when its `id` is absent. */
  readonly session?: CreateSessionRequest;
  /** Where records wait; `spool` in the data folder when absent. */
  readonly spool?: string;
  /** Told once for each thing that goes wrong, in a sentence. */
  readonly onProblem?: (message: string) => void;
};

export type RecorderStats = {
  /** Records given. */
  readonly recorded: number;
  /** Bytes that Plimsoll does not have yet, in the file and in memory. */
  readonly waitingBytes: number;
  /** Records that Plimsoll refused; they are in `refused.jsonl` of the spool folder, with the reason. */
  readonly refused: number;
};

const WRITE_MS = 10;
/** Characters in memory after which they are written at once. */
const WRITE_CHARS = 1_000_000;
const RETRY_MS = { first: 100, most: 5000 } as const;

export class Recorder {
  /** The agent's own name of the session, for `createSession`. */
  readonly sessionId: string;
  readonly #folder: string;
  readonly #spool: SpoolFile;
  readonly #sender: RecordSender;
  readonly #onProblem: (message: string) => void;
  readonly #run = randomUUID();
  #lines: string[] = [];
  #chars = 0;
  #recorded = 0;
  #refused = 0;
  #problem = "";
  #timer: NodeJS.Timeout | null = null;
  #sending: Promise<void> | null = null;
  #left: SpoolFile[];
  #isClosed = false;
  #closing: Promise<boolean> | null = null;
  readonly #atExit = (): void => void this.#write();
  /** Ends a wait between two tries. */
  #wake: () => void = () => {};

  constructor(options: RecorderOptions) {
    const { session = {}, spool = defaultSpoolDir(), onProblem = () => {}, ...remote } = options;
    this.sessionId = session.id ?? randomUUID();
    this.#onProblem = onProblem;
    this.#sender = new RecordSender(remote, (line, reason) => this.#refuse(line, reason));
    this.#folder = openSpoolFolder(spool, remote.url);
    this.#left = adoptSpools(this.#folder);
    this.#spool = createSpool(this.#folder, this.sessionId, { ...session, id: this.sessionId });
    process.on("exit", this.#atExit);
    if (this.#left.length > 0) this.#send();
  }

  get stats(): RecorderStats {
    const waitingBytes =
      this.#left.reduce((sum, one) => sum + one.waitingBytes, this.#spool.waitingBytes) + this.#chars;
    return { recorded: this.#recorded, waitingBytes, refused: this.#refused };
  }

  /** Notes an event or a model call. Returns at once, and never throws. */
  record(given: EventRecord | CallRecord): void {
    if (this.#isClosed) return this.#tell("The recorder is closed. Records that come now are dropped.");
    const line = lineOf(given, `${this.#run}:${this.#recorded++}`);
    this.#lines.push(line);
    this.#chars += line.length + 1;
    if (this.#chars > WRITE_CHARS) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), WRITE_MS).unref();
  }

  /** Waits until Plimsoll has everything. False when it has not within `timeoutMs`: the rest is in the file. */
  async flush(timeoutMs = 30_000): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    for (this.#write(); this.stats.waitingBytes > 0; this.#write()) {
      const rest = until - Date.now();
      if (this.#isClosed || rest <= 0) return false;
      this.#wake();
      this.#send();
      await Promise.race([this.#sending, wait(Math.min(rest, RETRY_MS.first))]);
    }
    return true;
  }

  /** Flushes, and ends. What Plimsoll does not have by then is sent by the next recorder of this folder. */
  close(timeoutMs = 5000): Promise<boolean> {
    return (this.#closing ??= this.#close(timeoutMs));
  }

  async #close(timeoutMs: number): Promise<boolean> {
    await this.flush(timeoutMs);
    this.#isClosed = true;
    // Records that came since then.
    this.#write();
    const isSent = this.stats.waitingBytes === 0;
    this.#sender.stop();
    this.#wake();
    await this.#sending;
    process.off("exit", this.#atExit);
    for (const one of [...this.#left, this.#spool]) closeSpool(one);
    return isSent;
  }

  /** Memory to the file. Where the disk takes nothing it stays in memory until the next try. */
  #write(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#lines.length === 0) return;
    try {
      this.#spool.append(`${this.#lines.join("\n")}\n`);
      this.#lines = [];
      this.#chars = 0;
    } catch (error) {
      this.#tell(`Records cannot be written to ${this.#spool.path}: ${textOfError(error)}. They wait in memory.`);
      if (!this.#isClosed) this.#timer = setTimeout(() => this.#write(), RETRY_MS.most).unref();
      return;
    }
    this.#send();
  }

  /** Sends until nothing waits. One at a time: the order of the records is that of the log. */
  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
      if (!this.#isClosed && this.#spool.waitingBytes > 0) this.#send();
    });
  }

  async #sendAll(): Promise<void> {
    let pause: number = RETRY_MS.first;
    while (!this.#isClosed) {
      const from = this.#left[0] ?? this.#spool;
      try {
        const hasSent = await this.#sender.sendSome(from);
        pause = RETRY_MS.first;
        if (!hasSent && from === this.#spool) return;
        if (!hasSent) closeSpool(this.#left.shift()!, true);
      } catch (error) {
        if (this.#isClosed) return;
        this.#tell(`Records wait in ${from.path}: ${textOfError(error)}`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          setTimeout(resolve, pause).unref();
        });
        pause = Math.min(pause * 2, RETRY_MS.most);
      }
    }
  }

  /** A record that Plimsoll will never take stands in nobody's way, and is not lost either. */
  #refuse(line: string, reason: string): void {
    this.#refused++;
    const path = join(this.#folder, "refused.jsonl");
    appendFileSync(path, `{"reason":${JSON.stringify(reason)},"record":${line}}\n`, { mode: 0o600 });
    this.#tell(`Plimsoll refused a record: ${reason} It is in ${path}.`);
  }

  /** Each problem once, until another one comes. */
  #tell(message: string): void {
    if (message === this.#problem) return;
    this.#problem = message;
    try {
      this.#onProblem(message);
    } catch (error) {
      console.error(`onProblem failed: ${textOfError(error)}. It was told: ${message}`);
    }
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
const textOfError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is no JSON (a circular input, a BigInt) is told as text. */
function lineOf(given: EventRecord | CallRecord, uuid: string): string {
  const ts = given.ts ?? new Date().toISOString();
  if (given.record === "call") return JSON.stringify({ ...given, ts });
  const whole = { ...given, uuid: given.uuid ?? uuid, ts };
  try {
    return JSON.stringify(whole);
  } catch {
    const { body } = given;
    const input = "input" in body ? { input: textOfValue(body.input) } : {};
    return JSON.stringify({ ...whole, body: { ...body, ...input } });
  }
}
