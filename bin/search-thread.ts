// The server's thread for searches, started by the first one. Should it end, those that wait are refused and the next starts another.
import { Worker } from "node:worker_threads";
import type { Archive, Searcher } from "#lib/archive/base/archive-type.ts";
import { errorOf } from "./refused-error.ts";
import type { FromSearcher, ToSearcher } from "./search-messages.ts";

type Waiting = { resolve(answer: unknown): void; reject(error: unknown): void };

export function createSearcher(archive: Archive): Searcher & { close(): Promise<void> } {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let last = 0;

  function start(): Worker {
    const started = new Worker(new URL("./search-worker.ts", import.meta.url), { workerData: { dir: archive.dir } });
    started.unref();
    started.on("message", (message: FromSearcher) => {
      const one = waiting.get(message.id);
      waiting.delete(message.id);
      if ("answer" in message) one?.resolve(message.answer);
      else one?.reject(errorOf(message.refused));
    });
    started.on("error", (error) => {
      console.error("The search thread stopped:", error);
      if (worker === started) worker = null;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    });
    return started;
  }

  return {
    run(name, request, signal) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const id = ++last;
      const post = (message: ToSearcher): void => (worker ??= start()).postMessage(message);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(id, { resolve, reject });
      post({ type: "search", id, name, request });
      if (signal === undefined) return promise;
      const cancel = (): void => {
        post({ type: "cancel", id });
        waiting.delete(id);
        reject(signal.reason);
      };
      signal.addEventListener("abort", cancel, { once: true });
      return promise.finally(() => signal.removeEventListener("abort", cancel));
    },
    close: async () => void (await worker?.terminate()),
  };
}
