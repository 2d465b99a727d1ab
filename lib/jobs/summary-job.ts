// Summaries, and what they keep, in a thread of their own, which is ended when one takes too long or nobody waits for it any more.
import { fail } from "#lib/kernel/errors.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Evidence } from "#lib/kernel/memory/extractive/evidence.ts";
import type { EvidenceTask } from "./evidence-task.ts";
import type { SummaryAnswer, SummaryTask } from "./summary-task.ts";
import { createWorkerPool } from "./worker-pool.ts";

export type SummaryRequest = SummaryTask & { readonly signal?: AbortSignal };
export type EvidenceRequest = EvidenceTask & { readonly signal?: AbortSignal };

export type Summaries = {
  run(request: SummaryRequest): Promise<SummaryAnswer>;
  judge(request: EvidenceRequest): Promise<readonly Evidence[]>;
  close(): Promise<void>;
};

export function createSummaries(size: number): Summaries {
  const threads = createWorkerPool<SummaryTask | EvidenceTask, SummaryAnswer | readonly Evidence[]>({
    entry: new URL("./summary-worker.ts", import.meta.url),
    size,
  });
  async function inThread(task: SummaryTask | EvidenceTask, signal: AbortSignal | undefined): Promise<unknown> {
    const deadlineMs = LIMITS.summaryMs;
    const ran = await threads.run(task, { deadlineMs, ...(signal !== undefined && { signal }) });
    if (ran.kind === "answer") return ran.answer;
    if (ran.kind === "busy") return fail("timeout", "Other summaries are being made. Try again in a moment.");
    if (ran.kind === "deadline")
      return fail("timeout", `The summary took over ${deadlineMs / 1000} s and was stopped. Compact fewer turns.`);
    throw new Error(`The summary failed: ${ran.message}.`);
  }
  return {
    // Each kind of task has its own kind of answer.
    run: async ({ signal, ...task }) => (await inThread(task, signal)) as SummaryAnswer,
    judge: async ({ signal, ...task }) => (await inThread(task, signal)) as readonly Evidence[],
    close: () => threads.close(),
  };
}
