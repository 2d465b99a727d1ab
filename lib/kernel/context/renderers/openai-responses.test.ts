import { expect, test } from "vitest";
import type { Message } from "../message.ts";
import { render } from "../render.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { call, calling, PNG, result, said, WAV } from "./testing-messages.ts";

const input = (given: readonly Message[], options: RenderOptions = {}) =>
  render(given, "openai-responses", options).request["input"] as Record<string, unknown>[];

const listCall = (native?: unknown) => call("call_1", "list_directory", { path: "src" }, native);
const answered = result("call_1", "list_directory", ["app.py"]);

test("words, a call with its words, and its result are items of the interface, and no id is made up", () => {
  expect(input([said("user", "Hello"), calling("I look.", listCall()), answered])).toEqual([
    { type: "message", role: "user", content: "Hello" },
    { type: "message", role: "assistant", content: "I look." },
    {
      type: "function_call",
      call_id: "call_1",
      name: "list_directory",
      arguments: '{"path":"src"}',
      status: "completed",
    },
    { type: "function_call_output", call_id: "call_1", output: '["app.py"]' },
  ]);
});

test("in parity mode the call's own id stands there too, as the memory design sends it", () => {
  expect(input([calling(null, listCall()), answered], { parity: "autobyteus" })).toEqual([
    {
      type: "function_call",
      id: "call_1",
      call_id: "call_1",
      name: "list_directory",
      arguments: '{"path":"src"}',
      status: "completed",
    },
    { type: "function_call_output", call_id: "call_1", output: '["app.py"]' },
  ]);
});

test("results that settled in reverse stand in the order of the calls", () => {
  const given = [
    calling(null, call("call_a", "get_weather", { city: "Berlin" }), call("call_b", "get_time", { city: "Berlin" })),
    result("call_b", "get_time", { time: "10:00" }),
    result("call_a", "get_weather", { temp: 21 }),
  ];
  const outputs = input(given).filter(({ type }) => type === "function_call_output");
  expect(outputs.map((item) => item["call_id"])).toEqual(["call_a", "call_b"]);
});

test("captured items are replayed once, in order, as copies, with the final arguments", () => {
  const items = [
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "two tools" }],
      encrypted_content: "sealed",
      later_field: { keep: true },
    },
    { type: "function_call", id: "fc_a", call_id: "call_a", name: "get_weather", arguments: '{"city":"STALE"}' },
    { type: "function_call", id: "fc_b", call_id: "call_b", name: "get_time", arguments: "", status: "completed" },
  ];
  const native = { provider: "openai_responses", responseOutputItems: items };
  const given = [
    calling(null, call("call_a", "get_weather", { city: "Berlin" }, native), call("call_b", "get_time", {}, native)),
    result("call_b", "get_time", "10:00"),
    result("call_a", "get_weather", 21),
  ];
  const rendered = input(given);
  expect(rendered).toEqual([
    items[0],
    { ...items[1], arguments: '{"city":"Berlin"}', status: "completed" },
    { ...items[2], arguments: "{}" },
    { type: "function_call_output", call_id: "call_a", output: "21" },
    { type: "function_call_output", call_id: "call_b", output: "10:00" },
  ]);
  expect(rendered[0]).not.toBe(items[0]);
  expect(items[1]!.arguments).toBe('{"city":"STALE"}');
});

test("a call's own captured item keeps its id when the service gave it, and loses one that it did not", () => {
  const native = (id: string) => ({
    provider: "openai_responses",
    functionCallItem: { type: "function_call", id, call_id: "call_1", name: "list_directory", arguments: "" },
  });
  expect(input([calling(null, listCall(native("fc_1"))), answered])[0]).toMatchObject({
    id: "fc_1",
    arguments: '{"path":"src"}',
  });
  expect(input([calling(null, listCall(native("call_1"))), answered])[0]).not.toHaveProperty("id");
});

test("a captured call that the context has lost is not asked again, nor the reasoning that led to it alone", () => {
  const items = [
    { type: "reasoning", id: "rs_1", summary: [] },
    { type: "function_call", id: "fc_1", call_id: "call_1", name: "list_directory", arguments: "" },
    { type: "reasoning", id: "rs_2", summary: [] },
    { type: "function_call", id: "fc_2", call_id: "call_2", name: "gone", arguments: "" },
  ];
  const native = { provider: "openai_responses", responseOutputItems: items };
  const payload = render([calling(null, listCall(native)), answered], "openai-responses");
  const types = (payload.request["input"] as { type: string; id?: string }[]).map(({ type, id }) => id ?? type);
  expect(types).toEqual(["rs_1", "fc_1", "function_call_output"]);
  expect(payload.leftOut).toMatchObject([{ what: "captured call", count: 1 }]);
});

test("words that the service sent with the call are not said twice", () => {
  const message = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "I look.", annotations: [] }],
  };
  const items = [message, { type: "function_call", id: "fc_1", call_id: "call_1", name: "x", arguments: "" }];
  const native = { provider: "openai_responses", responseOutputItems: items };
  expect(input([calling("I look.", listCall(native)), answered]).filter(({ type }) => type === "message")).toEqual([
    message,
  ]);
});

test("an id is at most 64 characters, the same in call and result, and no two calls share one", () => {
  const long = "x".repeat(80);
  const given = [long, `${long}y`, "call_1", "call_1"].flatMap((id) => [
    calling(null, call(id, "run", {})),
    result(id, "run", "ok"),
  ]);
  const ids = input(given).map((item) => item["call_id"] as string);
  const calls = ids.filter((_, i) => i % 2 === 0);
  expect(ids.filter((_, i) => i % 2 === 1)).toEqual(calls);
  expect(new Set(calls).size).toBe(4);
  expect(calls.every((id) => id.length <= 64)).toBe(true);
  expect(calls.slice(2)).toEqual(["call_1", "call_1_2"]);
});

test("images are sent, an empty one and sound are not, and the words stay", () => {
  const content = (given: Message) => input([given])[0]!["content"];
  expect(content(said("user", "inspect", { imageUrls: [PNG] }))).toEqual([
    { type: "input_text", text: "inspect" },
    { type: "input_image", image_url: PNG, detail: "auto" },
  ]);
  expect(content(said("user", "inspect", { imageUrls: ["data:image/png;base64,"] }))).toEqual([
    { type: "input_text", text: "inspect" },
  ]);
  const payload = render([said("user", "please transcribe", { audioUrls: [WAV] })], "openai-responses");
  expect(payload.request["input"]).toEqual([
    { type: "message", role: "user", content: [{ type: "input_text", text: "please transcribe" }] },
  ]);
  expect(payload.leftOut).toMatchObject([{ what: "audio", count: 1 }]);
});

test("an image of a result stands in its output", () => {
  const given = [calling(null, listCall()), { ...answered, imageUrls: [PNG] }];
  expect(input(given)[1]!["output"]).toEqual([
    { type: "input_text", text: '["app.py"]' },
    { type: "input_image", image_url: PNG, detail: "auto" },
  ]);
});
