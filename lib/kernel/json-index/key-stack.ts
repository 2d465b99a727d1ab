// Which keys stand twice in an object: the hashes of the keys of all open objects, those of the innermost on top.

/** Keys at a time, 32 MB; objects past it are not looked through. */
const MOST_KEYS = 4_000_000;
/** Up to this many each is compared with each, which is faster than sorting. */
const FEW = 24;
/** Keys of one object that are remembered as standing twice. */
const MOST_SAME = 10_000;

export class KeyStack {
  #hashes = new Float64Array(1024);
  #top = 0;
  readonly #bases: number[] = [];
  /** Objects that had more keys than there was room for were not looked through. */
  isFull = false;

  open(): void {
    this.#bases.push(this.#top);
  }

  push(hash: number): void {
    if (this.#top === this.#hashes.length) {
      if (this.#top >= MOST_KEYS) {
        this.isFull = true;
        return;
      }
      const larger = new Float64Array(this.#top * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#top++] = hash;
  }

  /** Ends the innermost object; its keys that stand in it more than once, or null. */
  close(): ReadonlySet<number> | null {
    const base = this.#bases.pop() ?? 0;
    const top = this.#top;
    this.#top = base;
    if (top - base < 2) return null;
    return top - base <= FEW ? compared(this.#hashes, base, top) : sorted(this.#hashes.slice(base, top));
  }

  clear(): void {
    this.#top = 0;
    this.#bases.length = 0;
  }
}

function compared(hashes: Float64Array, base: number, top: number): ReadonlySet<number> | null {
  let same: Set<number> | null = null;
  for (let one = base + 1; one < top; one++)
    for (let other = base; other < one; other++)
      if (hashes[one] === hashes[other]) (same ??= new Set()).add(hashes[one]!);
  return same;
}

function sorted(hashes: Float64Array): ReadonlySet<number> | null {
  hashes.sort();
  let same: Set<number> | null = null;
  for (let at = 1; at < hashes.length; at++)
    if (hashes[at] === hashes[at - 1]) {
      (same ??= new Set()).add(hashes[at]!);
      if (same.size >= MOST_SAME) break;
    }
  return same;
}
