// What `goose session export` writes: one document with the session and its messages. Synthetic.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft } from "#lib/kernel/draft.ts";
import { bodies, calls, events, patches } from "./codex/testing-codex.ts";
import { goose } from "./goose.ts";
import { FORMATS } from "./index.ts";

function read(name: string): { drafts: Draft[]; id: string | null } {
  const bytes = readFileSync(join(import.meta.dirname, `fixtures/${name}`));
  const state = goose.start({ path: "x.json", head: bytes, sidecars: new Map<string, string>() });
  return {
    drafts: goose.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state),
    id: goose.identify(state),
  };
}

test("an export has the session, its messages, and what each request used where a message says it", () => {
  const { drafts, id } = read("goose-synthetic-export.json");
  expect(id).toBe("20260901_3");
  expect(patches(drafts)).toMatchObject({ cwd: "/home/ada/shearwaters", startedAt: 1_788_256_800_000 });
  expect(drafts[0]).toMatchObject({ kind: "session", patch: { title: "Shearwaters (synthetic)", titleRank: 2 } });
  expect(bodies(drafts)).toMatchObject([
    { type: "meta", subtype: "session", text: "/home/ada/shearwaters" },
    { type: "user", text: "Count the shearwaters" },
    { type: "meta", subtype: "document", text: "colony.pdf" },
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "call_s1", input: { command: "wc -l colony" } },
    { type: "tool_result", toolCallId: "call_s1", text: "31 shearwaters", isError: false },
    { type: "assistant", text: "There are 31." },
    { type: "error", text: "No credits are left.", code: "creditsExhausted" },
  ]);
  expect(events(drafts).filter(({ startsTurn }) => startsTurn)).toHaveLength(1);
  // The input holds the cache. The second message does not say what it used.
  expect(calls(drafts)).toMatchObject([
    { model: "claude-sonnet-4-5-20250929", usage: { inputUncached: 200, cacheRead: 1000, output: 40 } },
    { model: "claude-sonnet-4-5", usage: null },
  ]);
  expect(drafts.findLast(({ kind }) => kind === "reported")).toMatchObject({
    usd: 0.02,
    usage: { "claude-sonnet-4-5": { inputUncached: 1100, cacheRead: 1000, output: 52 } },
  });
});

test("an export is known without its messages, and another document is none", () => {
  const known = (value: object): boolean =>
    goose.detect({ path: "x.json", head: Buffer.from(JSON.stringify(value)), sidecars: new Map<string, string>() });
  expect(known({ id: "1", working_dir: "/a", extension_data: {} })).toBe(true);
  expect(known({ id: "1", working_dir: "/a", conversation: [] })).toBe(true);
  expect(known({ id: "1", working_dir: "/a" })).toBe(false);
});

const message = (id: string, role: string, ...content: object[]): object => ({
  ...{ id, role, created: 1_791_174_000, content },
  metadata: { userVisible: true, agentVisible: true },
});
const text = (words: string): object => ({ type: "text", text: words });
const CALL = {
  type: "toolRequest",
  id: "c1",
  toolCall: { status: "success", value: { name: "shell", arguments: {} } },
};
const RESULT = { type: "toolResponse", id: "c1", toolResult: { status: "success", value: { content: [text("7")] } } };

function printed(words: string): { drafts: Draft[]; formats: readonly string[]; id: string | null } {
  const bytes = Buffer.from(words);
  const file = { path: "run.log", head: bytes, sidecars: new Map<string, string>() };
  const state = goose.start(file);
  const drafts = goose.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  expect(isDocument(goose, file)).toBe(true);
  return {
    drafts,
    formats: FORMATS.filter((one) => one.detect(file)).map(({ id }) => id),
    id: goose.identify(state),
  };
}

test("what a run printed as JSON is read", () => {
  const messages = [
    message("u1", "user", text("Count")),
    message("a1", "assistant", CALL),
    message("u2", "user", RESULT),
    message("a2", "assistant", text("Seven.")),
  ];
  const { drafts, formats, id } = printed(JSON.stringify({ messages, metadata: { status: "completed" } }, null, 2));
  expect(formats).toEqual(["goose"]);
  expect(id).not.toBeNull();
  expect(bodies(drafts).slice(1)).toMatchObject([
    { type: "user", text: "Count" },
    { type: "tool_call", toolCallId: "c1", toolName: "shell" },
    { type: "tool_result", toolCallId: "c1", text: "7" },
    { type: "assistant", text: "Seven." },
  ]);
});

test("of a run that was printed as events, the pieces of an answer are one", () => {
  const lines = [
    { type: "message", message: message("a1", "assistant", text("I ")) },
    { type: "message", message: message("a1", "assistant", text("look.")) },
    { type: "message", message: message("a1", "assistant", CALL) },
    { type: "message", message: message("u2", "user", RESULT) },
    { type: "message", message: message("a2", "assistant", text("Seven.")) },
    { type: "complete", total_tokens: 15 },
  ];
  const { drafts, formats } = printed(lines.map((one) => `${JSON.stringify(one)}\n`).join(""));
  expect(formats).toEqual(["goose"]);
  expect(bodies(drafts)).toMatchObject([
    { type: "assistant", text: "I look." },
    { type: "tool_call", toolCallId: "c1" },
    { type: "tool_result", toolCallId: "c1", text: "7" },
    { type: "assistant", text: "Seven." },
    { type: "meta", subtype: "complete" },
  ]);
  expect(calls(drafts).map(({ key }) => key)).toEqual(["a1", "a2"]);
});

test("on a Mac, sessions may lie in the folder of applications too", () => {
  expect(goose.sources({ HOME: "/Users/ada" }, "darwin")).toEqual([
    "/Users/ada/.local/share/goose/sessions",
    "/Users/ada/Library/Application Support/Block.block.goose/sessions",
  ]);
});
