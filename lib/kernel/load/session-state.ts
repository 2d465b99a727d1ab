import type { SessionLoadFacts } from "./culprits/culprit-types.ts";
import { frameOf } from "./prompt-frame.ts";
import { isAutomatic, stateOf, type SessionState } from "./compaction-state.ts";

/** The state of a session by its ledger, and how often its agent compacted it by itself. */
export function sessionState(session: SessionLoadFacts): { state: SessionState; automatic: number } {
  const { peak } = frameOf(session);
  // Those before its first call and after its last too: the list counts them.
  const automatic = session.compactions.filter(({ kind, trigger }) => kind === "full" && isAutomatic(trigger)).length;
  const share = session.loadLine === null ? null : peak / session.loadLine;
  return { state: stateOf({ isRefused: session.overflows.length > 0, automatic, share }), automatic };
}
