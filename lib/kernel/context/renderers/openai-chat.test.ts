import { expect, test } from "vitest";
import type { Message } from "../message.ts";
import { render } from "../render.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { call, calling, PNG, result, said, WAV } from "./testing-messages.ts";

const messages = (given: readonly Message[], options: RenderOptions = {}) =>
  render(given, "openai-chat", options).request["messages"];

test("words, a call, its result and sound stand as the service asks for them", () => {
  const given = [
    said("system", "Be brief."),
    said("user", "Hello"),
    calling(null, call("call_1", "list_directory", { path: "src" })),
    result("call_1", "list_directory", ["app.py"]),
    said("user", "please transcribe", { audioUrls: [WAV] }),
  ];
  expect(messages(given)).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: "Hello" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "list_directory", arguments: '{"path":"src"}' } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: '["app.py"]' },
    {
      role: "user",
      content: [
        { type: "text", text: "please transcribe" },
        { type: "input_audio", input_audio: { data: "ZmFrZQ==", format: "wav" } },
      ],
    },
  ]);
});

test("text comes before images, images before sound, and film is left out with its reason", () => {
  const given = [
    said("user", "Look", {
      audioUrls: ["data:audio/mpeg;base64,ZmFrZQ=="],
      imageUrls: [PNG, "https://example.org/a.png"],
      videoUrls: ["data:video/mp4;base64,ZmFrZQ=="],
    }),
  ];
  const payload = render(given, "openai-chat");
  expect(payload.request["messages"]).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "Look" },
        { type: "image_url", image_url: { url: PNG } },
        { type: "image_url", image_url: { url: "https://example.org/a.png" } },
        { type: "input_audio", input_audio: { data: "ZmFrZQ==", format: "mp3" } },
      ],
    },
  ]);
  expect(payload.leftOut).toMatchObject([{ what: "video", count: 1 }]);
});

test("values of results are words: text as it is, numbers and truth in words, nothing for null, the rest compact JSON", () => {
  const values = ["as it is", 0, false, null, undefined, { a: [1, "b"] }, ["x"], 12n];
  const given = values.flatMap((value, i) => [calling(null, call(`c${i}`, "run", {})), result(`c${i}`, "run", value)]);
  const contents = (messages(given) as { role: string; content: string }[]).filter(({ role }) => role === "tool");
  expect(contents.map(({ content }) => content)).toEqual([
    "as it is",
    "0",
    "false",
    "",
    "",
    '{"a":[1,"b"]}',
    '["x"]',
    "12",
  ]);
});

test("an error is told as one, and never twice", () => {
  const given = (error: string) => [calling(null, call("1", "run", {})), result("1", "run", null, error)];
  expect(messages(given("not found"))).toMatchObject([{}, { content: "Error: not found" }]);
  expect(messages(given("Error: not found"))).toMatchObject([{}, { content: "Error: not found" }]);
});

test("reasoning goes to those that want it back, and its words stay with the call", () => {
  const given = [
    {
      ...calling("I will inspect the current directory.", call("call_1", "run_bash", { command: "pwd" })),
      reasoningContent: "Need the workspace path before answering.",
    },
    result("call_1", "run_bash", { stdout: "/tmp/project\n" }),
  ];
  const request = {
    role: "assistant",
    content: "I will inspect the current directory.",
    tool_calls: [{ id: "call_1", type: "function", function: { name: "run_bash", arguments: '{"command":"pwd"}' } }],
  };
  const answered = { role: "tool", tool_call_id: "call_1", content: '{"stdout":"/tmp/project\\n"}' };
  const plain = render(given, "openai-chat");
  expect(plain.request["messages"]).toEqual([request, answered]);
  expect(plain.leftOut).toMatchObject([{ what: "reasoning", count: 1 }]);
  expect(messages(given, { withReasoning: true })).toEqual([
    { ...request, reasoning_content: "Need the workspace path before answering." },
    answered,
  ]);
});

test("images of results follow the last result in a message of the user", () => {
  const given = [
    calling(null, call("a", "shoot", {}), call("b", "run", {})),
    { ...result("a", "shoot", "taken"), imageUrls: [PNG] },
    result("b", "run", "ok"),
  ];
  expect(messages(given)).toEqual([
    expect.objectContaining({ role: "assistant" }),
    { role: "tool", tool_call_id: "a", content: "taken" },
    { role: "tool", tool_call_id: "b", content: "ok" },
    {
      role: "user",
      content: [
        { type: "text", text: "Attached to the result of shoot:" },
        { type: "image_url", image_url: { url: PNG } },
      ],
    },
  ]);
});

test("arguments are an object, also where the log holds text or a list", () => {
  const given = (value: unknown) => messages([calling(null, call("1", "run", value)), result("1", "run", "")]);
  const request = (value: unknown) =>
    (given(value) as { tool_calls: { function: { arguments: string } }[] }[])[0]!.tool_calls[0]!.function.arguments;
  expect(["*** Begin Patch", '{"path":"src"}', ["a"], {}].map(request)).toEqual([
    '{"input":"*** Begin Patch"}',
    '{"path":"src"}',
    '{"input":["a"]}',
    "{}",
  ]);
});
