import { describe, expect, test } from "vitest";
import { callsOf, resultOf, type Message } from "../context/message.ts";
import { Compactor } from "./compactor.ts";
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import { MemoryManager, type MemoryManagerOptions } from "./memory-manager.ts";
import { CompactionPolicy, type CompactionPolicyOptions } from "./compaction-policy.ts";
import { LLMRequestAssembler, type RequestAssemblerOptions } from "./request-assembler.ts";
import type { Retriever } from "./retriever.ts";
import { episode, plainSummarizer, storeOf, testHost, trace } from "./testing-memory.ts";
import type { CompactionRun, Summarizer } from "./memory-types.ts";

type Given = {
  readonly store?: InMemoryMemoryStore;
  readonly summarizer?: Summarizer;
  readonly policy?: CompactionPolicyOptions;
  readonly memory?: Partial<MemoryManagerOptions>;
  readonly assembler?: RequestAssemblerOptions;
};

function agentOf({ store = new InMemoryMemoryStore(), summarizer = plainSummarizer, ...given }: Given = {}) {
  const host = testHost();
  const runs: CompactionRun[] = [];
  const policy = new CompactionPolicy({ rawTailTurns: 1, ...given.policy });
  const compactor = new Compactor({ store, summarizer, host, policy, onRun: (run) => runs.push(run) });
  const memory = MemoryManager.open({ store, host, compactor, agentId: "agent_1", ...given.memory });
  const assembler = new LLMRequestAssembler(memory, { render: (messages) => ({ messages }) }, given.assembler);
  const ask = async (text: string) => {
    const turn = memory.startTurn();
    await memory.ingestUserMessage(text, turn);
    return { turn, request: await assembler.prepareRequest(text, turn, "System") };
  };
  const talk = async (text: string) => {
    const request = await ask(text);
    await memory.ingestAssistantResponse({ content: `re: ${text}` }, request.turn);
    return request;
  };
  return { store, memory, assembler, runs, ask, talk };
}
const roles = (messages: readonly Message[]): string[] => messages.map(({ role }) => role);
const BUDGET = { inputBudget: 1000, compactionRatio: 0.8 };

describe("a request", () => {
  test("goes through its stages in order, and the context that is kept does not", async () => {
    const seen: string[] = [];
    const stage =
      (name: string) =>
      (messages: readonly Message[]): readonly Message[] => {
        seen.push(name);
        return [...messages, { role: "user", content: name, toolPayload: null }];
      };
    const { ask, memory } = agentOf({ assembler: { stages: [stage("pruned"), stage("recalled")] } });
    const { request } = await ask("Hello");
    expect(seen).toEqual(["pruned", "recalled"]);
    expect(request.messages.map(({ content }) => content)).toEqual(["System", "Hello", "pruned", "recalled"]);
    expect(memory.getWorkingContextMessages().map(({ content }) => content)).toEqual(["System", "Hello"]);
  });

  test("is the system prompt and the user's words, rendered", async () => {
    const { request } = await agentOf().ask("Hello");
    expect(roles(request.messages)).toEqual(["system", "user"]);
    expect(request).toMatchObject({ didCompact: false, compaction: null, epochId: 1 });
    expect(request.renderedPayload).toEqual({ messages: request.messages });
  });

  test("begins with what memory says when a compaction was asked for", async () => {
    const { memory, ask, store, talk } = agentOf();
    await talk("one");
    await talk("two");
    store.add([episode("ep_0", "Did a thing.")]);
    memory.requestCompaction();
    const { request } = await ask("three");
    expect(request).toMatchObject({ didCompact: true, epochId: 2, compaction: { status: "complete" } });
    expect(roles(request.messages)).toEqual(["system", "user", "user"]);
    expect(request.messages[1]!.content).toContain("Did a thing.");
    expect(request.messages[1]!.content).toContain("[RECENT TURNS]\nTurn 2:\n  User: two");
    expect(request.messages[2]!.content).toBe("three");
    expect(request.messages[1]!.content, "said once").not.toContain("three");
    expect(memory.compactionRequired).toBe(false);
  });

  test("tells in all sections what was said: the summary, the facts, the turns that stayed", async () => {
    const summarizer: Summarizer = {
      summarize: (traces) => ({
        summary: traces.map(({ content }) => content).join(" | "),
        facts: [{ fact: "user wants pong" }],
      }),
    };
    const { memory, ask, talk } = agentOf({ summarizer });
    for (const text of ["turn 0 user", "turn 1 user"]) await talk(text);
    memory.requestCompaction();
    const { request } = await ask("turn 2 user");
    expect(request.messages[1]!.content).toBe(
      [
        "[MEMORY:EPISODIC]\n1) turn 0 user | re: turn 0 user",
        "[MEMORY:SEMANTIC]\n- user wants pong",
        "[RECENT TURNS]\nTurn 2:\n  User: turn 1 user\n  Assistant: re: turn 1 user",
      ].join("\n\n"),
    );
  });

  test("goes on without new words of the user, each call with its one result", async () => {
    const { memory, assembler, ask } = agentOf();
    const { turn } = await ask("Go");
    memory.ingestToolIntents(
      [
        { id: "a", name: "run", arguments: {} },
        { id: "b", name: "run", arguments: {} },
      ],
      turn,
    );
    memory.ingestToolResult({ toolName: "run", result: "B", toolInvocationId: "b" }, turn);
    memory.ingestToolResult({ toolName: "run", result: "A", toolInvocationId: "a" }, turn);
    const { messages } = await assembler.prepareRequest(null, turn);
    expect(roles(messages)).toEqual(["system", "user", "assistant", "tool", "tool"]);
    expect(messages.slice(3).map((message) => resultOf(message)?.toolCallId)).toEqual(["a", "b"]);
  });
});

