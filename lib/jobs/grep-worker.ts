// The thread that searches with re2js, for text in memory and where there is no ripgrep.
import { parentPort } from "node:worker_threads";
import { scan, type ScanTask } from "./grep-scan.ts";
import { serve } from "./worker-side.ts";

serve(parentPort!, async (task: ScanTask, more) => ({ answer: scan(task, more), isSpent: false }));
