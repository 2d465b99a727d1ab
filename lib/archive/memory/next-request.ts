// What a held session's agent sends its model next: the library's own assembler over a MemoryManager whose context is the end of
// the session's log. Each request may be a process of its own, so the gate is a row; what a compaction changes is in the log.
// No compaction keeps an agent from its request: what went wrong is told beside the context.
import { scalar } from "#db/statement.ts";
import { randomUUID } from "node:crypto";
import type { Message } from "#lib/kernel/context/message.ts";
import { render } from "#lib/kernel/context/render.ts";
import type { RenderedPayload, RendererId } from "#lib/kernel/context/renderers/renderer-types.ts";
import { estimateTokens } from "#lib/kernel/host.ts";
import { CompactionGate } from "#lib/kernel/memory/compaction-gate.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { MemoryManager } from "#lib/kernel/memory/memory-manager.ts";
import type { CompactionOutcome } from "#lib/kernel/memory/memory-types.ts";
import { LLMRequestAssembler } from "#lib/kernel/memory/request-assembler.ts";
import { WorkingContextSnapshot } from "#lib/kernel/memory/working-context.ts";
import type { AgentRequest, AgentRequestQuery } from "#lib/wire/agent-request-schema.ts";
import { compactRequest } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { compactionIdOf } from "../base/row-keys.ts";
import { write } from "../base/write.ts";
import { heldSessionId } from "../artifacts/held-session.ts";
import { archiveMemoryStore } from "./archive-store.ts";
import { alone, compactionUnderWay } from "./compact.ts";
import { contextAtPosition, type LoadedContext } from "./context.ts";
import { lastSeqOf } from "./context-rows.ts";
import { sessionCompactor } from "./context-store.ts";
import { imageUrls } from "./context-texts.ts";
import { epochOf, noteCompactionOutcomeWrite, readGate } from "./gate-rows.ts";
import { heldBudget, requestSettings, type HeldBudget } from "./held-budget.ts";
import { messageRow, sumOfMessages, textOfMessage } from "./message-rows.ts";
import { requestStages } from "./request-stages.ts";
import { sessionContext } from "./session-context.ts";
import { EXTRACTIVE } from "./write-summary.ts";

/** Fails with `conflict` for an imported session: nothing of it is compacted. Two requests at once wait for one compaction. */
export async function nextRequest(archive: Archive, name: string, { as }: AgentRequestQuery): Promise<AgentRequest> {
  const sessionId = heldSessionId(archive, name);
  const pk = findSession(archive, sessionId);
  for (let other; (other = compactionUnderWay(archive, pk)) !== null;) await other;
  const budget = heldBudget(archive, pk);
  const gate = budget === null ? new CompactionGate() : readGate(archive, pk);
  const assemble = (): Promise<AgentRequest> => assembled(archive, { sessionId, pk, as, budget, gate });
  return gate.required === null ? assemble() : alone(archive, pk, assemble);
}

type Held = {
  readonly sessionId: string;
  readonly pk: number;
  readonly as: RendererId;
  readonly budget: HeldBudget | null;
  readonly gate: CompactionGate;
};

async function assembled(archive: Archive, held: Held): Promise<AgentRequest> {
  const { sessionId, pk, as, budget, gate } = held;
  const turn = scalar(archive.sqlite, "sessions.turn", "FROM sessions WHERE pk = ?").get(pk)!;
  const trigger = gate.required;
  const isRefused = gate.refusal(String(turn)) !== null;
  const { memory, loaded } = await heldMemory(archive, held);
  const renderer = {
    async render(messages: readonly Message[]): Promise<RenderedPayload> {
      const urls = await imageUrls(archive, loaded().log.rows);
      return render(messages, as, { mediaOf: (url) => urls.get(url) ?? null });
    },
  };
  const stages = requestStages(archive, pk, requestSettings(archive, pk));
  const sent = await new LLMRequestAssembler(memory, renderer, { stages }).prepareRequest(null, String(turn));
  if (sent.compaction !== null && !sent.didCompact && !isRefused) {
    const failure = sent.compaction.status === "failed" ? (sent.compaction.reason ?? "No reason was given.") : null;
    // A disk that takes no row keeps nobody from his context: it is due still.
    await write(archive, noteCompactionOutcomeWrite, { sessionId, turn, failure }).catch(() => undefined);
  }
  const { log, repair } = loaded();
  const sum = sumOfMessages(repair.messages.map((message) => messageRow(message, log, "same")));
  const staged = stages.length === 0 ? 0 : textTokens(sent.messages) - textTokens(repair.messages);
  const { request, leftOut } = sent.renderedPayload as RenderedPayload;
  return {
    sessionId,
    as,
    epoch: sent.epochId,
    at: log.upTo,
    ...(staged === 0 ? sum : { tokens: Math.max(0, sum.tokens + staged), origin: "estimated" }),
    request,
    leftOut: leftOut.map((one) => ({ ...one })),
    didCompact: sent.didCompact,
    compaction:
      sent.compaction === null
        ? null
        : { trigger: trigger!, ...outcomeOf(sessionId, sent.compaction, isRefused ? null : sum.tokens) },
    budget:
      budget === null
        ? null
        : { inputTokens: budget.capacity.inputBudget, triggerTokens: budget.capacity.triggerThresholdTokens },
  };
}

/** Of what stages put in or took out nobody has counted the tokens. */
const textTokens = (messages: readonly Message[]): number =>
  messages.reduce((tokens, message) => tokens + estimateTokens(Buffer.byteLength(textOfMessage(message))), 0);

/** Of one that changed nothing the context weighs what it weighed. */
function outcomeOf(sessionId: string, { status, reason, run }: CompactionOutcome, tokens: number | null) {
  if (status !== "complete") return { status, id: null, reason, tokensBefore: tokens, tokensAfter: tokens };
  const { id, tokensBefore, tokensAfter } = run;
  return { status, id: compactionIdOf(sessionId, id), reason, tokensBefore, tokensAfter };
}

/** The memory of a held session, with the context that its log says. Where none is due it goes without a compactor. */
async function heldMemory(archive: Archive, { sessionId, pk, budget, gate }: Held) {
  let current: LoadedContext;
  const load = async (): Promise<LoadedContext> =>
    (current = await contextAtPosition(archive, pk, lastSeqOf(archive, pk)));
  const { summarizer = EXTRACTIVE, tail = new CompactionPolicy().rawTailTurns, ...own } = budget?.settings ?? {};
  const { toolEvents, instructions } = own;
  const request = compactRequest.parse({ dryRun: false, summarizer, tail, toolEvents, instructions });
  const compactor =
    gate.required === null
      ? null
      : sessionCompactor(
          archive,
          await sessionContext(archive, pk, { loadLine: budget?.capacity.inputBudget }),
          request,
        );
  const { messages } = (await load()).repair;
  const context = { messages, epochId: epochOf(archive, pk), lastCompactionTs: null };
  const memory = MemoryManager.open({
    store: { ...archiveMemoryStore(archive, sessionId), readContext: async () => (await load()).repair.messages },
    host: { now: () => archive.host.now(), newId: randomUUID },
    gate,
    compactor,
    workingContextSnapshot: WorkingContextSnapshot.restore(context),
  });
  return { memory, loaded: () => current };
}
