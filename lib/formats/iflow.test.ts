// iFlow's sessions: results in Gemini's shape, and counts of zero that are none.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claudeCode } from "./claude-code.ts";
import { calls, events, patches } from "./codex/testing-codex.ts";
import { iflow } from "./iflow.ts";

const bytes = readFileSync(join(import.meta.dirname, "fixtures/iflow-synthetic-session.jsonl"));
const ID = "session-1f100000-0000-4000-8000-0000000000aa";
const file = {
  path: `/home/ada/.iflow/projects/-home-ada-loch/${ID}.jsonl`,
  head: bytes,
  sidecars: new Map<string, string>(),
};

function read() {
  const state = iflow.start(file);
  const lines = bytes.toString().split("\n").filter(Boolean);
  const drafts = lines.flatMap((line, i) =>
    iflow.parse({ bytes: Buffer.from(line), byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
  );
  return { drafts, id: iflow.identify(state) };
}

test("records are Claude Code's, and results have the words that the model was sent", () => {
  const { drafts, id } = read();
  expect(id).toBe(ID);
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/loch", model: "glm-5", agentVersion: "1.0.0" });
  expect(events(drafts).map(({ body }) => body)).toMatchObject([
    { type: "user", text: "Count the divers (synthetic)" },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "call_if1" },
    { type: "tool_call", toolCallId: "call_if2" },
    { type: "tool_result", toolCallId: "call_if1", text: "12 divers", isError: false },
    { type: "tool_result", toolCallId: "call_if2", text: "No such folder (synthetic)", isError: true },
    { type: "assistant", text: "Twelve divers." },
    { type: "user", text: "And the grebes?" },
    { type: "assistant", text: "None." },
  ]);
});

test("a result is read where its parts are a list", () => {
  const state = iflow.start(file);
  const response = (id: string, output: string) => ({ functionResponse: { id, name: "ls", response: { output } } });
  const content = { responseParts: [response("c1", "one"), { text: "two" }], resultDisplay: "shown" };
  const record = {
    ...{
      uuid: "1f100000-0000-4000-8000-0000000000f1",
      parentUuid: null,
      sessionId: ID,
      type: "user",
      isSidechain: false,
    },
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content }] },
  };
  const bytes = Buffer.from(JSON.stringify(record));
  const drafts = iflow.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  expect(events(drafts).map(({ body }) => body)).toMatchObject([
    { type: "tool_result", toolCallId: "c1", text: "one" },
  ]);
});

test("counts of zero are none", () => {
  expect(calls(read().drafts).map(({ usage }) => usage)).toMatchObject([
    null,
    { inputUncached: 16_000, cacheRead: 0, output: 20 },
    null,
  ]);
});

test("a session is iFlow's by its name", () => {
  expect([iflow.detect(file), claudeCode.detect(file)]).toEqual([true, false]);
  const other = { ...file, head: Buffer.from(bytes.toString().replaceAll("session-1f1", "1f1")) };
  expect([iflow.detect(other), claudeCode.detect(other)]).toEqual([false, true]);
  expect(iflow.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.iflow/projects"]);
  expect(iflow.wants(file.path)).toBe(true);
});
