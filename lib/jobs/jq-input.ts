// Standard input of jq: a file read in pieces of 256 KiB (its C library asks for 1 KiB at a time), or bytes.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const PIECE = 256 * 1024;

export type JqBytes = {
  readonly sizeBytes: number;
  /** How far it has been read. */
  readonly readBytes: number;
  /** Fills the target as far as there are bytes; 0 at the end. */
  read(target: Uint8Array): number;
  close(): void;
};

export function bytesOfText(text: string): JqBytes {
  const bytes = Buffer.from(text);
  return source(
    bytes.length,
    (at) => (at < bytes.length ? bytes.subarray(at) : null),
    () => {},
  );
}

export function bytesOfFile(path: string): JqBytes {
  const file = openSync(path, "r");
  const buffer = Buffer.alloc(PIECE);
  const next = (): Buffer | null => {
    const length = readSync(file, buffer);
    return length === 0 ? null : buffer.subarray(0, length);
  };
  return source(fstatSync(file).size, next, () => closeSync(file));
}

function source(sizeBytes: number, next: (at: number) => Uint8Array | null, close: () => void): JqBytes {
  let piece: Uint8Array = new Uint8Array(0);
  let readBytes = 0;
  return {
    sizeBytes,
    get readBytes() {
      return readBytes;
    },
    read(target) {
      if (target.length === 0) return 0;
      if (piece.length === 0) piece = next(readBytes) ?? piece;
      const part = piece.subarray(0, target.length);
      target.set(part);
      piece = piece.subarray(part.length);
      readBytes += part.length;
      return part.length;
    },
    close,
  };
}
