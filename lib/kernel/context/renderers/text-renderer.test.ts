import { describe, expect, test } from "vitest";
import { render, TOOL_FORMATS, toolHistoryOf } from "../render.ts";
import { RENDERERS } from "./index.ts";
import { call, calling, result, said } from "./testing-messages.ts";

const pwd = [
  said("user", "inspect"),
  calling("I look.", call("call_1", "run_bash", { command: "pwd" })),
  result("call_1", "run_bash", { stdout: "/tmp\n" }),
];
const searched = [
  calling(null, call("call_1", "search", { query: "autobyteus" })),
  result("call_1", "search", { status: "ok" }),
];

test("calls are lines of the assistant, results and errors words of the user", () => {
  const failed = [calling(null, call("2", "run", {})), result("2", "run", null, "not found")];
  expect(render([...pwd, ...failed], "text").request).toEqual({
    messages: [
      { role: "user", content: "inspect" },
      { role: "assistant", content: 'I look.\n[TOOL_CALL] run_bash {"command":"pwd"}' },
      { role: "user", content: '[TOOL_RESULT] run_bash {"stdout":"/tmp\\n"}' },
      { role: "assistant", content: "[TOOL_CALL] run {}" },
      { role: "user", content: "[TOOL_ERROR] run not found" },
    ],
  });
});

describe.each(TOOL_FORMATS.filter((format) => format !== "api_tool_call"))("tool format %s", (format) => {
  test.each(RENDERERS.map(({ id }) => id))("%s has calls and results as words, and nothing of its own tools", (id) => {
    const { request } = render(pwd, id, { toolHistory: toolHistoryOf(format) });
    const text = JSON.stringify(request);
    expect(text).toContain("[TOOL_CALL] run_bash");
    expect(text).toContain("[TOOL_RESULT] run_bash");
    expect(text).not.toMatch(
      /"role":"tool"|tool_calls|tool_use|tool_result"|functionCall|function_call|functionResponse/,
    );
  });
});

test("models that are given tools get no such words", () => {
  expect(toolHistoryOf("api_tool_call")).toBe("native");
  for (const { id } of RENDERERS.filter((one) => one.id !== "text"))
    expect(JSON.stringify(render(pwd, id).request)).not.toContain("[TOOL_");
});

test("the first generation writes values for Anthropic with blanks, for Gemini as Python does", () => {
  expect(render(searched, "anthropic", { parity: "autobyteus-gen1" }).request).toEqual({
    messages: [
      { role: "assistant", content: '[TOOL_CALL] search {"query": "autobyteus"}' },
      { role: "user", content: '[TOOL_RESULT] search {"status": "ok"}' },
    ],
  });
  expect(render(searched, "gemini", { parity: "autobyteus-gen1" }).request).toEqual({
    contents: [
      { role: "model", parts: [{ text: "[TOOL_CALL] search {'query': 'autobyteus'}" }] },
      { role: "user", parts: [{ text: "[TOOL_RESULT] search {'status': 'ok'}" }] },
    ],
  });
  expect(
    render([calling(null, call("1", "run", { a: [true, null, 1.5, "it's"] }))], "text", { valueStyle: "python" })
      .rows[0],
  ).toMatchObject({ value: { content: "[TOOL_CALL] run {'a': [True, None, 1.5, 'it\\'s']}" } });
  const plain = render([said("system", "System"), said("user", "Hello")], "anthropic", { parity: "autobyteus-gen1" });
  expect(plain.request["messages"]).toEqual([
    { role: "system", content: "System" },
    { role: "user", content: "Hello" },
  ]);
});
