// The thread that summarises and judges summaries: 300,000 characters take up to half a second, which nobody else is to wait for.
import { parentPort } from "node:worker_threads";
import { judgeSummaries, type EvidenceTask } from "./evidence-task.ts";
import { summarize, type SummaryTask } from "./summary-task.ts";
import { serve } from "./worker-side.ts";

serve(parentPort!, async (task: SummaryTask | EvidenceTask) => ({
  answer: "summaries" in task ? judgeSummaries(task) : summarize(task),
  isSpent: false,
}));
