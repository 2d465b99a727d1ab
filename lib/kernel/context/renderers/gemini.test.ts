import { expect, test } from "vitest";
import type { Message } from "../message.ts";
import { render } from "../render.ts";
import { LEAD_IN } from "./parts.ts";
import type { RenderOptions } from "./renderer-options.ts";
import { call, calling, PNG, result, said } from "./testing-messages.ts";

const request = (given: readonly Message[], options: RenderOptions = {}) => render(given, "gemini", options).request;

/** Of lists that begin with an answer. */
const lead = { role: "user", parts: [{ text: LEAD_IN }] };

test("a call and its result are parts, and no plain words", () => {
  const given = [
    calling("I search.", call("call_1", "search", { query: "autobyteus" })),
    result("call_1", "search", { status: "ok" }),
  ];
  expect(request(given)).toEqual({
    contents: [
      lead,
      {
        role: "model",
        parts: [
          { text: "I search." },
          { functionCall: { id: "call_1", name: "search", args: { query: "autobyteus" } } },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "call_1", name: "search", response: { result: { status: "ok" } } } }],
      },
    ],
  });
  expect(JSON.stringify(request(given))).not.toContain("[TOOL_");
});

test("system text is the system instruction, which the memory design drops", () => {
  const given = [said("system", "System"), said("user", "Hello"), said("assistant", "Hi")];
  const contents = [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [{ text: "Hi" }] },
  ];
  expect(request(given)).toEqual({ systemInstruction: { parts: [{ text: "System" }] }, contents });
  const parity = render(given, "gemini", { parity: "autobyteus" });
  expect(parity.request).toEqual({ contents });
  expect(parity.leftOut).toMatchObject([{ what: "system text", count: 1 }]);
});

test("responses are one turn in the order of the calls, as many as there are calls, and an error is one", () => {
  const given = [
    calling(null, call("call_a", "get_weather", {}), call("call_b", "get_time", {}), call("call_c", "run", {})),
    result("call_b", "get_time", { time: "10:00" }),
    said("user", "And?"),
    result("call_a", "get_weather", null, "no such city"),
  ];
  expect(request(given)["contents"]).toEqual([
    lead,
    expect.objectContaining({ role: "model" }),
    {
      role: "user",
      parts: [
        { functionResponse: { id: "call_a", name: "get_weather", response: { error: "no such city" } } },
        { functionResponse: { id: "call_b", name: "get_time", response: { result: { time: "10:00" } } } },
        { functionResponse: { id: "call_c", name: "run", response: { error: expect.stringContaining("No result") } } },
      ],
    },
    { role: "user", parts: [{ text: "And?" }] },
  ]);
});

test("signed parts are replayed with the final arguments, and a call that is lost is not asked again", () => {
  const modelContent = {
    role: "model",
    parts: [
      { text: "Let me see.", thought: true },
      { functionCall: { id: "call_1", name: "search", args: { query: "STALE" } }, thoughtSignature: "c2ln" },
      { functionCall: { id: "call_9", name: "gone", args: {} } },
    ],
  };
  const native = { provider: "gemini", modelContent };
  const given = [calling(null, call("call_1", "search", { query: "new" }, native)), result("call_1", "search", "ok")];
  expect(request(given)["contents"]).toEqual([
    lead,
    {
      role: "model",
      parts: [
        { text: "Let me see.", thought: true },
        { functionCall: { id: "call_1", name: "search", args: { query: "new" } }, thoughtSignature: "c2ln" },
      ],
    },
    expect.objectContaining({ role: "user" }),
  ]);
  expect(modelContent.parts[1]!.functionCall!.args).toEqual({ query: "STALE" });
});

test("a call's own signed part is replayed beside calls that have none", () => {
  const functionCallPart = { functionCall: { name: "search", args: {} }, thoughtSignature: "c2ln" };
  const given = [
    calling(null, call("a", "search", { query: "x" }, { provider: "gemini", functionCallPart }), call("b", "run", {})),
    result("a", "search", "ok"),
    result("b", "run", "ok"),
  ];
  expect(request(given)["contents"]).toMatchObject([
    lead,
    {
      parts: [
        { functionCall: { id: "a", name: "search", args: { query: "x" } }, thoughtSignature: "c2ln" },
        { functionCall: { id: "b", name: "run", args: {} } },
      ],
    },
    {},
  ]);
});

test("media are parts, behind the words, and those of results a turn of their own", () => {
  const inline = { inlineData: { data: "aW1hZ2U=", mimeType: "image/png" } };
  const given = [
    said("user", "Look", { imageUrls: [PNG, "https://example.org/a.mp4"] }),
    calling(null, call("1", "shoot", {})),
    { ...result("1", "shoot", "taken"), imageUrls: [PNG] },
  ];
  expect(request(given)["contents"]).toEqual([
    {
      role: "user",
      parts: [{ text: "Look" }, inline, { fileData: { fileUri: "https://example.org/a.mp4", mimeType: "video/mp4" } }],
    },
    expect.objectContaining({ role: "model" }),
    { role: "user", parts: [{ functionResponse: { id: "1", name: "shoot", response: { result: "taken" } } }] },
    { role: "user", parts: [{ text: "Attached to the result of shoot:" }, inline] },
  ]);
});
