import { expect, test } from "vitest";
import type { Message } from "../message.ts";
import { render } from "../render.ts";
import { LEAD_IN } from "./parts.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { call, calling, PNG, result, said } from "./testing-messages.ts";

const request = (given: readonly Message[], options: RenderOptions = {}) => render(given, "anthropic", options).request;

/** Of lists that begin with an answer. */
const lead = { role: "user", content: LEAD_IN };

const searched = [
  calling(null, call("call_1", "search", { query: "autobyteus" })),
  result("call_1", "search", { status: "ok" }),
];

test("a call and its result are blocks, and no plain words", () => {
  const { messages } = request(searched);
  expect(messages).toEqual([
    lead,
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "call_1", name: "search", input: { query: "autobyteus" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: '{"status":"ok"}' }] },
  ]);
  expect(JSON.stringify(messages)).not.toContain("[TOOL_");
});

test("system text is the parameter of its own", () => {
  const given = [
    said("system", "Be brief."),
    said("user", "Hello"),
    said("system", "In English."),
    said("assistant", "Hi"),
  ];
  expect(request(given)).toEqual({
    system: "Be brief.\n\nIn English.",
    messages: [
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi" },
    ],
  });
  expect(request([said("user", "Hello")])).not.toHaveProperty("system");
});

test("in parity mode system text comes first, as words of the user", () => {
  const given = [said("system", "System"), said("user", "Hello"), said("assistant", "Hi")];
  expect(request(given, { parity: "autobyteus" })).toEqual({
    messages: [
      { role: "user", content: "System" },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi" },
    ],
  });
});

test("all results of an answer open one message in the order of its calls, and what the user said follows in it", () => {
  const given = [
    calling("Both.", call("call_a", "get_weather", { city: "Berlin" }), call("call_b", "get_time", {})),
    result("call_b", "get_time", { time: "10:00" }),
    said("user", "And?"),
    result("call_a", "get_weather", null, "no such city"),
  ];
  expect(request(given)["messages"]).toEqual([
    lead,
    {
      role: "assistant",
      content: [
        { type: "text", text: "Both." },
        { type: "tool_use", id: "call_a", name: "get_weather", input: { city: "Berlin" } },
        { type: "tool_use", id: "call_b", name: "get_time", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "call_a", content: "Error: no such city", is_error: true },
        { type: "tool_result", tool_use_id: "call_b", content: '{"time":"10:00"}' },
        { type: "text", text: "And?" },
      ],
    },
  ]);
});

test("ids are of letters, digits, _ and -, the same in call and result, and no two calls share one", () => {
  const given = ["call:1", "call/1", "call_1", "call_1"].flatMap((id) => [
    calling(null, call(id, "run", {})),
    result(id, "run", "ok"),
  ]);
  const messages = request(given)["messages"] as { content: { id?: string; tool_use_id?: string }[] }[];
  const blocks = messages.flatMap(({ content }) => content);
  const ids = blocks.flatMap(({ id }) => id ?? []);
  expect(blocks.flatMap((block) => block.tool_use_id ?? [])).toEqual(ids);
  expect(new Set(ids).size).toBe(4);
  expect(ids.every((id) => /^[A-Za-z0-9_-]+$/.test(id))).toBe(true);
  expect(ids.slice(2)).toEqual(["call_1", "call_1_2"]);
});

test("images are blocks with their type, of the user and of results", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "aW1hZ2U=" } };
  expect(request([said("user", "Look", { imageUrls: [PNG, "https://example.org/a.png"] })])["messages"]).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        image,
        { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
      ],
    },
  ]);
  const shot = [calling(null, call("1", "shoot", {})), { ...result("1", "shoot", "taken"), imageUrls: [PNG] }];
  expect(request(shot)["messages"]).toMatchObject([
    lead,
    {},
    { content: [{ type: "tool_result", content: [{ type: "text", text: "taken" }, image] }] },
  ]);
});

test("neighbours of one role become one message, and empty ones none", () => {
  const given = [
    said("user", "a"),
    said("user", "b"),
    said("assistant", " "),
    said("user", "c"),
    said("assistant", "d"),
  ];
  expect(request(given)["messages"]).toEqual([
    { role: "user", content: ["a", "b", "c"].map((text) => ({ type: "text", text })) },
    { role: "assistant", content: "d" },
  ]);
});

test("thinking that the service signed goes back before what it led to, once for an answer, and no other thinking does", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
  const redacted = { type: "redacted_thinking", data: "c2VhbGVk" };
  const asked = { type: "tool_use", id: "a", name: "search", input: {} };
  const messageContent = [thinking, { type: "thinking", thinking: "unsigned" }, redacted, asked];
  const native = { provider: "anthropic", messageContent };
  const given = [
    said("user", "Go"),
    {
      ...calling("I look.", call("a", "search", { query: "x" }, native), call("b", "run", {}, native)),
      reasoningContent: "Hm.",
    },
    result("a", "search", "ok"),
    result("b", "run", "ok"),
  ];
  const { request: sent, leftOut } = render(given, "anthropic");
  expect(sent.messages[1]!.content).toEqual([
    thinking,
    redacted,
    { type: "text", text: "I look." },
    { ...asked, input: { query: "x" } },
    { ...asked, id: "b", name: "run" },
  ]);
  expect(leftOut).toEqual([]);
  const plain = render([said("user", "Go"), { ...said("assistant", "Hi"), reasoningContent: "Hm." }], "anthropic");
  expect(plain.leftOut).toMatchObject([{ what: "reasoning" }]);
});

test("what came with a call at the start of its stream is kept, with the final arguments", () => {
  const toolUseBlock = { type: "tool_use", id: "call_1", name: "search", input: {}, caller: { type: "direct" } };
  const given = [
    calling(null, call("call_1", "search", { query: "abc" }, { provider: "anthropic", toolUseBlock })),
    result("call_1", "search", "ok"),
  ];
  expect(request(given)["messages"]).toMatchObject([
    lead,
    { content: [{ ...toolUseBlock, input: { query: "abc" } }] },
    {},
  ]);
  expect(toolUseBlock.input).toEqual({});
});
