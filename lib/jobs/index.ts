// jq and grep over stored bytes, and summaries of long logs, in threads and processes that are killed at their deadline.
// Nothing is started before the first call, and whatever one call does, the next one works.
import { createGrep } from "./grep.ts";
import { createJq } from "./jq.ts";
import { createJsonIndexes } from "./json-index-job.ts";
import { createScans } from "./scan-thread.ts";
import { createShapes } from "./shape-job.ts";
import { createSummaries } from "./summary-job.ts";
import type { Jobs } from "./job-types.ts";

export type { GrepAnswer, GrepLimits, Jobs, JqAnswer, JqLimits, JqRequest } from "./job-types.ts";

export type JobsOptions = {
  /** Programs that run at the same time; one may take `jqMemoryBytes` each. */
  readonly jqWorkers?: number;
  readonly grepWorkers?: number;
  readonly summaryWorkers?: number;
  /** `re2` searches without ripgrep, as on a machine that it was not built for. */
  readonly grepEngine?: "best" | "re2";
};

export function createJobs({
  jqWorkers = 2,
  grepWorkers = 4,
  summaryWorkers = 1,
  grepEngine = "best",
}: JobsOptions = {}): Jobs {
  const jq = createJq(jqWorkers);
  const grep = createGrep(grepEngine, grepWorkers);
  const scans = createScans();
  const indexes = createJsonIndexes();
  const summaries = createSummaries(summaryWorkers);
  const shapes = createShapes(1);
  return {
    jq: (request) => jq.run(request),
    grep: (request) => grep.search(request),
    grepFiles: (request) => grep.files(request),
    scan: () => scans.open(),
    json: indexes.ask,
    summarize: (request) => summaries.run(request),
    judge: (request) => summaries.judge(request),
    shape: (request) => shapes.read(request),
    async close() {
      await Promise.all([jq.close(), grep.close(), scans.close(), summaries.close(), shapes.close(), indexes.close()]);
    },
  };
}
