// Agents clear old results by themselves: from a trigger on, the oldest first, until so much is free, the newest K and the
// results of some tools left whole. When they go does not depend on what is read back: a share of readings must not make a
// policy look cheaper.
export const MASKED_TOKENS = 20;

export type ClearingRule = {
  /** The newest results, which stay whole. */
  readonly keep: number;
  /** It waits until it frees so many tokens at once. */
  readonly atLeast: number;
  /** Prompt tokens from which it happens; null: whatever the prompt is. */
  readonly trigger: number | null;
  /** It goes from the oldest until so many tokens are free; null: all but the newest. */
  readonly free: number | null;
  /** Results of these tools are left alone. */
  readonly keepTools: ReadonlySet<string>;
  /** Number of the first call before which it may happen. */
  readonly fromCall: number;
};

type Result = { readonly position: number; readonly frees: number };

export class Masking {
  readonly #rule: ClearingRule;
  readonly #results: Result[] = [];
  readonly #at = new Map<number, number>();
  /** Results before `#masked` are masked or gone; those before `#newest` are older than the newest K. */
  #masked = 0;
  #newest = 0;
  /** Of those from `#newest` on, the ones that are still there. */
  #present = 0;
  /** What masking the ones between would free. */
  #frees = 0;

  constructor(rule: ClearingRule) {
    this.#rule = rule;
  }

  /** A result came in. `tokens`: without what is read back of it. */
  enter(position: number, tokens: number, toolName: string | null): void {
    if (toolName !== null && this.#rule.keepTools.has(toolName)) return;
    this.#at.set(position, this.#results.length);
    this.#results.push({ position, frees: Math.max(0, tokens - MASKED_TOKENS) });
    this.#present += 1;
  }

  leave(position: number): void {
    const at = this.#at.get(position);
    if (at === undefined) return;
    this.#at.delete(position);
    if (at >= this.#newest) this.#present -= 1;
    else if (at >= this.#masked) this.#frees -= this.#results[at]!.frees;
  }

  /** Positions to be masked before a call whose prompt is so large, in order; mostly none. */
  due(call: number, prompt: number): readonly number[] {
    const { keep, atLeast, trigger, free, fromCall } = this.#rule;
    while (this.#present > keep) {
      const { position, frees } = this.#results[this.#newest]!;
      if (this.#at.has(position)) {
        this.#present -= 1;
        this.#frees += frees;
      }
      this.#newest += 1;
    }
    if (call < fromCall || (trigger !== null && prompt < trigger)) return [];
    if (this.#frees <= 0 || this.#frees < atLeast) return [];
    const due = [];
    const enough = free ?? Infinity;
    let freed = 0;
    for (; this.#masked < this.#newest && freed < enough; this.#masked += 1) {
      const { position, frees } = this.#results[this.#masked]!;
      if (!this.#at.delete(position)) continue;
      if (frees > 0) due.push(position);
      freed += frees;
    }
    this.#frees -= freed;
    return due;
  }
}
