// Two prompts side by side, item by item: the recorded one, and the one that another policy would have sent. Which part of
// it the cache held is asked by position: what the recorded call read up to an item is read up to that item here too.
import type { LedgerItem } from "../ledger-types.ts";
import { PositionSums } from "./position-sums.ts";

/** What stands at the front of every prompt, and nothing cuts away. */
export const isHiddenPrefix = (item: LedgerItem): boolean => item.kind === "prefix" && item.isHidden;

export class PromptPositions {
  /** Tokens of each item in the call that is looked at; 0 where it is not there. */
  readonly recorded: Float64Array;
  readonly predicted: Float64Array;
  /** Predicted minus recorded tokens of all items. */
  change = 0;
  /** Tokens of the hidden prefix. */
  recordedPrefix = 0;
  prefix = 0;
  /** A summary of a compaction of our own, right behind the prefix. */
  summary = 0;
  readonly #isPrefix: Uint8Array;
  readonly #recorded: PositionSums;
  readonly #change: PositionSums;
  /** What is recorded, without and with what was taken out unseen (negative items). */
  #whole = 0;
  #signed = 0;

  constructor(items: readonly LedgerItem[]) {
    this.recorded = new Float64Array(items.length);
    this.predicted = new Float64Array(items.length);
    this.#isPrefix = Uint8Array.from(items, (item) => Number(isHiddenPrefix(item)));
    this.#recorded = new PositionSums(items.length);
    this.#change = new PositionSums(items.length);
  }

  set(position: number, recorded: number, predicted: number): void {
    const { recorded: was, predicted: wouldBe } = this;
    const whole = Math.max(0, recorded) - Math.max(0, was[position]!);
    if (whole !== 0) this.#recorded.add(position, whole);
    this.#whole += whole;
    this.#signed += recorded - was[position]!;
    if (this.#isPrefix[position] === 1) {
      this.recordedPrefix += recorded - was[position]!;
      this.prefix += predicted - wouldBe[position]!;
    }
    // Most items are the same in both, and cost nothing here.
    const by = predicted - recorded - (wouldBe[position]! - was[position]!);
    if (by !== 0) {
      this.change += by;
      this.#change.add(position, by);
    }
    was[position] = recorded;
    wouldBe[position] = predicted;
  }

  predict(position: number, tokens: number): void {
    if (tokens !== this.predicted[position]) this.set(position, this.recorded[position]!, tokens);
  }

  /** Predicted tokens before an item. */
  offsetOf(position: number): number {
    return this.#recorded.before(position) * this.#scale() + this.#change.before(position) + this.summary;
  }

  /**
   * Of the predicted prompt, the part that the cache held when it held `read` tokens of the recorded one. `offTools` is what
   * the prefix lost at its front, where tools stand.
   */
  cachedPart(read: number, offTools: number): number {
    if (read <= this.recordedPrefix) return Math.min(Math.max(0, read - offTools), this.prefix);
    const { position, into } = this.#recorded.find(read / this.#scale());
    const own = this.recorded[position] ?? 0;
    const share = own > 0 ? Math.min(1, into / own) : 0;
    const straddled = share === 0 ? 0 : share * (this.predicted[position]! - own);
    // All of the prefix was read, whatever negative items take out behind it.
    return Math.max(this.prefix, read + this.#change.before(position) + straddled + this.summary);
  }

  /** Negative items have no position of their own: the others are pressed together by what those took out. */
  #scale(): number {
    return this.#signed > 0 ? this.#signed / this.#whole : 1;
  }
}