describe("what asks for a compaction", () => {
  test("is the prompt that the provider counted, of the epoch that was sent", async () => {
    const { memory, ask, talk } = agentOf();
    await talk("one");
    const { request } = await talk("two");
    expect(memory.observeUsage({ promptTokens: 800, epochId: 1 }, BUDGET)).toBeNull();
    expect(memory.observeUsage({ promptTokens: 801, epochId: 1 }, BUDGET)).toBe("early");
    expect((await ask("three")).request.didCompact).toBe(true);
    expect(memory.observeUsage({ promptTokens: 99_999, epochId: request.epochId }, BUDGET)).toBe("stale");
    expect(memory.compactionRequired).toBe(false);
    expect(memory.observeUsage({ promptTokens: 99_999, epochId: 2 }, null), "no budget is known").toBeNull();
    expect(memory.observeUsage({ promptTokens: 1001, epochId: 2 }, BUDGET)).toBe("budget");
  });

  test("compacts at most once in a turn of the user, and then says that it did not help", async () => {
    const { memory, assembler, runs, ask, talk } = agentOf();
    for (const text of ["one", "two", "three"]) await talk(text);
    memory.observeUsage({ promptTokens: 900, epochId: 1 }, BUDGET);
    const { turn, request } = await ask("four");
    expect(request.didCompact).toBe(true);
    memory.observeUsage({ promptTokens: 950, epochId: 2 }, BUDGET);
    const again = await assembler.prepareRequest(null, turn);
    expect(again).toMatchObject({ didCompact: false, epochId: 2, compaction: { status: "nothing_to_compact" } });
    expect(again.compaction?.reason).toBe(
      "The compaction of turn turn_0004 made no room: 900 tokens before, 950 after. No retry in this turn. Shorten the prompt, or raise the budget.",
    );
    expect(runs.at(-1)?.status).toBe("nothing_to_compact");
    await memory.ingestAssistantResponse({ content: "four done" }, turn);
    memory.observeUsage({ promptTokens: 850, epochId: 2 }, BUDGET);
    expect((await ask("five")).request, "another turn may").toMatchObject({ didCompact: true, epochId: 3 });
  });

  test("is told once when there is nothing to compact, and not kept", async () => {
    const { memory, ask, runs } = agentOf();
    memory.requestCompaction();
    const { request } = await ask("one");
    expect(request.compaction).toMatchObject({ status: "nothing_to_compact", result: null });
    expect(request.didCompact).toBe(false);
    expect(runs).toHaveLength(1);
    expect((await ask("two")).request.compaction).toBeNull();
  });

  test("stops the request where that is wanted, with the words of the second generation", async () => {
    const { memory, ask } = agentOf({ assembler: { whenStuck: "fail" } });
    memory.requestCompaction();
    await expect(ask("one")).rejects.toThrow(
      "Memory compaction failed before dispatch: no eligible settled block was available.",
    );
  });

  test("leaves the context as it is when the summarizer fails, tells why, and is not tried again in the turn", async () => {
    const summarizer: Summarizer = { summarize: () => Promise.reject(new Error("The model refused.")) };
    const { memory, store, assembler, ask, talk, runs } = agentOf({ summarizer });
    await talk("one");
    await talk("two");
    const before = memory.getWorkingContextMessages();
    memory.requestCompaction();
    const { turn, request } = await ask("three");
    expect(request.compaction).toMatchObject({ status: "failed", reason: "The model refused.", result: null });
    expect(request.messages.slice(0, -1)).toEqual(before);
    expect(store.listArchived()).toEqual([]);
    expect(request.epochId).toBe(1);
    memory.requestCompaction();
    const again = await assembler.prepareRequest(null, turn);
    expect(again.compaction?.reason).toContain("failed: The model refused. No retry in this turn.");
    expect(runs.filter(({ status }) => status === "planned")).toHaveLength(1);
  });
});

