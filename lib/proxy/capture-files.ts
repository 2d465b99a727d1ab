// The files of captured requests: one for each conversation, a line for each exchange. Bytes that a request shares with an
// earlier one of its file are written once: a conversation of a thousand calls would be its own square.
import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { CAPTURE_ENDING, CAPTURE_FOLDER } from "#lib/kernel/captured-record.ts";
import type { CapturedBytes, CapturedExchange, CapturedHeader } from "#lib/kernel/captured-record.ts";
import { readAnswer } from "#lib/kernel/provider-answer.ts";
import { decoded, sharedEnds } from "./byte-copy.ts";
import { Conversations, messagesSince } from "./conversations.ts";
import type { Exchange } from "./proxy-server.ts";
import { readRequest } from "./read-request.ts";

export const captureFolder = (archiveDir: string): string => join(archiveDir, CAPTURE_FOLDER);

/** Earlier requests of a file that a new one is compared with: a session's own, its sub-agents' and its side questions' alternate. */
const BASES = 4;
/** Requests that are kept in memory for that, all files together. */
const BASE_BYTES = 64 * 1024 * 1024;
/** Every so many requests one is written whole, so that none is made of more parts. */
const WHOLE_EVERY = 32;

export type CaptureCounts = {
  exchanges: number;
  lost: number;
  cut: number;
  lastLoss: string | null;
  lastAt: number | null;
};

/** Each holds a descriptor. One that is opened again goes on with a whole request. */
const OPEN_FILES = 64;

type Base = { readonly number: number; readonly bytes: Buffer; readonly depth: number };

type CaptureFile = {
  readonly handle: FileHandle;
  /** Bytes of whole lines. */
  size: number;
  exchanges: number;
  readonly parts: Set<string>;
  bases: Base[];
};

export class CaptureFiles {
  readonly counts: CaptureCounts = { exchanges: 0, lost: 0, cut: 0, lastLoss: null, lastAt: null };
  readonly #dir: string;
  readonly #conversations = new Conversations();
  readonly #files = new Map<string, CaptureFile>();
  #last: Promise<void> = Promise.resolve();

  constructor(archiveDir: string) {
    this.#dir = captureFolder(archiveDir);
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
  }

  /** Writes an exchange after those before it. Never fails: what could not be written is counted, and reported by `counts`. */
  add(exchange: Exchange): Promise<void> {
    return (this.#last = this.#last
      .then(() => this.#write(exchange))
      .catch((error: unknown) => {
        this.counts.lost++;
        this.counts.lastLoss = (error as NodeJS.ErrnoException).code ?? String(error);
      }));
  }

  async close(): Promise<void> {
    await this.#last;
    for (const { handle } of this.#files.values()) await handle.close().catch(() => undefined);
    this.#files.clear();
  }

  async #write(exchange: Exchange): Promise<void> {
    const { api, path, requestHeaders: headers } = exchange;
    const notes = exchange.ended === null ? [] : [exchange.ended];
    const bytes = bodyOf(exchange.request.bytes, headers["content-encoding"], "request", notes);
    const body = bytes === null ? null : readRequest(bytes.toString("utf8"), { api, path, headers });
    if (bytes !== null && body === null) notes.push("The request is not JSON.");
    const { conversation, from } = this.#conversations.find(body ?? { session: null, messages: [] });
    const file = await this.#open(conversation.id, {
      captured: 1,
      id: conversation.id,
      at: exchange.at,
      agent: headers["user-agent"] ?? null,
      session: conversation.session,
    });
    const number = file.exchanges + 1;
    const parts = body?.parts ?? [];
    const newParts = [...new Map(parts.map((part) => [part.key, part])).values()].filter(
      ({ key }) => !file.parts.has(key),
    );
    const packed = bytes === null ? null : pack(bytes, file.bases);
    const text = bodyOf(exchange.answer.bytes, exchange.answerHeaders["content-encoding"], "answer", notes)?.toString();
    const line: CapturedExchange = {
      exchange: number,
      at: exchange.at,
      firstByteMs: exchange.firstByteMs === null ? null : round(exchange.firstByteMs),
      totalMs: round(exchange.totalMs),
      method: exchange.method,
      path,
      api,
      turn: body?.turn ?? null,
      purpose: body?.purpose ?? null,
      model: body?.model ?? null,
      headers: { ...headers },
      request: packed?.written ?? null,
      parts: body === null ? null : parts.map(({ key }) => key),
      newParts,
      messages: conversation.session === null ? (body === null ? [] : messagesSince(body.messages, from)) : [],
      answer: {
        status: exchange.status,
        headers: { ...exchange.answerHeaders },
        text: text ?? null,
        message: text === undefined ? null : readAnswer(text, api),
      },
      notes,
    };
    await append(file, line);
    file.exchanges = number;
    for (const { key } of newParts) file.parts.add(key);
    if (packed !== null) this.#keepBase(file, { number, bytes: bytes!, depth: packed.depth });
    this.counts.exchanges++;
    if (exchange.request.bytes === null || exchange.answer.bytes === null) this.counts.cut++;
    this.counts.lastAt = exchange.at;
  }

  async #open(id: string, header: CapturedHeader): Promise<CaptureFile> {
    const path = join(this.#dir, `${id}${CAPTURE_ENDING}`);
    const known = this.#files.get(id);
    // A person who removes the session takes the file away: what comes then begins a new one. Where another proxy has written of
    // the same session, numbers go on after its last.
    if (known !== undefined && (await sizeOf(path)) === known.size) return known;
    await known?.handle.close();
    // Opened to be read too: another proxy may have written its beginning.
    const handle = await open(path, "a+", 0o600);
    const { size } = await handle.stat();
    const { lines, isWhole } = await countLines(handle);
    const file: CaptureFile = { handle, size, exchanges: Math.max(0, lines - 1), parts: new Set(), bases: [] };
    // A process that was killed leaves a part of a line.
    if (!isWhole) await write(file, "\n");
    if (size === 0) await append(file, header);
    this.#files.set(id, file);
    await this.#closeOldest();
    return file;
  }

  async #closeOldest(): Promise<void> {
    const [oldest] = this.#files;
    if (this.#files.size <= OPEN_FILES || oldest === undefined) return;
    this.#files.delete(oldest[0]);
    await oldest[1].handle.close();
  }

  #keepBase(file: CaptureFile, base: Base): void {
    file.bases = [...file.bases, base].slice(-BASES);
    let held = [...this.#files.values()]
      .flatMap(({ bases }) => bases)
      .reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (const other of this.#files.values()) {
      if (held <= BASE_BYTES) break;
      if (other === file) continue;
      held -= other.bases.reduce((sum, { bytes }) => sum + bytes.length, 0);
      other.bases = [];
    }
  }
}

