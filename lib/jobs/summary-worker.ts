// The thread that summarises: 300,000 characters take up to half a second, which nobody else is to wait for.
import { parentPort } from "node:worker_threads";
import { summarize, type SummaryTask } from "./summary-task.ts";
import { serve } from "./worker-side.ts";

serve(parentPort!, async (task: SummaryTask) => ({ answer: summarize(task), isSpent: false }));
