// Asks a worker and waits for its answer, by number. What the worker says without a question goes to `onMessage`.
export type QuestionMap = Record<string, { ask: unknown; answer: unknown }>;

type Waiting = { readonly done: (answer: unknown) => void; readonly failed: (error: Error) => void };

export class WorkerClient<Questions extends QuestionMap> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;

  /** `onFailed`: it could not be started, or a bug ended it. */
  constructor(path: string, onMessage: (result: unknown) => void, onFailed: (message: string) => void) {
    this.#worker = new Worker(path, { type: "module" });
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
      if (data.id === 0) return onMessage(data.message);
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.error === undefined) waiting?.done(data.answer);
      else waiting?.failed(new Error(data.error));
    });
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      const message = event.message || "The worker of this view could not be started. Reload the page.";
      for (const { failed } of this.#waiting.values()) failed(new Error(message));
      this.#waiting.clear();
      onFailed(message);
    });
  }

  /** Says something that has no answer. */
  notify(result: unknown): void {
    this.#worker.postMessage({ id: 0, message: result });
  }

  ask<Name extends keyof Questions & string>(
    name: Name,
    ask: Questions[Name]["ask"],
  ): Promise<Questions[Name]["answer"]> {
    const id = this.#next++;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { done: done as (answer: unknown) => void, failed });
      this.#worker.postMessage({ id, name, ask });
    });
  }

  /** Nothing is answered after this. */
  end(): void {
    this.#worker.terminate();
    this.#waiting.clear();
  }
}

type Reply = {
  readonly id: number;
  readonly message?: unknown;
  readonly answer?: unknown;
  readonly error?: string;
};

type Scope = {
  postMessage: (message: unknown) => void;
  addEventListener: (type: "message", listener: (event: MessageEvent<PageMessage>) => void) => void;
};
type PageMessage = { readonly id: number; readonly message?: unknown; readonly name?: string; readonly ask?: unknown };

type Answers<Questions extends QuestionMap> = {
  readonly [Name in keyof Questions]: (
    ask: Questions[Name]["ask"],
  ) => Questions[Name]["answer"] | Promise<Questions[Name]["answer"]>;
};

/** The worker's side: answers questions, hears what it is told; gives the function that tells. */
export function answerPage<Questions extends QuestionMap>(
  answers: Answers<Questions>,
  onMessage: (result: unknown) => void,
): (result: unknown) => void {
  const scope = globalThis as unknown as Scope;
  scope.addEventListener("message", ({ data }) => {
    if (data.id === 0) return onMessage(data.message);
    const answer = async () => answers[data.name as keyof Questions]?.(data.ask);
    void answer().then(
      (given) => scope.postMessage({ id: data.id, answer: given }),
      (error: unknown) =>
        scope.postMessage({ id: data.id, error: error instanceof Error ? error.message : String(error) }),
    );
  });
  return (result) => scope.postMessage({ id: 0, message: result });
}
