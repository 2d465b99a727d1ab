// A map that forgets what was set longest ago.

export class RecentMap<V> {
  readonly #most: number;
  readonly #values = new Map<string, V>();

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value!);
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  /** The value of the last of these keys that has one. */
  latest(keys: readonly string[]): V | undefined {
    const key = keys.findLast((one) => this.#values.has(one));
    return key === undefined ? undefined : this.#values.get(key);
  }
}
