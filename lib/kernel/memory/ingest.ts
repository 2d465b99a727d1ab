// Takes in what happens to an agent: one raw trace for each, and the context grows with it. What one answer of the model
// says and calls is one message, also where it is told in pieces, the calls before the words.
import { fail } from "../errors.ts";
import { callsOf, type ToolCall } from "../context/message.ts";
import { CallBook } from "./call-book.ts";
import { CONTINUATION_TEXT, mediaOf, SOURCE_EVENTS } from "./ingest-types.ts";
import type { CompleteResponse, ToolInvocation, ToolResultEvent, UserInput } from "./ingest-types.ts";
import { traceId } from "./items.ts";
import { lastSeqs } from "./turn-tracker.ts";
import { traceKey } from "./memory-types.ts";
import type { Done, MemoryHost, MemoryStore, RawTrace } from "./memory-types.ts";
import type { WorkingContextSnapshot } from "./working-context.ts";

export type IngestOptions = {
  readonly store: MemoryStore;
  readonly host: MemoryHost;
  /** 1: tags, no thoughts and no go-on among the traces. 2: thoughts and go-on, no tags. */
  readonly generation: 1 | 2;
  readonly context: () => WorkingContextSnapshot;
};

/** What earlier traces say: the last seq of each turn, calls and whether they were answered, turns that were broken off. */
type Known = {
  readonly seqs: Map<string, number>;
  readonly calls: CallBook;
  readonly interrupted: Set<string>;
};

function knownIn(corpus: readonly RawTrace[]): Known {
  const ended = corpus.filter(({ traceType }) => traceType === "operation_boundary");
  return {
    seqs: lastSeqs(corpus),
    calls: new CallBook(corpus),
    interrupted: new Set(ended.flatMap(({ turnId }) => turnId ?? [])),
  };
}

export class Ingest {
  readonly #options: IngestOptions;
  #read: Known | null = null;
  /** What the user said and no message of the context says yet, by turn. */
  readonly #pending = new Map<string, string[]>();

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  /** Read when it is first needed: a memory that only makes requests goes through no old traces. */
  get #known(): Known {
    return (this.#read ??= knownIn(this.#options.store.corpus()));
  }

  get pendingKeys(): ReadonlySet<string> {
    return new Set([...this.#pending.values()].flat());
  }

  isInterrupted(turnId: string | null): boolean {
    return turnId !== null && this.#known.interrupted.has(turnId);
  }

  userMessage(input: UserInput, turnId: string, sourceEvent: string): Done {
    const { imageUrls: images, audioUrls: audio, videoUrls: video } = mediaOf(input);
    const hasMedia = images.length + audio.length + video.length > 0;
    const trace = this.#trace(turnId, "user", sourceEvent, {
      content: input.content,
      ...(hasMedia && { media: { images, audio, video } }),
      ...this.#tags("processed"),
    });
    const done = this.#options.store.add([trace]);
    this.#pending.set(turnId, [...(this.#pending.get(turnId) ?? []), traceKey(trace)]);
    return done;
  }

