// The automatic compaction of a held session: the one that a person makes by hand, made before the next request when the
// last prompt was over the budget. It never keeps an agent from its request: what went wrong is told beside the context.
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import type { CompactionTrigger } from "#lib/kernel/memory/memory-types.ts";
import type { AgentRequest } from "#lib/wire/agent-request-schema.ts";
import { compactRequest, type CompactAnswer } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { plucked } from "../base/statement-cache.ts";
import { write } from "../base/write.ts";
import { compactSession, compactionUnderWay } from "./compact.ts";
import { noteCompactionOutcomeWrite, readGate } from "./gate-rows.ts";
import { heldBudget, type HeldBudget } from "./held-budget.ts";
import { EXTRACTIVE } from "./write-summary.ts";

type Outcome = AgentRequest["compaction"];

/** Null when none is due. Two requests at once wait for the same one. */
export async function compactWhenDue(archive: Archive, sessionId: string, pk: number): Promise<Outcome> {
  for (;;) {
    const underWay = compactionUnderWay(archive, pk);
    if (underWay === null) break;
    await underWay;
  }
  const budget = heldBudget(archive, pk);
  const gate = readGate(archive, pk);
  const trigger = gate.required;
  if (budget === null || trigger === null) return null;
  const turn = plucked(archive.sqlite, "SELECT turn FROM sessions WHERE pk = ?").get(pk) as number;
  const refusal = gate.refusal(String(turn));
  if (refusal !== null) return { ...NOTHING, status: "nothing_to_compact", trigger, reason: refusal };
  const outcome = await compacted(archive, sessionId, { budget, trigger, turn });
  if (outcome.status !== "complete") {
    const failure = outcome.status === "failed" ? (outcome.reason ?? "It did not say why.") : null;
    // A disk that takes no row keeps nobody from his context: it is due still.
    await write(archive, noteCompactionOutcomeWrite, { sessionId, turn, failure }).catch(() => undefined);
  }
  return outcome;
}

const NOTHING = { id: null, reason: null, tokensBefore: null, tokensAfter: null } as const;

type Due = { readonly budget: HeldBudget; readonly trigger: CompactionTrigger; readonly turn: number };

async function compacted(archive: Archive, sessionId: string, due: Due): Promise<NonNullable<Outcome>> {
  const { trigger } = due;
  const { capacity, settings } = due.budget;
  try {
    const request = compactRequest.parse({
      dryRun: false,
      summarizer: settings.summarizer ?? EXTRACTIVE,
      tail: settings.tail ?? new CompactionPolicy().rawTailTurns,
    });
    const answer = await compactSession(archive, sessionId, request, { trigger, loadLine: capacity.inputBudget });
    const { id, reason, tokensBefore, tokensAfter } = answer;
    return { status: statusOf(answer), trigger, id, reason, tokensBefore, tokensAfter };
  } catch (error) {
    return { ...NOTHING, status: "failed", trigger, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** A held session's compaction is applied, or nothing is. */
const statusOf = ({ status }: CompactAnswer): NonNullable<Outcome>["status"] =>
  status === "failed" || status === "nothing_to_compact" ? status : "complete";
