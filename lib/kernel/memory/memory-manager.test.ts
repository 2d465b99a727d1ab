import { describe, expect, test } from "vitest";
import { callsOf } from "../context/message.ts";
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import { CONTINUATION_TEXT } from "./ingest-types.ts";
import { memoryIngestInputProcessor, memoryIngestToolResultProcessor } from "./ingest-processors.ts";
import { MemoryManager, type MemoryManagerOptions } from "./memory-manager.ts";
import { storeOf, testHost, trace } from "./testing-memory.ts";
import type { RawTrace } from "./memory-types.ts";

const memoryOf = (store = new InMemoryMemoryStore(), more: Partial<MemoryManagerOptions> = {}): MemoryManager =>
  new MemoryManager({ store, host: testHost(), ...more });
const types = (memory: MemoryManager): string[] => memory.store.listTraces().map(({ traceType }) => traceType);
const roles = (memory: MemoryManager): string[] => memory.getWorkingContextMessages().map(({ role }) => role);
const callA = { id: "call_1", name: "read_file", arguments: { path: "x" } };

describe("what is taken in", () => {
  test("shares its turn and counts within it", () => {
    const memory = memoryOf();
    const turn = memory.startTurn();
    memory.ingestUserMessage({ content: "Hello", image_urls: ["i.png"] }, turn);
    memory.ingestAssistantResponse({ content: "Hi" }, turn);
    expect(memory.store.listTraces()).toMatchObject([
      {
        turnId: "turn_0001",
        seq: 1,
        traceType: "user",
        tags: ["processed"],
        sourceEvent: "LLMUserMessageReadyEvent",
        media: { images: ["i.png"] },
      },
      { turnId: "turn_0001", seq: 2, traceType: "assistant", tags: ["final"], content: "Hi" },
    ]);
    expect(memory.store.listTraces()[0]!.id).toMatch(/^rt_\d{13}_[0-9a-f]{8}$/);
    expect(memory.store.listTraces()[0]!.ts, "seconds").toBeLessThan(1e10);
  });

  test("a call and its result are two messages and one interaction", () => {
    const memory = memoryOf();
    const turn = memory.startTurn();
    memory.ingestToolIntent(callA, turn);
    memory.ingestToolResult({ toolName: "read_file", result: "text", toolInvocationId: "call_1", turnId: turn });
    expect(roles(memory)).toEqual(["assistant", "tool"]);
    expect(memory.getToolInteractions()).toMatchObject([{ toolName: "read_file", status: "success", result: "text" }]);
    expect(memory.store.listTraces().map(({ sourceEvent }) => sourceEvent)).toEqual([
      "PendingToolInvocationEvent",
      "ToolResultEvent",
    ]);
  });

  test("a call without any turn is refused, and leaves nothing", () => {
    const memory = memoryOf();
    expect(() => memory.ingestToolIntent(callA)).toThrow("turnId is required to ingest tool intent");
    expect(() => memory.ingestToolResult({ toolName: "t", result: 1 })).toThrow("turnId is required");
    expect(types(memory)).toEqual([]);
    expect(roles(memory)).toEqual([]);
  });

  test("a result belongs to the turn of its call, also when the next message came first", () => {
    const memory = memoryOf();
    const first = memory.startTurn();
    memory.ingestToolIntent(callA, first);
    const second = memory.startTurn();
    memory.ingestUserMessage("Next", second);
    memory.ingestToolResult({ toolName: "read_file", result: "late", toolInvocationId: "call_1" }, second);
    expect(memory.store.listTraces().at(-1)).toMatchObject({ turnId: first, seq: 2 });
  });

  test("calls of one answer are one message with its words, told in either order of the log", () => {
    const memory = memoryOf();
    const turn = memory.startTurn();
    memory.ingestUserMessage("Do it", turn);
    memory.ingestToolIntents([callA, { ...callA, id: "call_2", nativeToolCallContext: { signature: "s" } }], turn);
    memory.ingestAssistantResponse({ content: "On it", reasoning: "Because" }, turn);
    memory.ingestToolResults(
      [
        { toolName: "read_file", result: { stdout: "/tmp/project\n" }, toolInvocationId: "call_2" },
        { toolName: "read_file", result: "one", toolInvocationId: "call_1" },
      ],
      turn,
    );
    memory.ingestAssistantResponse({ content: "Done" }, turn);
    const messages = memory.getWorkingContextMessages();
    expect(messages.map(({ role }) => role)).toEqual(["assistant", "tool", "tool", "assistant"]);
    expect(messages[0]).toMatchObject({ content: "On it", reasoningContent: "Because" });
    expect(callsOf(messages[0]!)).toMatchObject([
      { id: "call_1" },
      { id: "call_2", nativeToolCallContext: { signature: "s" } },
    ]);
    expect(messages[1]).toMatchObject({
      toolPayload: { toolCallId: "call_2", toolResult: { stdout: "/tmp/project\n" } },
    });
    expect(types(memory), "calls stand before the words of their answer").toEqual([
      "user",
      "tool_call",
      "tool_call",
      "assistant",
      "tool_result",
      "tool_result",
      "assistant",
    ]);
  });

  test("a second result of a call is left out, an id that is used again is not", () => {
    const memory = memoryOf();
    const turn = memory.startTurn();
    const answer = (result: string): unknown =>
      memory.ingestToolResult({ toolName: "read_file", result, toolInvocationId: "call_1" }, turn);
    memory.ingestToolIntent(callA, turn);
    answer("first");
    answer("again");
    memory.ingestToolIntent(callA, turn);
    answer("second");
    expect(memory.getToolInteractions().map((one) => one.result)).toEqual(["first", "second"]);
    expect(roles(memory)).toEqual(["assistant", "tool", "assistant", "tool"]);
    const stray = memoryOf();
    stray.ingestToolResult({ toolName: "t", result: 1, toolInvocationId: "lost" }, "turn_0001");
    stray.ingestToolResult({ toolName: "t", result: 2, toolInvocationId: "lost" }, "turn_0001");
    expect(stray.store.listTraces()).toHaveLength(1);
  });

  test("a batch keeps its order and belongs to one turn", () => {
    const memory = memoryOf();
    const [one, two] = [memory.startTurn(), memory.startTurn()];
    const of = (id: string, turnId: string) => ({ toolName: "t", result: id, toolInvocationId: id, turnId });
    memory.ingestToolResults([of("B", one), of("A", one), of("B", one)], null);
    expect(memory.store.listTraces().map(({ toolCallId }) => toolCallId)).toEqual(["B", "A"]);
    expect(() => memory.ingestToolResults([of("C", one), of("D", two)])).toThrow(/Send each turn's results separately/);
    expect(memory.store.listTraces()).toHaveLength(2);
  });

  test("calls without an id are answered by tool and order, in the context as well", () => {
    const memory = memoryOf();
    const turn = memory.startTurn();
    memory.ingestToolIntents(
      [
        { ...callA, id: null },
        { ...callA, id: null },
      ],
      turn,
    );
    memory.ingestToolResult({ toolName: "read_file", result: "first" }, turn);
    memory.ingestToolResult({ toolName: "read_file", result: "second" }, turn);
    const [calls, first, second] = memory.getWorkingContextMessages();
    const ids = callsOf(calls!).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect([first, second].map((message) => (message!.toolPayload as { toolCallId: string }).toolCallId)).toEqual(ids);
    expect(memory.getToolInteractions().map(({ pairing }) => pairing)).toEqual(["positional", "positional"]);
  });

  test("after the tools a short word goes on, and says no result again", () => {
    const memory = memoryOf();
    const turn = memory.startTurn();
    memory.ingestToolIntent(callA, turn);
    memory.ingestToolResult({ toolName: "read_file", result: "payload", toolInvocationId: "call_1" }, turn);
    memory.ingestToolContinuation(turn);
    expect(memory.getWorkingContextMessages().at(-1)).toMatchObject({ role: "user", content: CONTINUATION_TEXT });
    expect(JSON.stringify(memory.getWorkingContextMessages()).match(/payload/g)).toHaveLength(1);
    expect(types(memory), "the first generation knows no such trace").toEqual(["tool_call", "tool_result"]);
    const second = memoryOf(undefined, { generation: 2 });
    second.ingestToolContinuation(turn);
    second.ingestAssistantResponse({ content: "Done", reasoning: "Because" }, turn);
    expect(types(second)).toEqual(["tool_continuation", "reasoning", "assistant"]);
    expect(second.store.listTraces().some((one) => one.tags !== undefined)).toBe(false);
  });

  test("comes as one stream, too", () => {
    const memory = memoryOf();
    const turnId = memory.startTurn();
    memory.ingest({ kind: "user", message: { content: "Hi" }, turnId });
    memory.ingest({ kind: "tool_call", invocation: callA, turnId });
    memory.ingest({
      kind: "tool_result",
      event: { toolName: "read_file", result: 0, toolInvocationId: "call_1" },
      turnId,
    });
    memory.ingest({ kind: "continuation", turnId });
    memory.ingest({ kind: "assistant", response: { content: "Bye" }, turnId });
    memory.ingest({ kind: "interrupted", turnId });
    expect(types(memory)).toEqual(["user", "tool_call", "tool_result", "assistant", "operation_boundary"]);
  });

  test("an offloaded result is its envelope, word for word, beside the artifact that holds it", () => {
    const memory = memoryOf();
    const envelope = { artifact_id: "art_0123456789abcdef", size_bytes: 9000, preview: "first" };
    memory.ingestToolIntent(callA, "turn_0001");
    memory.ingestToolResult(
      { toolName: "read_file", result: envelope, toolInvocationId: "call_1", toolResultRef: "art_0123456789abcdef" },
      "turn_0001",
    );
    const stored = memory.store.listTraces().at(-1);
    expect(stored).toMatchObject({ toolResult: envelope, toolResultRef: "art_0123456789abcdef" });
    expect(memory.getWorkingContextMessages().at(-1)).toMatchObject({ toolPayload: { toolResult: envelope } });
  });

  test("leaves the context as it was when the store refuses it, and may be told again", () => {
    const store = new InMemoryMemoryStore();
    const memory = memoryOf(store);
    memory.ingestToolIntent(callA, "turn_0001");
    const add = store.add.bind(store);
    store.add = () => {
      throw new Error("disk full");
    };
    const event = { toolName: "read_file", result: "ok", toolInvocationId: "call_1", turnId: "turn_0001" };
    expect(() => memory.ingestToolResult(event)).toThrow("disk full");
    expect(() => memory.ingestAssistantResponse({ content: "words" }, "turn_0001")).toThrow("disk full");
    expect(roles(memory)).toEqual(["assistant"]);
    store.add = add;
    memory.ingestToolResult(event);
    expect(roles(memory)).toEqual(["assistant", "tool"]);
  });
});

describe("after a start", () => {
  test("turns and their counts go on behind what is there, archive included", () => {
    const store = storeOf(trace(3, 4));
    store.add([trace(5, 2)]);
    store.compact({ runId: "r", episodic: [], semantic: [], remove: new Set(), snapshot: null });
    const memory = memoryOf(store);
    memory.ingestUserMessage("more", "turn_0003");
    expect(store.listTraces().at(-1)?.seq).toBe(5);
    expect(memory.startTurn()).toBe("turn_0006");
  });

  test("a call that was out is still out, and a result that was there is not taken twice", () => {
    const first = memoryOf();
    first.ingestToolIntents([callA, { ...callA, id: "call_2" }], "turn_0001");
    first.ingestToolResult({ toolName: "read_file", result: 1, toolInvocationId: "call_1" }, "turn_0001");
    const memory = memoryOf(first.store as InMemoryMemoryStore);
    memory.ingestToolResult({ toolName: "read_file", result: 1, toolInvocationId: "call_1" }, "turn_0001");
    memory.ingestToolResult({ toolName: "read_file", result: 2, toolInvocationId: "call_2" }, "turn_0009");
    expect(memory.store.listTraces().at(-1)).toMatchObject({ toolCallId: "call_2", turnId: "turn_0001" });
    expect(memory.store.listTraces()).toHaveLength(4);
  });
});

describe("the raw tail", () => {
  const ids = (traces: readonly RawTrace[]): string[] => traces.map(({ turnId, seq }) => `${turnId}:${seq}`);

  test("is the last turns, by turn and seq", () => {
    const memory = memoryOf(storeOf(trace(1, 1), trace(1, 2), trace(2, 1), trace(3, 2), trace(3, 1)));
    expect(ids(memory.getRawTail(2))).toEqual(["turn_0002:1", "turn_0003:1", "turn_0003:2"]);
    expect(memory.getRawTail(0)).toEqual([]);
  });

  test("leaves the turn out that is excluded", () => {
    const memory = memoryOf(storeOf(trace(1, 1), trace(2, 1), trace(3, 1)));
    expect(ids(memory.getRawTail(2, "turn_0003"))).toEqual(["turn_0001:1", "turn_0002:1"]);
    expect(ids(memory.getTracesForTurns(["turn_0002"]))).toEqual(["turn_0002:1"]);
  });
});

describe("the processors of an agent's pipelines", () => {
  test("run behind all others", () => {
    expect([memoryIngestInputProcessor.order, memoryIngestToolResultProcessor.order]).toEqual([900, 900]);
  });

  test("a message of the user begins a turn, one of a tool goes on with it", async () => {
    const state = { memoryManager: memoryOf(), activeTurnId: null as string | null };
    await memoryIngestInputProcessor.process({ content: "Hello", senderType: "user" }, state);
    expect(state.activeTurnId).toBe("turn_0001");
    await memoryIngestInputProcessor.process({ content: "results", senderType: "tool" }, state);
    expect(state.activeTurnId).toBe("turn_0001");
    expect(types(state.memoryManager)).toEqual(["user"]);
  });

  test("a result goes to its turn, else the one under way, else nowhere", async () => {
    const state = { memoryManager: memoryOf(), activeTurnId: "turn_0007" as string | null };
    const event = { toolName: "t", result: 1, toolInvocationId: "a" };
    await memoryIngestToolResultProcessor.process({ ...event, turnId: "turn_0002" }, state);
    await memoryIngestToolResultProcessor.process({ ...event, toolInvocationId: "b" }, state);
    expect(state.memoryManager.store.listTraces().map(({ turnId }) => turnId)).toEqual(["turn_0002", "turn_0007"]);
    state.activeTurnId = null;
    await memoryIngestToolResultProcessor.process({ ...event, toolInvocationId: "c" }, state);
    expect(state.memoryManager.store.listTraces()).toHaveLength(2);
  });

  test("without a memory they change nothing", async () => {
    const state = { memoryManager: null, activeTurnId: "turn_0001" };
    const message = { content: "Hello" };
    expect(await memoryIngestInputProcessor.process(message, state)).toBe(message);
    await memoryIngestToolResultProcessor.process({ toolName: "t", result: 1 }, state);
    expect(state.activeTurnId).toBe("turn_0001");
  });
});
