// The thread's side of worker-pool.ts: says that it is ready, then answers one task after the other.
import type { MessagePort } from "node:worker_threads";

export type FromWorker<Answer> =
  | { readonly kind: "ready" }
  /** A part of an answer, or that one lies in shared memory. */
  | { readonly kind: "more"; readonly part: unknown }
  | { readonly kind: "answer"; readonly answer: Answer; readonly isSpent: boolean }
  | { readonly kind: "missing"; readonly message: string };

export function serve<Task, Answer>(
  port: MessagePort,
  work: (task: Task, more: (part: unknown) => void) => Promise<{ answer: Answer; isSpent: boolean }>,
): void {
  const tell = (message: FromWorker<Answer>): void => port.postMessage(message);
  port.on("message", async (task: Task) => {
    try {
      tell({ kind: "answer", ...(await work(task, (part) => tell({ kind: "more", part }))) });
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // Anything else ends the thread, and the pool says so.
      if (code !== "ENOENT") throw error;
      tell({ kind: "missing", message });
    }
  });
  tell({ kind: "ready" });
}
