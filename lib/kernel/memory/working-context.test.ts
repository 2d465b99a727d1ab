import { describe, expect, test } from "vitest";
import { deserializeSnapshot, serializeSnapshot, validateSnapshot } from "./snapshot-serializer.ts";
import type { MemorySnapshot } from "./memory-types.ts";
import { callGroups, WorkingContextSnapshot } from "./working-context.ts";

const filled = (): WorkingContextSnapshot => {
  const context = new WorkingContextSnapshot();
  context.appendUser("Hello");
  context.appendAssistant("Hi", "Because");
  context.appendToolCalls([{ id: "c1", name: "run", arguments: {} }]);
  context.appendToolResult("c1", "run", "ok");
  return context;
};

describe("the working context", () => {
  test("grows message by message", () => {
    const messages = filled().buildMessages();
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "tool"]);
    expect(messages[1]).toMatchObject({ content: "Hi", reasoningContent: "Because" });
    expect(messages[2]).toMatchObject({ content: null, toolPayload: { toolCalls: [{ id: "c1" }] } });
    expect(messages[3]).toMatchObject({ toolPayload: { toolCallId: "c1", toolResult: "ok", toolError: null } });
  });

  test("begins the next epoch with a compaction, and says when", () => {
    const context = filled();
    expect([context.epochId, context.lastCompactionTs]).toEqual([1, null]);
    context.reset([{ role: "user", content: "snapshot", toolPayload: null }], 1770);
    expect([context.epochId, context.lastCompactionTs]).toEqual([2, 1770]);
    expect(context.buildMessages().map(({ content }) => content)).toEqual(["snapshot"]);
  });

  test("goes on in its epoch when it is restored", () => {
    const messages = filled().buildMessages();
    const context = WorkingContextSnapshot.restore({ messages, epochId: 7, lastCompactionTs: 5 });
    expect([context.epochId, context.lastCompactionTs]).toEqual([7, 5]);
    expect(context.buildMessages()).toEqual(messages);
    context.raiseEpoch(3);
    expect(context.epochId, "it never goes back").toBe(7);
  });

  test("tells which calls wait, together with the results that their message has already", () => {
    const context = filled();
    context.appendToolCalls([
      { id: "c1", name: "run", arguments: {} },
      { id: "c2", name: "run", arguments: {} },
    ]);
    context.appendToolResult("c2", "run", "second");
    expect(callGroups(context.entries).map(({ isOpen }) => isOpen)).toEqual([false, false, false, false, true, true]);
    const heads = callGroups(context.entries).map(({ head }) => context.entries.indexOf(head));
    expect(heads).toEqual([0, 1, 2, 2, 4, 4]);
    context.appendToolResult("c1", "run", "first");
    expect(callGroups(context.entries).some(({ isOpen }) => isOpen)).toBe(false);
  });
});

describe("a kept context", () => {
  const snapshot: MemorySnapshot = {
    agentId: "agent_1",
    epochId: 3,
    lastCompactionTs: 1770.5,
    schemaVersion: 1,
    messages: [
      {
        role: "system",
        content: "S",
        reasoningContent: null,
        imageUrls: [],
        audioUrls: [],
        videoUrls: [],
        toolPayload: null,
      },
      {
        role: "user",
        content: "Look",
        reasoningContent: null,
        imageUrls: ["i.png"],
        audioUrls: ["a.wav"],
        videoUrls: ["v.mp4"],
        toolPayload: null,
      },
      {
        role: "assistant",
        content: "Yes",
        reasoningContent: "Because",
        imageUrls: [],
        audioUrls: [],
        videoUrls: [],
        toolPayload: null,
      },
      {
        role: "assistant",
        content: null,
        reasoningContent: null,
        imageUrls: [],
        audioUrls: [],
        videoUrls: [],
        toolPayload: {
          toolCalls: [{ id: "c1", name: "run", arguments: { a: 1 }, nativeToolCallContext: { sig: "x" } }],
        },
      },
      {
        role: "tool",
        content: null,
        reasoningContent: null,
        imageUrls: [],
        audioUrls: [],
        videoUrls: [],
        toolPayload: { toolCallId: "c1", toolName: "run", toolResult: { ok: false }, toolError: "e" },
      },
    ],
  };

  test("comes back as it was, thoughts, attachments and what a provider wants back included", () => {
    const text = JSON.stringify(serializeSnapshot(snapshot));
    expect(deserializeSnapshot(JSON.parse(text))).toEqual(snapshot);
    expect(Object.keys(JSON.parse(text))).toEqual([
      "schema_version",
      "agent_id",
      "epoch_id",
      "last_compaction_ts",
      "messages",
    ]);
    expect(Object.keys(JSON.parse(text).messages[3])).toEqual([
      "role",
      "content",
      "reasoning_content",
      "image_urls",
      "audio_urls",
      "video_urls",
      "tool_payload",
    ]);
  });

  test("is written as text where JSON has no word for it", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const values = [10n, circular, () => 1, Symbol("s"), undefined];
    const written = serializeSnapshot({
      ...snapshot,
      messages: values.map((toolResult) => ({
        role: "tool",
        content: null,
        toolPayload: { toolCallId: "c", toolName: "t", toolResult, toolError: null },
      })),
    });
    const back = deserializeSnapshot(JSON.parse(JSON.stringify(written)));
    expect(back!.messages.map(({ toolPayload }) => (toolPayload as { toolResult: unknown }).toolResult)).toEqual([
      "10",
      "[object Object]",
      "() => 1",
      "Symbol(s)",
      null,
    ]);
  });

  test("is none without an agent, a version, or messages with roles", () => {
    const json = serializeSnapshot(snapshot);
    expect(validateSnapshot(json)).toBe(true);
    const { agent_id: _agent, ...withoutAgent } = json;
    const bad = [
      withoutAgent,
      { ...json, schema_version: "1" },
      { ...json, messages: {} },
      { ...json, messages: [{}] },
      null,
      [],
      3,
    ];
    for (const one of bad) {
      expect(validateSnapshot(one)).toBe(false);
      expect(deserializeSnapshot(one)).toBeNull();
    }
  });

  test("of the second generation has exactly its version", () => {
    const json = serializeSnapshot({ ...snapshot, schemaVersion: 3 });
    expect(deserializeSnapshot(json, { schemaVersion: 3 })?.schemaVersion).toBe(3);
    expect(deserializeSnapshot(json, { schemaVersion: 2 })).toBeNull();
    expect(deserializeSnapshot({ ...json, schema_version: 4 }, { schemaVersion: 3 })).toBeNull();
  });

  test("of a stranger is read without its oddities", () => {
    expect(
      deserializeSnapshot({
        schema_version: 1,
        agent_id: "a",
        epoch_id: -2,
        messages: [
          { role: "developer", content: 7, image_urls: ["x", 3], tool_payload: { tool_calls: [{ id: 1 }, "no"] } },
          { role: "tool", tool_payload: { tool_name: "t" } },
        ],
      }),
    ).toMatchObject({
      epochId: 1,
      lastCompactionTs: null,
      messages: [
        {
          role: "user",
          content: null,
          imageUrls: ["x"],
          toolPayload: { toolCalls: [{ id: "", name: "", arguments: {} }] },
        },
        { role: "tool", toolPayload: null },
      ],
    });
  });
});