  /** The message of the request that comes next. */
  appendUser(input: UserInput, turnId: string | null): void {
    const keys = turnId === null ? [] : (this.#pending.get(turnId) ?? []);
    if (turnId !== null) this.#pending.delete(turnId);
    this.#context.appendUser(input.content, mediaOf(input), { turnId, keys });
  }

  toolIntents(invocations: readonly ToolInvocation[], turnId?: string | null): Done {
    const made = invocations.map((invocation) => {
      const turn = invocation.turnId ?? turnId ?? fail("invalid", "turnId is required to ingest tool intent");
      const trace = this.#trace(turn, "tool_call", SOURCE_EVENTS.toolCall, {
        toolName: invocation.name,
        toolCallId: invocation.id,
        toolArgs: invocation.arguments,
      });
      return { invocation, turn, trace };
    });
    const done = this.#options.store.add(made.map(({ trace }) => trace));
    for (const { invocation, turn, trace } of made) {
      const { name, arguments: args, nativeToolCallContext: native } = invocation;
      const id = this.#known.calls.called(turn, invocation.id, name, trace.id);
      const call = { id, name, arguments: args, ...(native !== undefined && { nativeToolCallContext: native }) };
      this.#appendCall(call, turn, traceKey(trace));
    }
    return done;
  }

  #appendCall(call: ToolCall, turnId: string, key: string): void {
    const last = this.#context.growing;
    const own = last === null ? [] : callsOf(last.message);
    // Calls that follow each other with no result between are of one answer; an id twice would be another one.
    if (
      own.length === 0 ||
      last!.turnId !== turnId ||
      last!.message.content !== null ||
      own.some(({ id }) => id === call.id)
    )
      this.#context.appendToolCalls([call], { turnId, keys: [key] });
    else this.#context.extendLast((message) => ({ ...message, toolPayload: { toolCalls: [...own, call] } }), [key]);
  }

  /** Results of one turn, in the order in which they came; a second result of a call is left out. */
  toolResults(events: readonly ToolResultEvent[], turnId?: string | null): Done {
    const placed = events.map((event) => ({ event, turn: this.#turnOf(event, turnId) }));
    const other = placed.find(({ turn }) => turn !== placed[0]!.turn);
    if (other !== undefined)
      fail(
        "invalid",
        `Results of turns ${placed[0]!.turn} and ${other.turn} came in one batch. Send each turn's results separately.`,
      );
    const made = placed.flatMap(({ event, turn }) => {
      const id = event.toolInvocationId ?? null;
      const { isNew, contextId } = this.#known.calls.answered(turn, id, event.toolName);
      if (!isNew) return [];
      const trace = this.#trace(turn, "tool_result", SOURCE_EVENTS.toolResult, {
        toolName: event.toolName,
        toolCallId: id,
        ...(event.toolArgs != null && { toolArgs: event.toolArgs }),
        toolResult: event.result,
        toolError: event.error ?? null,
        ...(event.toolResultRef != null && { toolResultRef: event.toolResultRef }),
      });
      return [{ event, turn, trace, contextId }];
    });
    if (made.length === 0) return undefined;
    let done: Done;
    try {
      done = this.#options.store.add(made.map(({ trace }) => trace));
    } catch (error) {
      // What was not written may be told again, and is no second result then.
      for (const { event, turn } of made) this.#known.calls.takeBack(turn, event.toolInvocationId ?? null);
      throw error;
    }
    for (const { event, turn, trace, contextId } of made) {
      const origin = { turnId: turn, keys: [traceKey(trace)] };
      this.#context.appendToolResult(contextId, event.toolName, event.result ?? null, event.error ?? null, origin);
    }
    return done;
  }

  #turnOf(event: ToolResultEvent, turnId?: string | null): string {
    return (
      event.turnId ??
      this.#known.calls.turnOf(event.toolInvocationId) ??
      turnId ??
      fail("invalid", "turnId is required to ingest tool result")
    );
  }

  assistantResponse(response: CompleteResponse, turnId: string, sourceEvent: string): Done {
    const content = response.content ?? "";
    const reasoning = response.reasoning ?? null;
    const traces = [
      ...(this.#options.generation === 2 && reasoning
        ? [this.#trace(turnId, "reasoning", sourceEvent, { content: reasoning })]
        : []),
      this.#trace(turnId, "assistant", sourceEvent, { content, ...this.#tags("final") }),
    ];
    const keys = traces.map(traceKey);
    const done = this.#options.store.add(traces);
    const stop = response.stopReason === undefined ? {} : { stopReason: response.stopReason };
    const last = this.#context.growing;
    const isOfCalls =
      last !== null && last.turnId === turnId && last.message.content === null && callsOf(last.message).length > 0;
    if (isOfCalls)
      this.#context.extendLast(
        (message) => ({ ...message, ...stop, content: content || null, reasoningContent: reasoning }),
        keys,
      );
    else if (content !== "" || reasoning !== null)
      this.#context.appendMessage(
        { role: "assistant", content, reasoningContent: reasoning, toolPayload: null, ...stop },
        { turnId, keys },
      );
    return done;
  }

  /** Tools are done: a short word of the user, in the same turn; their results stand in the context already. */
  continuation(turnId: string): Done {
    const written =
      this.#options.generation === 2
        ? [this.#trace(turnId, "tool_continuation", SOURCE_EVENTS.continuation, { content: CONTINUATION_TEXT })]
        : [];
    const done = written.length === 0 ? undefined : this.#options.store.add(written);
    this.#context.appendUser(CONTINUATION_TEXT, {}, { turnId, keys: written.map(traceKey) });
    return done;
  }

  /** The turn was broken off: its calls wait for nothing any more. */
  interrupted(turnId: string): Done {
    this.#known.interrupted.add(turnId);
    const content = `turn '${turnId}' was interrupted`;
    return this.#options.store.add([this.#trace(turnId, "operation_boundary", SOURCE_EVENTS.interrupted, { content })]);
  }

  get #context(): WorkingContextSnapshot {
    return this.#options.context();
  }

  #tags = (tag: string): { tags?: readonly string[] } => (this.#options.generation === 1 ? { tags: [tag] } : {});

  #trace(turnId: string, traceType: string, sourceEvent: string, more: Partial<RawTrace>): RawTrace {
    const ms = this.#options.host.now();
    const seq = (this.#known.seqs.get(turnId) ?? 0) + 1;
    this.#known.seqs.set(turnId, seq);
    return {
      id: traceId(this.#options.host, ms),
      ts: ms / 1000,
      turnId,
      seq,
      traceType,
      content: "",
      sourceEvent,
      ...more,
    };
  }
}
