// How many different keys an object of a stream has. Keys are told apart by 53 bits of hash; past MOST the keys are
// counted as they come, so that a document with its data in keys takes 16 MB and not its own size.

const LINEAR = 16;
const MOST = 1 << 20;

export class KeySet {
  size = 0;
  #few = new Float64Array(LINEAR);
  #slots: Float64Array | null = null;

  clear(): void {
    this.size = 0;
    this.#slots = null;
  }

  /** Adds a key by its hash; false when it was there. */
  add(hash: number): boolean {
    if (this.#slots === null) {
      for (let i = 0; i < this.size; i++) if (this.#few[i] === hash) return false;
      if (this.size < LINEAR) {
        this.#few[this.size++] = hash;
        return true;
      }
      this.#slots = tableOf(this.#few, LINEAR * 8);
    }
    if (this.size < MOST) {
      if (!put(this.#slots, hash)) return false;
      this.size++;
      if (this.size * 2 > this.#slots.length && this.size < MOST)
        this.#slots = tableOf(this.#slots, this.#slots.length * 4);
      return true;
    }
    this.size++;
    return true;
  }
}

/** Open addressing; 0 is an empty slot (hashOf never gives 0). */
function put(slots: Float64Array, hash: number): boolean {
  const mask = slots.length - 1;
  for (let at = hash % slots.length; ; at = (at + 1) & mask) {
    if (slots[at] === 0) {
      slots[at] = hash;
      return true;
    }
    if (slots[at] === hash) return false;
  }
}

function tableOf(hashes: Float64Array, length: number): Float64Array {
  const slots = new Float64Array(length);
  for (const hash of hashes) if (hash !== 0) put(slots, hash);
  return slots;
}

/** 53 bits of a key's bytes and length, never 0: two 32-bit lanes, so that a million keys rarely meet. */
export function hashOf(bytes: Uint8Array, from: number, to: number, length: number): number {
  let a = 0x811c9dc5 | 0;
  let b = length | 0;
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    a = Math.imul(a ^ byte, 0x01000193);
    b = Math.imul(b + byte, 0x85ebca6b) ^ (b >>> 13);
  }
  return (a >>> 0) * 0x200000 + ((b ^ (a >>> 15)) >>> 11) + 1;
}
