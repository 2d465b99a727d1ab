// Two prompts side by side, item by item: the recorded one, and the one that another policy would have sent. Which part of
// it the cache held is asked by place: what the recorded call read up to an item is read up to that item here too.
import type { LedgerItem } from "../ledger-types.ts";
import { Places } from "./item-places.ts";

/** What stands at the front of every prompt, and nothing cuts away. */
export const isHiddenPrefix = (item: LedgerItem): boolean => item.kind === "prefix" && item.isHidden;

export class PromptPlaces {
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
  readonly #recorded: Places;
  readonly #change: Places;
  /** What is recorded, without and with what was taken out unseen (negative items). */
  #whole = 0;
  #signed = 0;

  constructor(items: readonly LedgerItem[]) {
    this.recorded = new Float64Array(items.length);
    this.predicted = new Float64Array(items.length);
    this.#isPrefix = Uint8Array.from(items, (item) => Number(isHiddenPrefix(item)));
    this.#recorded = new Places(items.length);
    this.#change = new Places(items.length);
  }

  set(place: number, recorded: number, predicted: number): void {
    const { recorded: was, predicted: wouldBe } = this;
    const whole = Math.max(0, recorded) - Math.max(0, was[place]!);
    if (whole !== 0) this.#recorded.add(place, whole);
    this.#whole += whole;
    this.#signed += recorded - was[place]!;
    if (this.#isPrefix[place] === 1) {
      this.recordedPrefix += recorded - was[place]!;
      this.prefix += predicted - wouldBe[place]!;
    }
    // Most items are the same in both, and cost nothing here.
    const by = predicted - recorded - (wouldBe[place]! - was[place]!);
    if (by !== 0) {
      this.change += by;
      this.#change.add(place, by);
    }
    was[place] = recorded;
    wouldBe[place] = predicted;
  }

  predict(place: number, tokens: number): void {
    if (tokens !== this.predicted[place]) this.set(place, this.recorded[place]!, tokens);
  }

  /** Predicted tokens before an item. */
  offsetOf(place: number): number {
    return this.#recorded.before(place) * this.#scale() + this.#change.before(place) + this.summary;
  }

  /**
   * Of the predicted prompt, the part that the cache held when it held `read` tokens of the recorded one. `offTools` is what
   * the prefix lost at its front, where tools stand.
   */
  cachedPart(read: number, offTools: number): number {
    if (read <= this.recordedPrefix) return Math.min(Math.max(0, read - offTools), this.prefix);
    const { place, into } = this.#recorded.find(read / this.#scale());
    const own = this.recorded[place] ?? 0;
    const share = own > 0 ? Math.min(1, into / own) : 0;
    const straddled = share === 0 ? 0 : share * (this.predicted[place]! - own);
    // All of the prefix was read, whatever negative items take out behind it.
    return Math.max(this.prefix, read + this.#change.before(place) + straddled + this.summary);
  }

  /** Negative items have no place of their own: the others are pressed together by what those took out. */
  #scale(): number {
    return this.#signed > 0 ? this.#signed / this.#whole : 1;
  }
}
