/** What the messages held and the request does not, and why. */
export type LeftOut = { readonly what: string; readonly why: string; readonly count: number };

/** Counts what is left out, by kind and reason. */
export class Notes {
  readonly #counts = new Map<string, { what: string; why: string; count: number }>();

  leaveOut(what: string, why: string): void {
    const key = `${what} ${why}`;
    const found = this.#counts.get(key);
    if (found === undefined) this.#counts.set(key, { what, why, count: 1 });
    else found.count++;
  }

  get all(): readonly LeftOut[] {
    return [...this.#counts.values()];
  }
}
