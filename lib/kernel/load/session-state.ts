import type { SessionLoadFacts } from "./culprits/types.ts";
import { frameOf } from "./frame.ts";
import { stateOf, type SessionState } from "./state.ts";

/** The state of a session by its ledger, and how often its agent compacted it by itself. */
export function sessionState(session: SessionLoadFacts): { state: SessionState; automatic: number } {
  const { cuts, peak } = frameOf(session);
  const automatic = cuts.filter((cut) => cut.isAutomatic).length;
  const share = session.loadLine === null ? null : peak / session.loadLine;
  return { state: stateOf({ isRefused: session.overflows.length > 0, automatic, share }), automatic };
}
