// jq: looks at the program, and runs it where it can be killed.
import type { JqTask, JqTold } from "./jq-program.ts";
import { compileJq } from "./jq-module.ts";
import { refusalOf } from "./jq-refusal.ts";
import type { JqAnswer, JqRequest } from "./types.ts";
import { createWorkerPool } from "./worker-pool.ts";

export type Jq = { run(request: JqRequest): Promise<JqAnswer>; close(): Promise<void> };

export function createJq(size: number): Jq {
  const threads = createWorkerPool<JqTask, JqTold>({
    entry: new URL("./jq-worker.ts", import.meta.url),
    size,
    workerData: async () => ({ module: await compileJq() }),
  });
  return {
    async run({ path, text, program, options, isJsonLines = false, limits, signal }) {
      const task = { program, options, isJsonLines, limits };
      const refusal = refusalOf(task);
      if (refusal) return { ...refusal, ms: 0 };
      const ran = await threads.run(
        { ...task, input: path === undefined ? { text: text! } : { path } },
        { deadlineMs: limits.deadlineMs, signal },
      );
      const { ms } = ran;
      const failed = (kind: "timeout" | "memory", message: string): JqAnswer => ({
        ok: false,
        kind,
        message,
        output: "",
        ms,
      });
      if (ran.kind === "answer") return { ...ran.answer, ms };
      if (ran.kind === "busy") return failed("timeout", "Too many jq programs are running. Try again in a moment.");
      if (ran.kind === "crash") return failed("memory", `jq broke off: ${ran.message}. Narrow the input first.`);
      return failed(
        "timeout",
        `jq ran over ${limits.deadlineMs} ms and was stopped. Narrow the input first: artifact_read, or .[0:100].`,
      );
    },
    close: () => threads.close(),
  };
}