describe("the turn under way", () => {
  test("stays word for word, with what providers want back, while older turns are compacted", async () => {
    const { memory, assembler, ask, talk } = agentOf();
    await talk("one");
    await talk("two");
    const { turn } = await ask("three");
    const native = { signature: "opaque" };
    memory.ingestToolIntent({ id: "c1", name: "run", arguments: {}, nativeToolCallContext: native }, turn);
    memory.ingestToolResult({ toolName: "run", result: "output", toolInvocationId: "c1" }, turn);
    memory.requestCompaction();
    const { messages, didCompact } = await assembler.prepareRequest(null, turn);
    expect(didCompact).toBe(true);
    expect(roles(messages)).toEqual(["system", "user", "user", "assistant", "tool"]);
    expect(messages[2]!.content).toBe("three");
    expect(callsOf(messages[3]!)[0]).toMatchObject({ id: "c1", nativeToolCallContext: native });
    expect(messages[1]!.content).not.toContain("three");
  });

  test("is compacted by settled blocks when it alone is over the budget", async () => {
    const { memory, store, assembler, ask } = agentOf({ policy: { rawTailTurns: 4 } });
    const { turn } = await ask("one long task");
    for (const id of ["c1", "c2", "c3"]) {
      memory.ingestToolIntent({ id, name: "run", arguments: { id } }, turn);
      memory.ingestAssistantResponse({ content: `step ${id}` }, turn);
      memory.ingestToolResult({ toolName: "run", result: `out ${id}`, toolInvocationId: id }, turn);
    }
    memory.observeUsage({ promptTokens: 5000, epochId: 1 }, BUDGET);
    const { messages, compaction } = await assembler.prepareRequest(null, turn);
    expect(compaction).toMatchObject({
      status: "complete",
      run: { unit: "block", turnIds: [turn], trigger: "budget" },
    });
    expect(roles(messages)).toEqual(["system", "user", "assistant", "tool"]);
    expect(messages[1]!.content).toContain("one long task");
    expect(resultOf(messages[3]!)?.toolResult).toBe("out c3");
    expect(store.listTraces().map(({ traceType }) => traceType)).toEqual(["tool_call", "assistant", "tool_result"]);
  });

  test("keeps a call that is still out, so that its result finds it after the compaction", async () => {
    const { memory, assembler, ask, talk } = agentOf();
    await talk("one");
    const { turn } = await ask("two");
    memory.ingestToolIntent({ id: "slow", name: "run", arguments: {} }, turn);
    await talk("three");
    await talk("four");
    const outcome = await memory.compactNow({ trigger: "manual", currentTurnId: null });
    expect(outcome).toMatchObject({ status: "complete", run: { turnIds: ["turn_0001"] } });
    memory.ingestToolResult({ toolName: "run", result: "at last", toolInvocationId: "slow" });
    const { messages } = await assembler.prepareRequest(null);
    const call = messages.findIndex((message) => callsOf(message).some(({ id }) => id === "slow"));
    expect(resultOf(messages[call + 1]!)).toMatchObject({ toolCallId: "slow", toolResult: "at last", toolError: null });
  });

  test("has its broken-off calls told as words in the next request, and as calls again when a result comes", async () => {
    const { memory, assembler, ask } = agentOf();
    const { turn } = await ask("Go");
    memory.ingestToolIntents(
      [
        { id: "a", name: "list", arguments: {} },
        { id: "b", name: "rm", arguments: {} },
      ],
      turn,
    );
    memory.ingestToolResult({ toolName: "list", result: ["x"], toolInvocationId: "a" }, turn);
    memory.interruptTurn(turn);
    const { messages } = await assembler.prepareRequest("Stop", memory.startTurn());
    expect(roles(messages)).toEqual(["system", "user", "assistant", "user", "user"]);
    expect(messages[2]!.content).toBe(
      'Interrupted tool request was fenced from native tool-call history. Tool request(s): list, rm.\nCompleted tool results before interruption:\n- list (a): Result: ["x"]',
    );
    expect(messages[4]!.content).toBe("Note: turn 'turn_0001' was interrupted.");
    memory.ingestToolResult({ toolName: "rm", result: null, error: "EPERM", toolInvocationId: "b" }, turn);
    const whole = await assembler.prepareRequest(null);
    expect(whole.messages.filter((message) => resultOf(message) !== null)).toHaveLength(2);
  });
});

