import { describe, expect, test } from "vitest";
import { isAppError } from "../errors.ts";
import { messagesOf, render, rendererOf } from "./render.ts";
import { RENDERERS } from "./renderers/index.ts";
import { call, calling, PNG, result, said } from "./renderers/testing-messages.ts";
import { REQUESTS } from "./renderers/testing-schemas.ts";

test("results that no call asked for and calls that cannot be sent are left out, and counted", () => {
  const given = [
    result("0", "run", "orphan"),
    calling(null, call("1", "run", {}), call("2", "no such name!", {}), call("3", "other", {})),
    result("1", "run", "first"),
    result("1", "run", "second"),
  ];
  const { leftOut, request } = render(given, "openai-chat", { allowedTools: ["run"] });
  expect(request["messages"]).toHaveLength(2);
  expect(leftOut.map(({ what, count }) => `${count} ${what}`)).toEqual(["1 result", "1 result", "2 call"]);
});

test("a context that begins with the model's words begins with the user's where that is asked for", () => {
  const given = [said("system", "Be brief."), said("assistant", "Hi")];
  const roles = (startWithUser: boolean) =>
    render(given, "openai-chat", { startWithUser }).rows.map(({ role }) => role);
  expect(roles(false)).toEqual(["system", "assistant"]);
  expect(roles(true)).toEqual(["system", "user", "assistant"]);
  const users = [said("user", "Hello")];
  expect(render(users, "gemini", { startWithUser: true })).toEqual(render(users, "gemini"));
});

test("media of a place are read by whom they are given to, and told as missing where nobody can", () => {
  const given = [said("user", "Look", { imageUrls: ["art:1"] })];
  const content = (mediaOf?: (url: string) => string | null) =>
    (render(given, "openai-chat", mediaOf === undefined ? {} : { mediaOf }).rows[0]!.value as { content: unknown[] })
      .content[1];
  expect(content()).toEqual({ type: "text", text: "[image not available: art:1]" });
  expect(content(() => null)).toEqual({ type: "text", text: "[image not available: art:1]" });
  expect(content(() => PNG)).toEqual({ type: "image_url", image_url: { url: PNG } });
});

test("rows name the parts that a model reads: words, calls, results, media", () => {
  const given = [
    said("user", "Look", { imageUrls: [PNG] }),
    calling("I run it.", call("1", "run", { path: "src" })),
    result("1", "run", "ok"),
  ];
  const parts = messagesOf(render(given, "openai-chat")).map((row) =>
    row.parts.map(({ kind, text }) => `${kind}: ${text}`),
  );
  expect(parts).toEqual([
    ["text: Look", "image: image/png"],
    ["text: I run it.", 'call: run {"path":"src"}'],
    ["result: ok"],
  ]);
});

test("a value deeper than any reader goes on as text, and one that holds itself does not stop the rest", () => {
  let deep: unknown = "end";
  for (let i = 0; i < 10_000; i++) deep = [deep];
  const round: Record<string, unknown> = {};
  round["self"] = round;
  for (const { id } of RENDERERS) {
    const given = [deep, round].flatMap((value, i) => [
      calling(null, call(`${i}`, "run", value)),
      result(`${i}`, "run", value),
    ]);
    const { request } = render(given, id);
    expect(REQUESTS[id]!.safeParse(JSON.parse(JSON.stringify(request))).error).toBeUndefined();
  }
});

test("an unknown renderer is refused, with those that there are", () => {
  const error = (() => {
    try {
      return rendererOf("mistral");
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(isAppError(error) && error.message).toBe(
    'No renderer is called "mistral". Known: openai-chat, openai-responses, anthropic, gemini, text.',
  );
});

describe("the schemas", () => {
  const good = render(
    [said("user", "Hello"), calling("Yes.", call("1", "run", {})), result("1", "run", "ok"), said("user", "And?")],
    "openai-chat",
  ).rows;
  const broken: Readonly<Record<string, readonly unknown[]>> = {
    "openai-chat": [
      { messages: good.map(({ value }) => value).toSpliced(2, 1) },
      { messages: good.map(({ value }) => value).toSpliced(1, 1) },
      { messages: [{ role: "assistant", content: null }] },
      { messages: [{ role: "user", content: "a", surprise: 1 }] },
    ],
    "openai-responses": [
      { input: [{ type: "tool_call", id: "1" }] },
      { input: [{ type: "function_call", id: "call_1", call_id: "1", name: "run", arguments: "{}" }] },
      { input: [{ type: "function_call", call_id: "1", name: "run", arguments: "{}" }] },
      { input: [{ type: "function_call_output", call_id: "1", output: "" }] },
      { input: [{ type: "reasoning", id: "rs", summary: [] }] },
    ],
    anthropic: [
      { messages: [{ role: "system", content: "a" }] },
      { messages: [{ role: "user", content: " " }] },
      { messages: ["a", "b"].map((content) => ({ role: "user", content })) },
      { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "1", name: "run", input: {} }] }] },
      {
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "1", name: "run", input: {} }] },
          {
            role: "user",
            content: [
              { type: "text", text: "first" },
              { type: "tool_result", tool_use_id: "1", content: "" },
            ],
          },
        ],
      },
    ],
    gemini: [
      { contents: [{ role: "system", parts: [{ text: "a" }] }] },
      { contents: [{ role: "user", parts: [] }] },
      { contents: [{ role: "model", parts: [{ functionCall: { name: "run", args: {} } }] }] },
      {
        contents: [
          { role: "model", parts: [{ functionCall: { id: "1", name: "run", args: {} } }] },
          {
            role: "user",
            parts: [{ functionResponse: { id: "1", name: "run", response: {} } }, { text: "and" }],
          },
        ],
      },
    ],
    text: [{ messages: good.map(({ value }) => value) }],
  };

  test.each(RENDERERS.map(({ id }) => id))("%s: a request that breaks a rule of its provider is refused", (id) => {
    for (const request of broken[id]!)
      expect(REQUESTS[id]!.safeParse(request).success, JSON.stringify(request)).toBe(false);
  });
});
