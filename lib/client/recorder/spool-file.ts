// The lines of one recorder on the disk, until Plimsoll has them. The file is a session file of ours (docs/formats/plimsoll.md):
// its first line is the header, which also says how far it was sent. What a killed process leaves, the next one sends.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";

/** Room for the header, so that the place up to which was sent is written where it stands. */
const HEADER_BYTES = 8192;

export type SpoolHeader = {
  readonly plimsoll: 1;
  readonly id: string;
  /** The session as it is asked for. */
  readonly request: object;
  /** Bytes of the file that Plimsoll has. */
  readonly sent: number;
};

/** Whole lines, and where each ends behind its newline. */
export type SpoolLines = { readonly bytes: Buffer; readonly ends: readonly number[] };
/** `end`: where they end in the file. */
export type SpoolChunk = SpoolLines & { readonly end: number };

export class SpoolFile {
  readonly path: string;
  readonly header: SpoolHeader;
  readonly #fd: number;
  #sent: number;
  #size: number;

  private constructor(path: string, fd: number, header: SpoolHeader, size: number) {
    this.path = path;
    this.#fd = fd;
    this.header = header;
    this.#sent = header.sent;
    this.#size = size;
  }

  /** A new file. Fails where one of this name is there. */
  static create(path: string, id: string, request: object): SpoolFile {
    const header = { plimsoll: 1, id, request, sent: HEADER_BYTES } as const;
    const line = headerLine(header);
    const fd = openSync(path, "wx+", 0o600);
    writeSync(fd, line, 0, line.length, 0);
    return new SpoolFile(path, fd, header, HEADER_BYTES);
  }

  /** What another process left; null for a file that is none of ours. A line that was cut off in the middle is not one. */
  static reopen(path: string): SpoolFile | null {
    const fd = openSync(path, "r+");
    const head = Buffer.alloc(HEADER_BYTES);
    try {
      readSync(fd, head, 0, HEADER_BYTES, 0);
      const header = JSON.parse(head.toString("utf8")) as SpoolHeader;
      const { size } = fstatSync(fd);
      // Killed between giving the room back and saying so: all of it arrived.
      const sent = Math.min(header.sent, size);
      if (header.plimsoll === 1 && typeof header.id === "string" && sent >= HEADER_BYTES)
        return new SpoolFile(path, fd, { ...header, sent }, size);
    } catch {
      // Not a header: somebody else's file, or one that was killed while it was made, with nothing in it.
    }
    closeSync(fd);
    return null;
  }

  /** Bytes that Plimsoll does not have yet. */
  get waitingBytes(): number {
    return this.#size - this.#sent;
  }

  /** Appends whole lines. Fails as the disk fails; the next try begins at the same place. */
  append(lines: string): void {
    const bytes = Buffer.from(lines);
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#size + done);
    this.#size += bytes.length;
  }

  /** The next lines to send: at most so many, and so many bytes unless the first alone is larger. */
  next(maxLines: number, maxBytes: number): SpoolChunk {
    for (let length = maxBytes; ; length *= 4) {
      const want = Math.min(length, this.waitingBytes);
      const bytes = Buffer.allocUnsafe(want);
      const got = readSync(this.#fd, bytes, 0, want, this.#sent);
      const ends: number[] = [];
      let at = 0;
      while (ends.length < maxLines) {
        const newline = bytes.indexOf(10, at);
        if (newline < 0 || newline >= got || (newline >= maxBytes && ends.length > 0)) break;
        at = newline + 1;
        ends.push(at);
      }
      if (ends.length > 0 || want === this.waitingBytes)
        return { bytes: bytes.subarray(0, at), ends, end: this.#sent + at };
    }
  }

  /** Notes that everything up to `end` arrived. An empty file gives its room back. */
  acknowledge(end: number): void {
    this.#sent = end;
    if (this.waitingBytes === 0) {
      ftruncateSync(this.#fd, HEADER_BYTES);
      this.#sent = HEADER_BYTES;
      this.#size = HEADER_BYTES;
    }
    const line = headerLine({ ...this.header, sent: this.#sent });
    writeSync(this.#fd, line, 0, line.length, 0);
  }

  /** Closes it; one of which everything arrived is removed. */
  close(isDone: boolean = this.waitingBytes === 0): void {
    closeSync(this.#fd);
    if (isDone) unlinkSync(this.path);
  }
}

/** Filled up with spaces, which JSON allows. */
function headerLine(header: SpoolHeader): Buffer {
  const line = Buffer.alloc(HEADER_BYTES, " ");
  const text = JSON.stringify(header);
  if (Buffer.byteLength(text) >= HEADER_BYTES)
    throw new RangeError(`The session's settings are over ${HEADER_BYTES} bytes as JSON. Give shorter ones.`);
  line.write(text);
  line[HEADER_BYTES - 1] = 10;
  return line;
}
