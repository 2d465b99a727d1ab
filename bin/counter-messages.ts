// What the thread that writes and the one that counts for it say to each other.
import type { Recount } from "#lib/archive/import/state-counts.ts";
import type { TokenCount } from "#lib/archive/load/count-tokens.ts";
import type { SessionVerdict } from "#lib/archive/load/compute-verdict.ts";
import type { ListSummary } from "#lib/archive/sessions/list-summary.ts";

export type ToCounter =
  | { type: "count"; run: number; pks: readonly number[] }
  | { type: "stop" }
  /** What was counted of the session is in the database. */
  | { type: "written"; run: number; pk: number };

export type FromCounter =
  | { type: "counts"; tokenizer: string; counts: readonly TokenCount[] }
  /** The texts of a session are counted; `counted` of them now. Sent before its verdict, which takes that into account. `recount`: what older rules counted of its state. */
  | { type: "counted"; run: number; pk: number; counted: number; recount: Recount | null }
  | {
      type: "verdict";
      run: number;
      pk: number;
      summary: ListSummary & { version: number };
      verdict: SessionVerdict | null;
    }
  /** All of them, or stopped. */
  | { type: "done"; run: number };
