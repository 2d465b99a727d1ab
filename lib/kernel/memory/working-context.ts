// What the agent's next call is made of: it only grows between two compactions, and a compaction puts a new beginning
// in its place. Each compaction begins an epoch; epochs never go back, so that a token count of an older one is known
// for what it is.
import { callsOf, resultOf, type Message, type ToolCall } from "../context/message.ts";
import type { MemorySnapshot } from "./memory-types.ts";

/** A message, the turn it belongs to, and the traces (traceKey) that it stands for, as far as these are known. */
export type ContextEntry = {
  readonly message: Message;
  readonly turnId: string | null;
  readonly keys: readonly string[];
};

export type Origin = { readonly turnId?: string | null; readonly keys?: readonly string[] };

export class WorkingContextSnapshot {
  #entries: ContextEntry[] = [];
  /** Of the entries: a context is kept after every answer, and a copy of 60,000 references is ten times faster made so. */
  #messages: Message[] = [];
  #epochId = 1;
  #lastCompactionTs: number | null = null;
  #sealed = 0;

  /** From 1; one more with every compaction. */
  get epochId(): number {
    return this.#epochId;
  }

  /** Seconds since 1970. */
  get lastCompactionTs(): number | null {
    return this.#lastCompactionTs;
  }

  get entries(): readonly ContextEntry[] {
    return this.#entries;
  }

  /** What is here stays as it is: while it is compacted, what comes begins messages of its own. */
  seal(): void {
    this.#sealed = this.#entries.length;
  }

  /** The last entry, where more of the same answer may be added to it. */
  get growing(): ContextEntry | null {
    return this.#entries.length > this.#sealed ? this.#entries.at(-1)! : null;
  }

  appendMessage(message: Message, { turnId = null, keys = [] }: Origin = {}): void {
    this.#entries.push({ message, turnId, keys });
    this.#messages.push(message);
  }

  appendSystem(content: string): void {
    this.appendMessage({ role: "system", content, toolPayload: null });
  }

  appendUser(
    content: string,
    media: Pick<Message, "imageUrls" | "audioUrls" | "videoUrls"> = {},
    origin?: Origin,
  ): void {
    this.appendMessage({ role: "user", content, ...media, toolPayload: null }, origin);
  }

  appendAssistant(content: string | null, reasoningContent: string | null = null, origin?: Origin): void {
    this.appendMessage({ role: "assistant", content, reasoningContent, toolPayload: null }, origin);
  }

  appendToolCalls(toolCalls: readonly ToolCall[], origin?: Origin): void {
    this.appendMessage({ role: "assistant", content: null, toolPayload: { toolCalls } }, origin);
  }

  appendToolResult(
    toolCallId: string,
    toolName: string,
    toolResult: unknown,
    toolError: string | null = null,
    origin?: Origin,
  ): void {
    this.appendMessage(
      { role: "tool", content: null, toolPayload: { toolCallId, toolName, toolResult, toolError } },
      origin,
    );
  }

  /** Adds to the last message: what one response of the model says and calls is one message, as providers need it. */
  extendLast(change: (message: Message) => Message, keys: readonly string[] = []): void {
    const last = this.#entries.pop()!;
    const message = change(last.message);
    this.#entries.push({ ...last, message, keys: [...last.keys, ...keys] });
    this.#messages[this.#messages.length - 1] = message;
  }

  buildMessages(): Message[] {
    return this.#messages.slice();
  }

  /** Begins the next epoch with these messages. `ts` in seconds since 1970. */
  reset(snapshot: Iterable<Message | ContextEntry>, ts: number | null = null): void {
    this.#entries = [...snapshot].map((one) => ("message" in one ? one : { message: one, turnId: null, keys: [] }));
    this.#messages = this.#entries.map(({ message }) => message);
    this.#sealed = 0;
    this.#epochId++;
    this.#lastCompactionTs = ts;
  }

  /** The context as it was kept. Its epoch goes on; nothing was compacted by reading it. */
  static restore(snapshot: Pick<MemorySnapshot, "messages" | "epochId" | "lastCompactionTs">): WorkingContextSnapshot {
    const context = new WorkingContextSnapshot();
    for (const message of snapshot.messages) context.appendMessage(message);
    context.#epochId = Math.max(1, snapshot.epochId);
    context.#lastCompactionTs = snapshot.lastCompactionTs;
    return context;
  }

  /** Where an epoch must not go back behind another count of it. */
  raiseEpoch(epochId: number): void {
    this.#epochId = Math.max(this.#epochId, epochId);
  }
}

export type CallGroup = {
  /** The entry that calls; of an entry that neither calls nor answers, itself. */
  readonly head: ContextEntry;
  /** A call of it waits for its result. */
  readonly isOpen: boolean;
};

/** For each entry the group that it must not be parted from: calls of one answer, and their results. */
export function callGroups(entries: readonly ContextEntry[]): CallGroup[] {
  /** Position of the last message that calls an id, and which ids of it are answered. */
  const callers = new Map<string, number>();
  const answered = new Set<string>();
  const heads = entries.map((_, at) => at);
  entries.forEach(({ message }, at) => {
    for (const { id } of callsOf(message)) callers.set(id, at);
    const id = resultOf(message)?.toolCallId;
    const caller = id === undefined ? undefined : callers.get(id);
    if (caller === undefined) return;
    answered.add(`${caller} ${id}`);
    heads[at] = caller;
  });
  return heads.map((at) => ({
    head: entries[at]!,
    isOpen: callsOf(entries[at]!.message).some(({ id }) => !answered.has(`${at} ${id}`)),
  }));
}
