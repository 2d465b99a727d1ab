// Conversations of gptme: tools in the text of an answer, results among the system's messages, counts that stand apart.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { calls, events, patches } from "./codex/testing-codex.ts";
import { gptme } from "./gptme.ts";
import { answerParts } from "./gptme/gptme-calls.ts";
import type { GptmeState } from "./gptme/gptme-state.ts";

const PATH = "/home/ada/.local/share/gptme/logs/2026-09-01-counting-green-eider/conversation.jsonl";
const CONFIG = readFileSync(join(import.meta.dirname, "fixtures-beside/gptme/synthetic-config.toml"), "utf8");
const conversation = readFileSync(join(import.meta.dirname, "fixtures/gptme-synthetic-conversation.jsonl"), "utf8");
const lines = conversation.split("\n").filter(Boolean);

const fileOf = (text: string, config: string | null = CONFIG, path = PATH) => ({
  ...{ path, head: Buffer.from(text) },
  sidecars: new Map(config === null ? [] : [[path.replace("conversation.jsonl", "config.toml"), config]]),
});
const parse = (some: readonly string[], state: GptmeState): Draft[] =>
  some.flatMap((line, i) =>
    gptme.parse({ bytes: Buffer.from(line), byteStart: 0, byteEnd: line.length, line: i + 1 }, state),
  );
const read = (some: readonly string[] = lines, config: string | null = CONFIG): Draft[] =>
  parse(some, gptme.start(fileOf(some.join("\n"), config)));
const said = (role: string, content: string, more: object = {}): string =>
  JSON.stringify({ role, content, timestamp: "2026-09-01T10:00:00", ...more });

