// Makes the next request: compacts first where that was asked for, puts the new input behind the context, pairs calls
// with their results, and lets a renderer give it its provider's shape.
import { fail } from "../errors.ts";
import type { Message } from "../context/message.ts";
import { repairPairs } from "../log/repair.ts";
import type { UserInput } from "./ingest-types.ts";
import type { MemoryManager } from "./memory-manager.ts";
import { NO_SETTLED_BLOCK } from "./plan.ts";
import type { CompactionOutcome } from "./memory-types.ts";

export type PromptRenderer = { render(messages: readonly Message[]): unknown };

export type RequestPackage = {
  readonly messages: readonly Message[];
  readonly renderedPayload: unknown;
  readonly didCompact: boolean;
  /** How the compaction ended that was asked for; null when none was. */
  readonly compaction: CompactionOutcome | null;
  /** To be given back with the usage that the provider reports for this request. */
  readonly epochId: number;
};

export type RequestAssemblerOptions = {
  /**
   * What happens to a request over budget that nothing can be compacted for: it is sent with what there is, and the
   * package says so; or it fails before it is sent, as the second generation has it.
   */
  readonly whenStuck?: "send" | "fail";
  /**
   * What is done to the messages of every request before their pairs are mended: pruning of old results, notes on errors,
   * recalled artifacts. In this order; the context that is kept stays as it is.
   */
  readonly stages?: readonly MessageStage[];
};

export type MessageStage = (messages: readonly Message[]) => readonly Message[] | Promise<readonly Message[]>;

export class LLMRequestAssembler {
  readonly #memory: MemoryManager;
  readonly #renderer: PromptRenderer;
  readonly #options: RequestAssemblerOptions;

  constructor(memory: MemoryManager, renderer: PromptRenderer, options: RequestAssemblerOptions = {}) {
    this.#memory = memory;
    this.#renderer = renderer;
    this.#options = options;
  }

  /** `processedUserInput` is null where the turn goes on without a new word of the user. */
  async prepareRequest(
    processedUserInput: string | UserInput | null,
    currentTurnId: string | null = null,
    systemPrompt: string | null = null,
  ): Promise<RequestPackage> {
    const memory = this.#memory;
    const turnId = currentTurnId ?? memory.activeTurnId;
    if (systemPrompt !== null && memory.workingContextSnapshot.entries.length === 0)
      memory.workingContextSnapshot.appendSystem(systemPrompt);
    const trigger = memory.gate.required;
    const compaction =
      trigger === null ? null : await memory.compactNow({ trigger, currentTurnId: turnId, systemPrompt });
    if (compaction?.status === "nothing_to_compact" && this.#options.whenStuck === "fail")
      fail("too_large", `${NO_SETTLED_BLOCK} ${compaction.reason}`);
    if (processedUserInput !== null) memory.appendUserInput(processedUserInput, turnId);
    let staged: readonly Message[] = memory.projectMessages();
    for (const stage of this.#options.stages ?? []) staged = await stage(staged);
    const { messages } = repairPairs(staged);
    return {
      messages,
      renderedPayload: await this.renderPayload(messages),
      didCompact: compaction?.status === "complete",
      compaction,
      epochId: memory.epochId,
    };
  }

  renderPayload(messages: readonly Message[]): unknown {
    return this.#renderer.render(messages);
  }
}
