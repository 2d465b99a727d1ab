// What a held session's agent sends its model next: the context at the end of its log, compacted first where that was due.
import type { AgentRequest, AgentRequestQuery } from "#lib/wire/agent-request-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { heldSessionId } from "../artifacts/held-session.ts";
import { compactWhenDue } from "./compact-when-due.ts";
import { requestAtEnd } from "./context.ts";
import { epochOf } from "./gate-rows.ts";
import { heldBudget } from "./held-budget.ts";

/** Fails with `conflict` for an imported session: nothing of it is compacted. */
export async function nextRequest(archive: Archive, name: string, { as }: AgentRequestQuery): Promise<AgentRequest> {
  const sessionId = heldSessionId(archive, name);
  const pk = findSession(archive, sessionId);
  const compaction = await compactWhenDue(archive, sessionId, pk);
  const epoch = epochOf(archive, pk);
  const capacity = heldBudget(archive, pk)?.capacity;
  return {
    sessionId,
    as,
    epoch,
    ...(await requestAtEnd(archive, pk, as)),
    didCompact: compaction?.status === "complete",
    compaction,
    budget:
      capacity === undefined
        ? null
        : { inputTokens: capacity.inputBudget, triggerTokens: capacity.triggerThresholdTokens },
  };
}
