// Whose turn it is to write. A connection has one transaction, and a barrier is awaited inside it: writers of one process
// go one after the other, first come first served. An import passes its turn on at each of its commits.

const SHARED_MS = 2000;

export class WriteLock {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  #wantedAt = Number.NEGATIVE_INFINITY;

  /** Somebody waits for this turn to end. */
  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Somebody waited for it a moment ago: more will come. */
  get isShared(): boolean {
    return performance.now() - this.#wantedAt < SHARED_MS;
  }

  async take(): Promise<void> {
    if (this.#isTaken) {
      this.#wantedAt = performance.now();
      await new Promise<void>((resume) => this.#waiting.push(resume));
    }
    this.#isTaken = true;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#isTaken = false;
    else next();
  }

  /** Lets those who wait go first. */
  async pass(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const mine = new Promise<void>((resume) => this.#waiting.push(resume));
    this.give();
    await mine;
  }
}
