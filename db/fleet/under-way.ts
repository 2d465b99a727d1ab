// Questions that were put and have no answer yet: what learns that none will come tells all who wait.

export class UnderWay {
  readonly #waiting = new Set<(error: Error) => void>();

  /** The answer, or the error that all are ended with before it. */
  ask<T>(run: () => Promise<T>): Promise<T> {
    return new Promise((done, failed) => {
      this.#waiting.add(failed);
      run()
        .then(done, failed)
        .finally(() => this.#waiting.delete(failed));
    });
  }

  end(error: Error): void {
    for (const failed of this.#waiting) failed(error);
    this.#waiting.clear();
  }
}
