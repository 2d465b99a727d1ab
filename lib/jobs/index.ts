// jq and grep over stored bytes, in threads and processes that are killed at their deadline. Nothing is started before
// the first call, and whatever one call does, the next one works.
import { createGrep } from "./grep.ts";
import { createJq } from "./jq.ts";
import { createScans } from "./scan-thread.ts";
import type { Jobs } from "./types.ts";

export type { GrepAnswer, GrepLimits, Jobs, JqAnswer, JqLimits, JqRequest, StreamScan } from "./types.ts";

export type JobsOptions = {
  /** Programs that run at the same time; one may take `jqMemoryBytes` each. */
  readonly jqWorkers?: number;
  readonly grepWorkers?: number;
  /** `re2` searches without ripgrep, as on a machine that it was not built for. */
  readonly grepEngine?: "best" | "re2";
};

export function createJobs({ jqWorkers = 2, grepWorkers = 4, grepEngine = "best" }: JobsOptions = {}): Jobs {
  const jq = createJq(jqWorkers);
  const grep = createGrep(grepEngine, grepWorkers);
  const scans = createScans();
  return {
    jq: (request) => jq.run(request),
    grep: (request) => grep.search(request),
    scan: () => scans.open(),
    async close() {
      await Promise.all([jq.close(), grep.close(), scans.close()]);
    },
  };
}
