// The thread that runs jq: one program at a time, in a new instance each time.
import { parentPort, workerData } from "node:worker_threads";
import { answerJq, type JqTask } from "./jq-program.ts";
import { serve } from "./worker-side.ts";

const { module } = workerData as { module: WebAssembly.Module };

// The memory of an instance returns when the collector comes by; a thread that used much is replaced instead.
const SPENT_BYTES = 128 * 1024 * 1024;

serve(parentPort!, async (task: JqTask, more) => {
  const { result, memoryBytes } = await answerJq(module, task, () => more(null));
  return { answer: result, isSpent: memoryBytes > SPENT_BYTES };
});
