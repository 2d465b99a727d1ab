// Standard input of jq: files read in pieces of 256 KiB (its C library asks for 1 KiB at a time), and texts, one after the
// other. Each ends with a newline, so that the last number of one and the first of the next are two; a byte order mark
// goes with its file, where jq would drop only the very first.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { JqSource } from "./job-types.ts";

const PIECE = 256 * 1024;
const NEWLINE = Uint8Array.of(10);
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export type JqBytes = {
  readonly sizeBytes: number;
  /** The largest of those that must fit into memory whole. */
  readonly wholeBytes: number;
  /** How far it has been read. */
  readonly readBytes: number;
  /** Fills the target as far as there are bytes; 0 at the end. */
  read(target: Uint8Array): number;
  close(): void;
};

type Opened = { readonly sizeBytes: number; next(): Uint8Array | null; close(): void };

export function bytesOf(sources: readonly JqSource[]): JqBytes {
  const opened: Opened[] = [];
  const close = (): void => opened.forEach((one) => one.close());
  try {
    for (const one of sources) opened.push(one.path === undefined ? openText(one.text) : openFile(one.path));
  } catch (error) {
    close();
    throw error;
  }
  const pieces = piecesOf(opened);
  const wholeSizes = opened.filter((_, i) => sources[i]!.isJsonLines !== true).map(({ sizeBytes }) => sizeBytes);
  let piece: Uint8Array = new Uint8Array(0);
  let readBytes = 0;
  return {
    sizeBytes: opened.reduce((sum, one) => sum + one.sizeBytes, 0),
    wholeBytes: Math.max(0, ...wholeSizes),
    get readBytes() {
      return readBytes;
    },
    read(target) {
      if (target.length === 0) return 0;
      if (piece.length === 0) piece = pieces.next().value ?? piece;
      const part = piece.subarray(0, target.length);
      target.set(part);
      piece = piece.subarray(part.length);
      readBytes += part.length;
      return part.length;
    },
    close,
  };
}

export const bytesOfText = (text: string): JqBytes => bytesOf([{ text }]);

function* piecesOf(opened: readonly Opened[]): Generator<Uint8Array, null> {
  for (const [i, one] of opened.entries()) {
    let last = -1;
    for (let piece = one.next(); piece !== null; piece = one.next()) {
      const isMarked = i > 0 && last === -1 && MARK.equals(piece.subarray(0, MARK.length));
      last = piece.at(-1) ?? last;
      if (piece.length > (isMarked ? MARK.length : 0)) yield isMarked ? piece.subarray(MARK.length) : piece;
    }
    if (i < opened.length - 1 && last !== -1 && last !== NEWLINE[0]) yield NEWLINE;
  }
  return null;
}

function openText(text: string): Opened {
  let bytes: Buffer | null = Buffer.from(text);
  return {
    sizeBytes: bytes.length,
    next() {
      const all = bytes;
      bytes = null;
      return all !== null && all.length > 0 ? all : null;
    },
    close: () => {},
  };
}

function openFile(path: string): Opened {
  const file = openSync(path, "r");
  const buffer = Buffer.alloc(PIECE);
  return {
    sizeBytes: fstatSync(file).size,
    next() {
      const length = readSync(file, buffer);
      return length === 0 ? null : buffer.subarray(0, length);
    },
    close: () => closeSync(file),
  };
}
