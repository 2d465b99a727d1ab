// Only the newest K tool results stay whole; older ones are masked, at the latest when that frees H tokens at once.
// When they go does not depend on what is read back: a share of readings must not make a policy look cheaper.
export const MASKED_TOKENS = 20;

type Result = { readonly place: number; readonly frees: number };

export class Masking {
  readonly #keep: number;
  readonly #hysteresis: number;
  readonly #results: Result[] = [];
  readonly #at = new Map<number, number>();
  /** Results before `#masked` are masked or gone; those before `#newest` are older than the newest K. */
  #masked = 0;
  #newest = 0;
  /** Of those from `#newest` on, the ones that are still there. */
  #present = 0;
  /** What masking the ones between would free. */
  #frees = 0;

  constructor(keep: number, hysteresis: number) {
    this.#keep = keep;
    this.#hysteresis = hysteresis;
  }

  /** A result came in. `tokens`: without what is read back of it. */
  enter(place: number, tokens: number): void {
    this.#at.set(place, this.#results.length);
    this.#results.push({ place, frees: Math.max(0, tokens - MASKED_TOKENS) });
    this.#present += 1;
  }

  leave(place: number): void {
    const at = this.#at.get(place);
    if (at === undefined) return;
    this.#at.delete(place);
    if (at >= this.#newest) this.#present -= 1;
    else if (at >= this.#masked) this.#frees -= this.#results[at]!.frees;
  }

  /** Places to be masked before this call, in order; mostly none. */
  due(): readonly number[] {
    while (this.#present > this.#keep) {
      const { place, frees } = this.#results[this.#newest]!;
      if (this.#at.has(place)) {
        this.#present -= 1;
        this.#frees += frees;
      }
      this.#newest += 1;
    }
    if (this.#frees <= 0 || this.#frees < this.#hysteresis) return [];
    const due = [];
    for (; this.#masked < this.#newest; this.#masked += 1) {
      const { place, frees } = this.#results[this.#masked]!;
      if (!this.#at.delete(place)) continue;
      if (frees > 0) due.push(place);
    }
    this.#frees = 0;
    return due;
  }
}
