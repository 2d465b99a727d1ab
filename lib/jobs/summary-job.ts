// Summaries in a thread of their own, which is ended when one takes too long or nobody waits for it any more.
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { SummaryAnswer, SummaryTask } from "./summary-task.ts";
import { createWorkerPool } from "./worker-pool.ts";

export type SummaryRequest = SummaryTask & { readonly signal?: AbortSignal };

export function createSummaries(size: number): {
  run(request: SummaryRequest): Promise<SummaryAnswer>;
  close(): Promise<void>;
} {
  const threads = createWorkerPool<SummaryTask, SummaryAnswer>({
    entry: new URL("./summary-worker.ts", import.meta.url),
    size,
  });
  return {
    async run({ signal, ...task }) {
      const deadlineMs = LIMITS.summaryMs;
      const ran = await threads.run(task, { deadlineMs, ...(signal !== undefined && { signal }) });
      if (ran.kind === "answer") return ran.answer;
      if (ran.kind === "busy") return fail("timeout", "Other summaries are being made: nobody had time for this one.");
      if (ran.kind === "deadline")
        return fail("timeout", `The summary took over ${deadlineMs / 1000} s and was stopped. Compact fewer turns.`);
      throw new Error(`The summary broke off: ${ran.message}.`);
    },
    close: () => threads.close(),
  };
}
