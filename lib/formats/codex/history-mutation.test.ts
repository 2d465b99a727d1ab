// TraeX, which is built on Codex: from 0.200 on the history is written as what is done to it. All are written by hand.
import { expect, test } from "vitest";
import { at, bodies, calls, parse, tokens } from "./testing-codex.ts";

const appended = (...items: object[]) => at({ operation: "append", items }, "history_mutation");
const words = (role: string, text: string) => ({
  ...{ type: "message", role },
  content: [{ type: role === "user" ? "input_text" : "output_text", text }],
});

test("items that are appended to the history are its items", () => {
  const drafts = parse(
    at({ id: "a", cwd: "/home/ada", cli_version: "0.200.19" }, "session_meta"),
    at({ turn_id: "turn-1", model: "gpt-5-codex" }, "turn_context"),
    appended(
      words("user", "Count the corals."),
      { type: "custom_tool_call", name: "exec", call_id: "c1", input: '{"cmd":"ls"}' },
      { type: "trae_extra_info", extra_info: {} },
      { type: "custom_tool_call_output", call_id: "c1", output: [{ type: "input_text", text: "fan.txt" }] },
    ),
    at({ response_id: "r1", usage: tokens(100, 40, 12) }, "token_usage_record"),
    appended(words("assistant", "One coral.")),
  );
  const types = bodies(drafts).flatMap(({ type }) => (type === "meta" ? [] : [type]));
  expect(types).toEqual(["user", "tool_call", "tool_result", "assistant"]);
  expect(calls(drafts)).toMatchObject([
    { model: "gpt-5-codex", usage: { inputUncached: 60, cacheRead: 40, output: 12 } },
  ]);
});

test("what else is done to the history is a note", () => {
  const drafts = parse(at({ id: "a" }, "session_meta"), at({ operation: "truncate", items: [] }, "history_mutation"));
  expect(bodies(drafts).at(-1)).toMatchObject({ type: "meta", subtype: "history_mutation" });
});