const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

/** How many lines there are, and whether the last of them is whole. */
async function countLines(handle: FileHandle): Promise<{ readonly lines: number; readonly isWhole: boolean }> {
  let lines = 0;
  let last = 10;
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false }))
    for (last of chunk as Buffer) if (last === 10) lines++;
  return { lines: last === 10 ? lines : lines + 1, isWhole: last === 10 };
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

/** A body without its coding; null, with a note, where it cannot be recorded. */
function bodyOf(
  bytes: Buffer | null,
  encoding: string | undefined,
  what: "request" | "answer",
  notes: string[],
): Buffer | null {
  if (bytes === null) {
    notes.push(`The ${what} was over 16 MB and was not recorded.`);
    return null;
  }
  const plain = decoded(bytes, encoding);
  if (plain === null) notes.push(`The ${what} could not be decoded (${encoding ?? "no coding"}).`);
  return plain;
}

/** The bytes, or what of them no earlier request has. */
function pack(bytes: Buffer, bases: readonly Base[]): { readonly written: CapturedBytes; readonly depth: number } {
  const sizes = { size: bytes.length, sha256: hash("sha256", bytes, "hex") };
  const best = bases
    .filter(({ depth }) => depth < WHOLE_EVERY)
    .map((base) => ({ base, ...sharedEnds(base.bytes, bytes) }))
    .toSorted((a, b) => b.head + b.tail - a.head - a.tail)[0];
  if (best === undefined || best.head + best.tail < bytes.length / 4)
    return { written: { base: null, head: 0, tail: 0, ...textOf(bytes), ...sizes }, depth: 0 };
  const middle = bytes.subarray(best.head, bytes.length - best.tail);
  return {
    written: { base: best.base.number, head: best.head, tail: best.tail, ...textOf(middle), ...sizes },
    depth: best.base.depth + 1,
  };
}

/** As text where that gives the same bytes back: a part of a request may begin or end within a character. */
function textOf(bytes: Buffer): Pick<CapturedBytes, "text" | "base64"> {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? { text } : { text: bytes.toString("base64"), base64: true };
}

const append = (file: CaptureFile, value: CapturedHeader | CapturedExchange): Promise<void> =>
  write(file, `${JSON.stringify(value)}\n`);

/** Appends a text, whole or not at all. */
async function write(file: CaptureFile, text: string): Promise<void> {
  const line = Buffer.from(text);
  try {
    let at = 0;
    while (at < line.length) at += (await file.handle.write(line, at)).bytesWritten;
    file.size += line.length;
  } catch (error) {
    await file.handle.truncate(file.size).catch(() => undefined);
    throw error;
  }
}
