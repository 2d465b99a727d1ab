// The entries of a tar archive, in the order of its bytes: ustar, with the long names of GNU tar and the paths and sizes of pax.
// Names are only names here; nothing is written to where they lead. What is no regular file has its kind and no bytes.
import { fail } from "#lib/kernel/errors.ts";

export type TarEntry = {
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly isFile: boolean;
  /** Its bytes, once and before the next entry; what is not taken is skipped. */
  read(): AsyncGenerator<Uint8Array>;
};

const BLOCK = 512;
/** Long names and extended headers are small; a larger one is damage. */
const EXTENDED_BYTES = 1024 * 1024;

/** True for a block that begins a tar archive: its checksum is right. */
export function isTarHeader(block: Uint8Array): boolean {
  if (block.length < BLOCK || block[0] === 0) return false;
  let sum = 0;
  for (let at = 0; at < BLOCK; at++) sum += at >= 148 && at < 156 ? 0x20 : block[at]!;
  return sum === numberAt(block, 148, 8);
}

export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source);
  let longName: string | null = null;
  let pax = new Map<string, string>();
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.length < BLOCK || header.every((byte) => byte === 0)) return;
    if (!isTarHeader(header)) fail("invalid", "A header of the archive is damaged. The entries before it were read.");
    const type = String.fromCharCode(header[156]!);
    const size = Number(pax.get("size") ?? numberAt(header, 124, 12));
    if (!Number.isSafeInteger(size) || size < 0) fail("invalid", "An entry of the archive has no valid size.");
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (type === "L" || type === "x" || type === "g" || type === "K") {
      if (size > EXTENDED_BYTES) fail("invalid", "A header of the archive is too long.");
      const text = new TextDecoder().decode(await bytes.take(size));
      await bytes.skip(padding);
      if (type === "L") longName = text.replace(/\0.*$/s, "");
      if (type === "x") pax = recordsOf(text);
      continue;
    }
    const prefix = textAt(header, 257, 5) === "ustar" ? textAt(header, 345, 155) : "";
    const plain = textAt(header, 0, 100);
    let left = size;
    yield {
      name: pax.get("path") ?? longName ?? (prefix === "" ? plain : `${prefix}/${plain}`),
      size,
      mtimeMs: Number(pax.get("mtime") ?? numberAt(header, 136, 12)) * 1000,
      isFile: type === "0" || type === "\0" || type === "7",
      async *read() {
        while (left > 0) {
          const piece = await bytes.some(left);
          if (piece.length === 0) fail("invalid", "The archive ends inside an entry.");
          left -= piece.length;
          yield piece;
        }
      },
    };
    await bytes.skip(left + padding);
    longName = null;
    pax = new Map();
  }
}

/** `LENGTH KEY=VALUE\n` records. */
function recordsOf(text: string): Map<string, string> {
  const records = new Map<string, string>();
  for (const line of text.split("\n")) {
    const found = /^\d+ ([^=]+)=(.*)$/s.exec(line);
    if (found !== null) records.set(found[1]!, found[2]!);
  }
  return records;
}

function textAt(block: Uint8Array, at: number, length: number): string {
  const end = block.subarray(at, at + length).indexOf(0);
  return new TextDecoder().decode(block.subarray(at, end < 0 ? at + length : at + end));
}

/** Octal text, or base 256 where the first bit is set. */
function numberAt(block: Uint8Array, at: number, length: number): number {
  if ((block[at]! & 0x80) !== 0) {
    let value = block[at]! & 0x7f;
    for (let i = 1; i < length; i++) value = value * 256 + block[at + i]!;
    return value;
  }
  return Number.parseInt(textAt(block, at, length).trim() || "0", 8);
}

/** A flow of bytes, taken by number. */
class Bytes {
  readonly #source: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** At least one and at most `most` bytes; none at the end. */
  async some(most: number): Promise<Uint8Array> {
    while (this.#held.length === 0) {
      const next = await this.#source.next();
      if (next.done === true) return this.#held;
      this.#held = next.value;
    }
    const piece = this.#held.subarray(0, most);
    this.#held = this.#held.subarray(piece.length);
    return piece;
  }

  /** Fewer only at the end. */
  async take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for (let left = length; left > 0;) {
      const piece = await this.some(left);
      if (piece.length === 0) break;
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0;) {
      const piece = await this.some(left);
      if (piece.length === 0) return;
      left -= piece.length;
    }
  }
}