test("tools in an answer's text are calls, and the system's messages behind it their results", () => {
  expect(events(read()).map(({ body }) => body)).toMatchObject(
    [
      { type: "system", subtype: "prompt", text: /^You are gptme/ },
      { type: "system", subtype: "prompt", text: /^# Workspace/ },
      { type: "user", text: "Count the eiders (synthetic)" },
      { type: "reasoning", text: "One line is one bird.", signatureChars: 12 },
      { type: "assistant", text: "I count the lines." },
      { type: "tool_call", toolName: "shell", input: { command: "wc -l eiders.txt" } },
      { type: "meta", subtype: "timings" },
      { type: "tool_result", isError: false, text: /^Ran command/ },
      { type: "system", subtype: "message", text: /^<system_info>/ },
      { type: "assistant", text: /^There are twelve\. / },
      {
        ...{ type: "tool_call", toolName: "save" },
        input: { path: "notes/eiders.md", content: "# Eiders\n\n```python\nbirds = 12\n```" },
      },
      { type: "tool_call", toolName: "shell", input: { command: "cat tide.txt" } },
      { type: "tool_result", isError: false, text: "Saved to notes/eiders.md" },
      { type: "tool_result", isError: true },
      { type: "assistant", text: "An example that nobody runs:\n\n```python\nprint(12)\n```" },
      { type: "user", text: "And the scoters in this picture?" },
      { type: "meta", subtype: "file", text: "/home/ada/bay/scoters.png" },
      { type: "assistant", text: "I look." },
      { type: "tool_call", toolCallId: "call_1-a", toolName: "vision", input: { path: "/home/ada/bay/scoters.png" } },
      { type: "tool_call", toolCallId: "call_2-b", toolName: "shell", input: { command: "echo {}" } },
      { type: "tool_result", toolCallId: "call_2-b", text: "{}" },
      { type: "tool_result", toolCallId: "call_1-a" },
      { type: "meta", subtype: "status" },
      { type: "assistant", text: "Five." },
      { type: "tool_call", toolName: "tmux", input: { args: "list-sessions", command: "" } },
      { type: "user", injected: "client" },
      { type: "meta", subtype: "empty message" },
    ].map((body) =>
      body.text instanceof RegExp ? { ...body, text: expect.stringMatching(body.text) as string } : body,
    ),
  );
  const turns = events(read()).filter(({ startsTurn }) => startsTurn);
  expect(turns).toHaveLength(2);
});

test("each result is of its call", () => {
  const bodies = events(read()).map(({ body }) => body);
  const names = new Map(
    bodies.flatMap((body) => (body.type === "tool_call" ? [[body.toolCallId, body.toolName]] : [])),
  );
  const results = bodies.flatMap((body) =>
    body.type === "tool_result" ? [[names.get(body.toolCallId), body.text]] : [],
  );
  expect(results.map(([tool, text]) => [tool, text!.split(/[ :]/)[0]])).toEqual([
    ["shell", "Ran"],
    ["save", "Saved"],
    ["shell", "Error"],
    ["shell", "{}"],
    ["vision", "An"],
  ]);
});

test("a message of the system that no call waits for is no result", () => {
  const types = (...some: string[]) => events(read(some)).map(({ body }) => body.type);
  const call = "```shell\nls\n```";
  expect(types(said("user", "Hi"), said("assistant", "Hello."), said("system", "Lessons"))).toEqual([
    ...["user", "assistant", "system"],
  ]);
  expect(types(said("user", "Hi"), said("assistant", call), said("assistant", "No."), said("system", "x"))).toEqual([
    ...["user", "tool_call", "assistant", "system"],
  ]);
  expect(types(said("user", "Hi"), said("assistant", call), said("system", "x", { call_id: "other" }))).toEqual([
    ...["user", "tool_call", "system"],
  ]);
});

test("counts stand apart, and early releases have them beside the model", () => {
  expect(calls(read()).map(({ usage }) => usage)).toMatchObject([
    { inputUncached: 1200, cacheRead: 8000, cacheWrite: 300, output: 60, reasoning: 0 },
    { inputUncached: 400, cacheRead: 9500, cacheWrite: 0, output: 50, reasoning: 10 },
    { inputUncached: 100, cacheRead: 9900, output: 9 },
    { inputUncached: 90, cacheRead: 10_000, output: 20 },
    {},
    { inputUncached: 80, cacheRead: 10_200, output: 0 },
  ]);
  expect(calls(read()).map(({ model }) => model?.slice(-5))).toEqual([
    "large",
    "large",
    "large",
    "small",
    "small",
    "small",
  ]);
  const reported = read().filter((draft) => draft.kind === "reported");
  expect(reported.at(-1)).toMatchObject({ usd: 0.0145 });
});

test("the folder names the conversation, and the file beside it says what it is about", () => {
  const state = gptme.start(fileOf(conversation));
  expect(gptme.identify(state)).toBe("2026-09-01-counting-green-eider");
  expect(patches(parse(lines, state))).toMatchObject({ agentName: "gptme", cwd: "/home/ada/bay" });
  const titles = read().flatMap((draft) => (draft.kind === "session" ? (draft.patch.title ?? []) : []));
  expect(titles).toEqual(["Eiders (synthetic)", "Count the eiders (synthetic)"]);
  // It may be named later.
  const before = gptme.start(fileOf(conversation, null));
  parse(lines.slice(0, 4), before);
  const stored = JSON.parse(JSON.stringify(before)) as GptmeState;
  expect(patches(parse(lines.slice(4), gptme.resume!(stored, fileOf(conversation))))).toMatchObject({ titleRank: 1 });
});

test.each([
  ["a block that was cut off", "Look:\n```shell\nls", ["Look:", "shell"]],
  ["text behind a block", "```ipython\n1\n```\nDone.", ["ipython", "Done."]],
  ["a block of no tool around one", "````\n```shell\nls\n```\n````", null],
  ["broken JSON", '@shell(c1): {"command": ', ["shell"]],
  ["a tag without an end", "<tool-use><shell>ls</shell>", ["<tool-use><shell>ls</shell>"]],
  ["nothing", "", []],
])("%s", (_what, content, expected) => {
  const parts = answerParts(content).map((part) => (part.kind === "text" ? part.text : part.tool));
  if (expected !== null) expect(parts).toEqual(expected);
  expect(parts.length).toBeLessThanOrEqual(3);
});

test("a long conversation leaves a small state", () => {
  const state = gptme.start(fileOf(conversation));
  const many = Array.from({ length: 300 }, (_, i) => said("assistant", `${i}\n\`\`\`shell\nls ${i}\n\`\`\``));
  parse([said("user", "Go on"), ...many], state);
  expect(JSON.stringify(state).length).toBeLessThan(4096);
});

test("a key of a later release loses no message, and messages of other programs are not known", () => {
  expect(events(read([said("user", "Hi", { pinned: true, later: 1 })])).map(({ body }) => body.type)).toEqual(["user"]);
  expect(events(read(['{"role":"tool","content":"x"}'])).map(({ body }) => body.type)).toEqual(["unknown"]);
  const isKnown = (...some: string[]): boolean => gptme.detect(fileOf(some.join("\n"), null, "/a/conversation.jsonl"));
  expect(isKnown(said("system", "You", { pinned: true, hide: true }), said("user", "Hi"))).toBe(true);
  expect(isKnown(said("system", "You", { pinned: true, later: 1 }), said("user", "Hi", { later: 1 }))).toBe(true);
  expect(isKnown(said("user", "Hi"), said("assistant", "Hello."))).toBe(false);
  expect(isKnown(said("system", "You", { pinned: true, id: "1" }))).toBe(false);
  expect(isKnown(said("user", "Hi", { pinned: true, channel: "birds" }))).toBe(false);
  expect(isKnown(said("assistant", "Hi", { metadata: { model: "a", usage: { input_tokens: 1 } } }))).toBe(false);
});

test("conversations lie where its variables and the system say", () => {
  expect(gptme.sources({ HOME: "/home/ada" }, "linux")).toEqual(["/home/ada/.local/share/gptme/logs"]);
  expect(gptme.sources({ HOME: "/home/ada", XDG_DATA_HOME: "/d" }, "linux")).toEqual(["/d/gptme/logs"]);
  expect(gptme.sources({ HOME: "/home/ada", GPTME_LOGS_HOME: "/l" }, "linux")[0]).toBe("/l");
  expect(gptme.sources({ HOME: "/Users/ada" }, "darwin")).toContain(
    "/Users/ada/Library/Application Support/gptme/logs",
  );
  expect(gptme.sources({ USERPROFILE: "C:\\ada", LOCALAPPDATA: "C:\\ada\\L" }, "win32")).toContain(
    "C:\\ada\\L\\gptme\\gptme\\logs",
  );
  expect(gptme.wants(PATH)).toBe(true);
  expect(gptme.wants(PATH.replace("conversation", "branches/main-undo-0"))).toBe(false);
});