describe("the context after a start", () => {
  test("is the one that was kept, in its epoch, and memory is not asked", async () => {
    const { memory, store, talk } = agentOf();
    for (const text of ["one", "two", "three"]) await talk(text);
    await memory.compactNow({ tailTurns: 1 });
    await talk("four");
    const kept = memory.getWorkingContextMessages();
    const retrieve = (): never => {
      throw new Error("asked");
    };
    const again = agentOf({ store, memory: { retriever: { retrieve } as unknown as Retriever } }).memory;
    expect([again.epochId, memory.epochId]).toEqual([2, 2]);
    expect(again.getWorkingContextMessages()).toEqual(kept);
  });

  test("is made of memory and of every turn that is raw where none was kept", () => {
    const store = storeOf(trace(1, 1, { content: "old" }), ...[2, 3, 4, 5, 6].map((turn) => trace(turn, 1)));
    store.add([episode("ep_1", "Before that.")]);
    const { memory } = agentOf({ store, memory: { systemPrompt: "System" } as Partial<MemoryManagerOptions> });
    const [system, user, ...rest] = memory.getWorkingContextMessages();
    expect(rest).toEqual([]);
    expect(system?.content).toBe("System");
    expect(user?.content).toContain("[MEMORY:EPISODIC]\n1) Before that.");
    expect(user?.content).toContain("User: old");
    expect(memory.epochId).toBe(1);
  });

  test("has the results that the log has, and the calls that are still out, though it was kept before them", async () => {
    const { store, memory, ask, talk } = agentOf();
    await talk("one");
    const { turn } = await ask("two");
    memory.ingestToolIntents(
      [
        { id: "a", name: "run", arguments: {} },
        { id: "b", name: "run", arguments: {} },
      ],
      turn,
    );
    await memory.ingestAssistantResponse({ content: "both" }, turn);
    memory.ingestToolResult({ toolName: "run", result: "came", toolInvocationId: "a" }, turn);
    memory.ingestToolIntent({ id: "c", name: "late", arguments: { n: 1 } }, turn);
    // The process ends here: the context was kept before the result and the last call.
    const { memory: next, assembler } = agentOf({ store });
    next.ingestToolResult({ toolName: "late", result: "found", toolInvocationId: "c" });
    const { messages } = await assembler.prepareRequest("go on");
    const results = messages.flatMap((message) => resultOf(message) ?? []);
    expect(results.map(({ toolCallId, toolResult, synthetic }) => [toolCallId, toolResult, synthetic])).toEqual([
      ["a", "came", undefined],
      ["b", null, true],
      ["c", "found", undefined],
    ]);
  });

  test("is kept after a reset and after each answer, not after each word", async () => {
    const { memory, store } = agentOf();
    memory.resetWorkingContextSnapshot([{ role: "system", content: "S", toolPayload: null }]);
    expect(store.readSnapshot()).toMatchObject({ agentId: "agent_1", epochId: 2, schemaVersion: 1 });
    memory.ingestToolIntent({ id: "c", name: "run", arguments: {} }, "turn_0001");
    expect(store.readSnapshot()?.messages).toHaveLength(1);
    memory.ingestAssistantResponse({ content: "A" }, "turn_0001");
    expect(roles(store.readSnapshot()!.messages)).toEqual(["system", "assistant"]);
    const silent = agentOf({ memory: { keepSnapshots: "epoch" } });
    await silent.talk("one");
    expect(silent.store.readSnapshot()).toBeNull();
  });
});
