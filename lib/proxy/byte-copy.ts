// A copy of what passes, up to a cap. The stream itself is never slowed or changed by it.
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** Of a request or an answer: a request of a million tokens has 4 MB. */
export const COPY_BYTES = 16 * 1024 * 1024;

export class ByteCopy {
  #chunks: Buffer[] = [];
  #size = 0;

  add(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= COPY_BYTES) this.#chunks.push(chunk);
    else this.#chunks = [];
  }

  get size(): number {
    return this.#size;
  }

  /** All bytes; null where they were more than the cap. */
  get bytes(): Buffer | null {
    return this.#size > COPY_BYTES ? null : Buffer.concat(this.#chunks);
  }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** The bytes under their content codings; null where a coding is not known, the bytes are broken, or more than the cap. */
export function decoded(bytes: Buffer, encoding: string | undefined): Buffer | null {
  const codings = (encoding ?? "").split(",").map((one) => one.trim().toLowerCase());
  try {
    return codings
      .filter((one) => one !== "" && one !== "identity")
      .reduceRight((under, one) => DECODERS[one]!(under, { maxOutputLength: COPY_BYTES }), bytes);
  } catch {
    return null;
  }
}

/** Lengths of what two byte strings begin and end with alike; the two never overlap. */
export function sharedEnds(before: Buffer, now: Buffer): { readonly head: number; readonly tail: number } {
  const most = Math.min(before.length, now.length);
  const head = longest(most, (n) => before.subarray(0, n).equals(now.subarray(0, n)));
  const tail = longest(most - head, (n) => before.subarray(before.length - n).equals(now.subarray(now.length - n)));
  return { head, tail };
}

/** The largest number that holds, of numbers that all hold up to some one. */
function longest(most: number, holds: (n: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
