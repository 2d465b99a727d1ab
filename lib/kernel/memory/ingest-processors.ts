// How an agent's pipelines tell its memory: last of all processors, so that memory holds what the model gets to see.
import type { ToolResultEvent, UserInput } from "./ingest-types.ts";
import { SOURCE_EVENTS } from "./ingest-types.ts";
import type { MemoryManager } from "./memory-manager.ts";

/** Behind every processor that changes what it is given. */
export const INGEST_ORDER = 900;

export type IngestProcessor<T, S> = { readonly order: number; process(item: T, state: S): T | Promise<T> };

/** What the processors make of each item, in their order. */
export async function processInOrder<T, S>(
  items: readonly T[],
  processors: readonly IngestProcessor<T, S>[],
  state: S,
): Promise<T[]> {
  const inOrder = processors.toSorted((a, b) => a.order - b.order);
  const made: T[] = [];
  for (let item of items) {
    for (const processor of inOrder) item = await processor.process(item, state);
    made.push(item);
  }
  return made;
}

/** What processors share of an agent's state. */
export type AgentMemoryState = {
  readonly memoryManager: MemoryManager | null;
  /** The turn that the last message of the user began. */
  activeTurnId: string | null;
};

export type InputMessage = UserInput & {
  /** Who wrote it: what tools wrote goes on with the turn under way. */
  readonly senderType?: "user" | "tool" | "agent" | "system" | (string & {});
};

export const memoryIngestInputProcessor = {
  order: INGEST_ORDER,
  /** Begins a turn with a message, and records it. Messages of tools begin none: their results are recorded already. */
  async process<T extends InputMessage>(message: T, state: AgentMemoryState): Promise<T> {
    const { memoryManager } = state;
    if (memoryManager === null || message.senderType === "tool") return message;
    state.activeTurnId = memoryManager.startTurn();
    await memoryManager.ingestUserMessage(message, state.activeTurnId, SOURCE_EVENTS.user);
    return message;
  },
};

export const memoryIngestToolResultProcessor = {
  order: INGEST_ORDER,
  /** Records a result in the turn that it names, else of its call, else under way; without any it is left out. */
  async process<T extends ToolResultEvent>(event: T, state: AgentMemoryState): Promise<T> {
    const { memoryManager, activeTurnId } = state;
    if (memoryManager === null || (event.turnId == null && activeTurnId === null)) return event;
    await memoryManager.ingestToolResult(event, activeTurnId);
    return event;
  },
};
