// Conversations of Open Interpreter: code is a call, and what the computer says behind it one result; early releases; other lists of messages.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { calls, events, patches } from "./codex/testing-codex.ts";
import { FORMATS } from "./index.ts";
import { openInterpreter } from "./open-interpreter.ts";

const PATH = "/home/ada/.config/open-interpreter/conversations/Count_the_eiders__September_01_2026_10-00-30.json";
const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, `fixtures/open-interpreter-synthetic-${name}.json`), "utf8");
const fileOf = (text: string, path = PATH) => ({ path, head: Buffer.from(text), sidecars: new Map<string, string>() });
function read(text: string, path = PATH): Draft[] {
  const bytes = Buffer.from(text);
  return openInterpreter.parse(
    { bytes, byteStart: 0, byteEnd: bytes.length, line: 1 },
    openInterpreter.start(fileOf(text, path)),
  );
}
const formatOf = (value: unknown): string[] =>
  FORMATS.filter((format) => format.detect(fileOf(JSON.stringify(value), "/a/list.json"))).map(({ id }) => id);

test("code is a call, and all that the computer says behind it its result", () => {
  const drafts = read(fixture("conversation"));
  expect(events(drafts).map(({ body }) => body)).toMatchObject([
    { type: "user", text: "Count the eiders, and draw them (synthetic)" },
    { type: "assistant", text: "I count the lines." },
    { type: "tool_call", toolName: "execute", input: { language: "python", code: "print(12)" } },
    { type: "meta", subtype: "shown" },
    { type: "tool_result", text: "12\n", images: [{ mediaType: "image/png" }] },
    { type: "tool_call", input: { language: "shell", code: "cat tide.txt" } },
    { type: "tool_result", text: "cat: tide.txt: No such file or directory" },
    { type: "assistant", text: "Twelve. There is no tide." },
    { type: "meta", subtype: "image", text: "/home/ada/scoters.png" },
    { type: "user", text: "And the scoters?" },
    { type: "tool_call", input: { language: "python", code: "look()" } },
  ]);
  // Words and code of one answer are one call.
  expect(calls(drafts).map(({ model, usage }) => [model, usage])).toEqual(Array(4).fill([null, null]));
  expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(2);
});

test("the file's name has the conversation's name and its beginning", () => {
  expect(openInterpreter.identify(openInterpreter.start(fileOf(fixture("conversation"))))).toBe(
    "Count_the_eiders__September_01_2026_10-00-30",
  );
  expect(patches(read(fixture("conversation")))).toMatchObject({
    ...{ agentName: "Open Interpreter", title: "Count the eiders, and draw them (synthetic)" },
    startedAt: new Date(2026, 8, 1, 10, 0, 30).getTime(),
  });
  const other = PATH.replace("September", "Septembre");
  expect(patches(read(fixture("conversation"), other))).not.toHaveProperty("startedAt");
});

test("early releases have the code and its output in one message", () => {
  expect(events(read(fixture("early"))).map(({ body }) => body)).toMatchObject([
    { type: "user", text: "Count the eiders (synthetic)" },
    { type: "assistant", text: "I count the lines." },
    { type: "tool_call", input: { language: "shell", code: "wc -l eiders.txt" } },
    { type: "tool_result", text: "12 eiders.txt" },
    { type: "assistant", text: "Twelve." },
  ]);
  expect(calls(read(fixture("early")))).toHaveLength(2);
});

test("what the computer says before any code, and messages of no known kind, stay", () => {
  const types = (...messages: object[]) =>
    events(read(JSON.stringify(messages))).map(({ body }) => [
      body.type,
      "injected" in body ? body.injected : undefined,
    ]);
  expect(
    types(
      { role: "computer", type: "console", format: "output", content: "Hi" },
      { role: "assistant", type: "song", content: "la" },
      { role: "robot", type: "message", content: "x" },
    ),
  ).toEqual([
    ["user", "environment"],
    ["unknown", undefined],
    ["unknown", undefined],
  ]);
});

test("a list that was cut anywhere is read as far as it goes, and says so", () => {
  const text = fixture("conversation");
  const whole = events(read(text)).map(({ body }) => body.type);
  for (let end = 90; end < text.length - 1; end += 23) {
    const drafts = read(text.slice(0, end));
    expect(
      drafts.some(({ kind }) => kind === "problem"),
      `cut at ${end}`,
    ).toBe(true);
    const types = events(drafts).map(({ body }) => body.type);
    // A result comes when all of it is read.
    expect(whole.length).toBeGreaterThanOrEqual(types.length);
  }
});

test("other lists of messages are none", () => {
  const said = { role: "user", type: "message", content: "Hi" };
  expect(formatOf([said, { role: "assistant", type: "code", format: "python", content: "1" }])).toEqual([
    "open-interpreter",
  ]);
  expect(formatOf([said, { role: "assistant", type: "message", content: "Hello." }])).toEqual(["messages"]);
  expect(formatOf([{ role: "user", content: "Hi" }])).toEqual(["messages"]);
  expect(formatOf([said, { type: "code", content: "1" }])).not.toContain("open-interpreter");
  expect(formatOf([])).toEqual([]);
});

test("conversations lie in a folder of settings", () => {
  expect(openInterpreter.sources({ HOME: "/home/ada" }, "linux")).toEqual([
    "/home/ada/.config/open-interpreter/conversations",
    "/home/ada/.config/Open Interpreter/conversations",
  ]);
  expect(openInterpreter.sources({ HOME: "/Users/ada" }, "darwin")[0]).toBe(
    "/Users/ada/Library/Application Support/open-interpreter/conversations",
  );
  expect(openInterpreter.sources({ USERPROFILE: "C:\\ada" }, "win32")[0]).toBe(
    "C:\\ada\\AppData\\Local\\open-interpreter\\open-interpreter\\conversations",
  );
  expect(openInterpreter.wants(PATH)).toBe(true);
  expect(openInterpreter.wants("/home/ada/.config/open-interpreter/conversations/notes.json")).toBe(false);
});
