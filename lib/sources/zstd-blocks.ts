// The lines of a compressed source. The bytes come once and in order, so a long line is held until it
// ends or passes the cap; past the cap what is held goes out and only its head is remembered.
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SourceRecord } from "#lib/kernel/draft.ts";
import type { Block } from "./line-reader.ts";
import { blockOfLines, bomBytes, oversizedRecord } from "./line-reader.ts";
import type { SourceHandle } from "./source-handle.ts";
import { inflate } from "./zstd.ts";

const LF = 0x0a;
const CR = 0x0d;

type Options = {
  readonly from: number;
  readonly line: number;
  readonly lineCap: number;
  readonly blockBytes: number;
  readonly final: boolean;
  readonly signal: AbortSignal | undefined;
};

/** Blocks of the decompressed bytes from `from`. Damage ends them with a block that only says why. */
export async function* zstdBlocks(handle: SourceHandle, options: Options): AsyncGenerator<Block> {
  const { lineCap, blockBytes } = options;
  const cutter = new Cutter(options.from, options.line, lineCap, blockBytes);
  let toSkip = options.from;
  const pieces = inflate(handle, blockBytes, options.signal);
  try {
    for (;;) {
      const next = await pieces.next();
      if (next.done) {
        // The line at which it stopped is not whole.
        if (next.value.end === "stopped") {
          yield* cutter.finish(false);
          yield { ...cutter.problem(next.value.reason), isStopped: true };
          return;
        }
        yield* cutter.finish(options.final || next.value.end === "damaged");
        if (next.value.end === "damaged" || (next.value.end === "cut" && options.final))
          yield cutter.problem(next.value.reason);
        return;
      }
      let piece = next.value;
      if (toSkip > 0) {
        const skipped = Math.min(toSkip, piece.length);
        toSkip -= skipped;
        piece = piece.subarray(skipped);
      }
      if (piece.length > 0) yield* cutter.add(piece);
    }
  } finally {
    await pieces.return({ end: "cut", at: 0, reason: "" });
  }
}

/** Cuts a flow of bytes, whose pieces come in any size, into blocks. */
class Cutter {
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** End of the last whole line inside what is held. */
  #cut = 0;
  #position: number;
  #line: number;
  readonly #lineCap: number;
  readonly #blockBytes: number;
  /** The line that passed the cap and has not ended yet. */
  #long: { start: number; head: Buffer; last: number } | null = null;

  constructor(from: number, line: number, lineCap: number, blockBytes: number) {
    this.#position = from;
    this.#line = line;
    this.#lineCap = lineCap;
    this.#blockBytes = blockBytes;
  }

  *add(given: Buffer): Generator<Block> {
    let piece = given;
    if (this.#long !== null) {
      const newline = piece.indexOf(LF);
      this.#hold(newline === -1 ? piece : piece.subarray(0, newline + 1));
      if (newline !== -1) yield* this.#endLong(true);
      else if (this.#heldBytes >= this.#blockBytes) yield* this.#release(null);
      piece = newline === -1 ? piece.subarray(piece.length) : piece.subarray(newline + 1);
    }
    if (piece.length === 0) return;
    const newline = piece.lastIndexOf(LF);
    if (newline !== -1) this.#cut = this.#heldBytes + newline + 1;
    this.#hold(piece);
    if (this.#cut > 0 && this.#heldBytes >= this.#blockBytes) yield* this.#lines();
    // A cap below the head's length lets the line grow to it: the head is shown whole.
    if (this.#cut === 0 && this.#heldBytes > Math.max(this.#lineCap, LIMITS.oversizedHeadBytes + 3) + 1) {
      this.#long = { start: this.#position, head: this.#headOfHeld(), last: 0 };
      yield* this.#release(null);
    }
  }

  /** What is left at the end; a line without its newline only when nothing more will come. */
  *finish(isFinal: boolean): Generator<Block> {
    if (this.#cut > 0) yield* this.#lines();
    if (this.#long !== null) yield* this.#endLong(false);
    else if (isFinal && this.#heldBytes > 0) {
      this.#cut = this.#heldBytes;
      yield* this.#lines();
    }
  }

  problem(reason: string): Block {
    const at = this.#position;
    return { byteStart: at, byteEnd: at, bytes: new Uint8Array(0), records: [], nextLine: this.#line, problem: reason };
  }

  #hold(piece: Buffer): void {
    this.#held.push(piece);
    this.#heldBytes += piece.length;
  }

  *#lines(): Generator<Block> {
    const all = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    const rest = all.subarray(this.#cut);
    const cut = this.#cut;
    this.#held = rest.length === 0 ? [] : [rest];
    this.#heldBytes = rest.length;
    this.#cut = 0;
    for (let from = 0; from < cut;) {
      const block = blockOfLines(all.subarray(from, cut), this.#position, this.#line, this.#lineCap);
      this.#position = block.byteEnd;
      this.#line = block.nextLine;
      from += block.bytes.length;
      yield block;
    }
  }

  *#endLong(hasNewline: boolean): Generator<Block> {
    const { start, head, last } = this.#long!;
    const stop = this.#position + this.#heldBytes - (hasNewline ? 1 : 0);
    const tail = Buffer.concat([Buffer.of(last), ...this.#held.slice(-2)]);
    const end = tail.at(hasNewline ? -2 : -1) === CR ? stop - 1 : stop;
    const bom = start === 0 ? bomBytes(head) : 0;
    yield* this.#release(oversizedRecord(head.subarray(bom), start + bom, end, this.#line));
    this.#long = null;
  }

  /** The first bytes of the held line: its head, and room for a byte order mark. */
  #headOfHeld(): Buffer {
    const head = Buffer.alloc(Math.min(this.#heldBytes, LIMITS.oversizedHeadBytes + 3));
    let filled = 0;
    for (const piece of this.#held) {
      if (filled === head.length) break;
      filled += piece.copy(head, filled);
    }
    return head;
  }

  /** Sends out what is held of a long line, in blocks of the usual size; `record` goes with the last. */
  *#release(record: SourceRecord | null): Generator<Block> {
    const pieces = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    let group: Buffer[] = [];
    let groupBytes = 0;
    for (const [index, piece] of pieces.entries()) {
      group.push(piece);
      groupBytes += piece.length;
      const isLast = index === pieces.length - 1;
      if (!isLast && groupBytes < this.#blockBytes) continue;
      const bytes = group.length === 1 ? piece : Buffer.concat(group);
      const byteStart = this.#position;
      this.#position += bytes.length;
      this.#long!.last = bytes[bytes.length - 1]!;
      const ends = isLast && record !== null;
      if (ends) this.#line++;
      yield { byteStart, byteEnd: this.#position, bytes, records: ends ? [record] : [], nextLine: this.#line };
      group = [];
      groupBytes = 0;
    }
    // The line ended exactly where the last block did.
    if (record !== null && pieces.length === 0) {
      this.#line++;
      const at = this.#position;
      yield { byteStart: at, byteEnd: at, bytes: new Uint8Array(0), records: [record], nextLine: this.#line };
    }
  }
}
