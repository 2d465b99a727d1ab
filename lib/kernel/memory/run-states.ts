// The life of a compaction: planned, summarized, archived, pruned, complete; at any step it may fail, and a complete one
// may be undone. A store that does two steps at once leaves the one between out.
import { fail } from "../errors.ts";
import type { CompactionRun, CompactionStatus } from "./memory-types.ts";

const NEXT: Readonly<Record<CompactionStatus, readonly CompactionStatus[]>> = {
  planned: ["summarized", "nothing_to_compact", "failed"],
  summarized: ["archived", "pruned", "complete", "failed"],
  archived: ["pruned", "complete", "failed"],
  pruned: ["complete", "failed"],
  complete: ["undone"],
  failed: [],
  nothing_to_compact: [],
  undone: [],
};

/** The run one step further; only steps that exist are taken. */
export function advance(
  run: CompactionRun,
  status: CompactionStatus,
  more: Partial<CompactionRun> = {},
): CompactionRun {
  if (!NEXT[run.status].includes(status))
    fail("conflict", `Compaction ${run.id} is ${run.status}; it cannot become ${status}.`);
  return { ...run, ...more, status };
}
