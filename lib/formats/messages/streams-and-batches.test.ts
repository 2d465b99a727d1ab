// Answers as they were streamed, what came of batches, and documents that list conversations. All is written by hand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isDocument, type Draft } from "#lib/kernel/draft.ts";
import { eventText } from "#lib/kernel/event.ts";
import { bodies, calls, patches, recordsOf } from "../codex/testing-codex.ts";
import { FORMATS } from "../index.ts";

const messages = FORMATS.find(({ id }) => id === "messages")!;
const fixture = (name: string): Uint8Array =>
  readFileSync(join(import.meta.dirname, `../fixtures/messages-synthetic-${name}`));
const textOf = (name: string): string => new TextDecoder().decode(fixture(name));

function read(bytes: Uint8Array): Draft[] {
  const file = { path: "x", head: bytes.subarray(0, 65_536), sidecars: new Map<string, string>() };
  expect(messages.detect(file)).toBe(true);
  const state = messages.start(file);
  const whole = [{ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }];
  return (isDocument(messages, file) ? whole : recordsOf(bytes)).flatMap((record) => messages.parse(record, state));
}

const spoken = (drafts: Draft[]) => bodies(drafts).filter(({ type }) => type !== "meta");
const used = (drafts: Draft[]) =>
  calls(drafts).map(({ key, usage, outputLowerBound }) => [key, usage?.output ?? null, outputLowerBound]);
const lanes = (drafts: Draft[]) => new Set(drafts.flatMap((draft) => ("lane" in draft ? [draft.lane] : [])));

const STREAMED = [
  { type: "assistant", text: "I look. (synthetic)" },
  { type: "tool_call", toolCallId: "c1", toolName: "look", input: { at: "reef" } },
];

test("chunks of a chat completion as server-sent events are one answer, with the counts of its end", () => {
  for (const text of [textOf("chunks.txt"), textOf("chunks.txt").replaceAll("\n", "\r\n")]) {
    const drafts = read(new TextEncoder().encode(text));
    expect(spoken(drafts)).toEqual(STREAMED);
    expect(calls(drafts)).toMatchObject([
      { key: "chatcmpl-s1", model: "gpt-4o-2024-08-06", usage: { inputUncached: 12, cacheRead: 8, output: 5 } },
    ]);
  }
});

test("chunks on lines: two answers that came at once are two; one that was cut has its words, and no counts", () => {
  const drafts = read(fixture("chunks.jsonl"));
  expect(spoken(drafts)).toEqual([...STREAMED, { type: "assistant", text: "Seven or" }]);
  expect(used(drafts)).toEqual([
    ["chatcmpl-s1", 5, false],
    ["chatcmpl-s2", null, false],
  ]);
});

test("a second choice is no part of the words of the first", () => {
  const chunk = (index: number, content: string) => ({
    ...{ id: "two", object: "chat.completion.chunk", choices: [{ index, delta: { content } }] },
  });
  const bytes = [chunk(0, "Se"), chunk(1, "Ni"), chunk(1, "ne"), chunk(0, "ven")].map((one) => JSON.stringify(one));
  expect(spoken(read(new TextEncoder().encode(bytes.join("\n"))))).toEqual([{ type: "assistant", text: "Seven" }]);
});

test("events of OpenAI's Responses: the whole response counts once; of one that was cut its words are there", () => {
  const drafts = read(fixture("events.jsonl"));
  expect(spoken(drafts)).toMatchObject([
    { type: "assistant", text: "Seven. (synthetic)" },
    { type: "tool_call", toolCallId: "c1", input: { at: "reef" } },
    { type: "assistant", text: "Or eight" },
  ]);
  expect(new Map(used(drafts).map(([key, output]) => [key, output]))).toEqual(
    new Map([
      ["resp_s1", 30],
      ["resp_s2", null],
    ]),
  );
});

test("Anthropic's stream as text; cut before its counts, the output is a lower bound", () => {
  expect(spoken(read(fixture("events.txt")))).toEqual([{ type: "assistant", text: "Seven. (synthetic)" }]);
  expect(used(read(fixture("events.txt")))).toEqual([["msg_a1", 50, false]]);
  const cut = textOf("events.txt").split("event: message_delta")[0]!;
  expect(used(read(new TextEncoder().encode(cut)))).toEqual([["msg_a1", 1, true]]);
});

test("what stands among the chunks is said: why a stream failed, an event that is not known, a line that is no JSON", () => {
  const drafts = read(
    new TextEncoder().encode(
      `${textOf("chunks.txt")}data: {"error":{"message":"Overloaded"}}\n\ndata: {"wind":7}\n\ndata: {"cut\n`,
    ),
  );
  expect(spoken(drafts).slice(2)).toMatchObject([{ type: "error", text: "Overloaded" }, { type: "unknown" }]);
  expect(drafts.filter(({ kind }) => kind === "problem")).toHaveLength(1);
});

test("a batch's output: each answer is a session with its counts, and a request that failed says why", () => {
  const drafts = read(fixture("batch-output.jsonl"));
  expect(spoken(drafts)).toMatchObject([
    { type: "assistant", text: "Seven. (synthetic)" },
    { type: "error", text: "The model does not exist." },
    { type: "error", text: "This request could not be executed before the completion window expired." },
    { type: "assistant", text: "Seven. (synthetic)" },
  ]);
  expect(new Set(used(drafts).map(([key, output]) => `${key} ${output}`))).toEqual(
    new Set(["chatcmpl-b1 5", "resp_b4 3"]),
  );
  expect(lanes(drafts).size).toBe(4);
  expect(new Set(calls(drafts).map(({ model }) => model?.endsWith("-batch")))).toEqual(new Set([true]));
  expect(drafts.find((draft) => draft.kind === "session")).toMatchObject({ patch: { title: "reef-1" } });
});

test("a batch's input: each request is a session with its model and tools, and no call", () => {
  const drafts = read(fixture("batch-input.jsonl"));
  expect(calls(drafts)).toEqual([]);
  expect(lanes(drafts).size).toBe(2);
  expect(patches(drafts)).toMatchObject({ model: "gpt-4o-mini" });
  expect(bodies(drafts).filter((body) => body.type === "meta")).toMatchObject([{ name: "look" }, { name: "look" }]);
});

test("results of Anthropic's message batches, at the price of a batch", () => {
  const drafts = read(fixture("batch-results.jsonl"));
  expect(spoken(drafts)).toMatchObject([
    { type: "assistant", text: "Nine. (synthetic)" },
    { type: "error", text: "max_tokens: required" },
    { type: "error", text: "expired" },
  ]);
  expect(calls(drafts).at(-1)).toMatchObject({
    ...{ key: "msg_b1", model: "claude-sonnet-4-5-batch", usage: { inputUncached: 11, cacheRead: 30, output: 4 } },
  });
  expect(lanes(drafts).size).toBe(3);
});

test("a list of ShareGPT conversations: each is a session, and a call of a tool has its result", () => {
  const drafts = read(fixture("sharegpt.json"));
  expect(spoken(drafts)).toMatchObject([
    { type: "system", text: "You count. (synthetic)" },
    { type: "user", text: "How many corals?" },
    { type: "tool_call", toolName: "look", input: { at: "reef" } },
    { type: "tool_result", text: "seven" },
    { type: "assistant", text: "Seven." },
    { type: "user", text: "And fish?" },
    { type: "assistant", text: "Nine." },
  ]);
  expect(lanes(drafts).size).toBe(2);
  const lines = (JSON.parse(textOf("sharegpt.json")) as unknown[]).map((one) => `${JSON.stringify(one)}\n`).join("");
  const ofLines = spoken(read(new TextEncoder().encode(lines)));
  expect(ofLines.map((body) => [body.type, eventText(body)])).toEqual(
    spoken(drafts).map((body) => [body.type, eventText(body)]),
  );
});

test("a document with a list of calls is a log: what goes on is one session, and each answer counts once", () => {
  const drafts = read(fixture("calls.json"));
  expect(spoken(drafts)).toMatchObject([
    ...[
      { type: "user", text: "How many?" },
      { type: "assistant", text: "Seven." },
      { type: "user", text: "Sure?" },
    ],
    { type: "assistant", text: "Yes." },
    ...[{ type: "system" }, { type: "user", text: "And fish?" }, { type: "assistant", text: "Nine." }],
  ]);
  expect(new Set(used(drafts).map(([key, output]) => `${key} ${output}`))).toEqual(
    new Set(["chatcmpl-c1 5", "chatcmpl-c2 5", "msg_c3 4"]),
  );
  expect(lanes(drafts).size).toBe(2);
  const list = JSON.stringify((JSON.parse(textOf("calls.json")) as { calls: unknown }).calls);
  expect(spoken(read(new TextEncoder().encode(list)))).toEqual(spoken(drafts));
});

test("a list that is cut off has what stands before the cut, and says so", () => {
  const text = textOf("calls.json");
  const drafts = read(new TextEncoder().encode(text.slice(0, text.indexOf("And fish"))));
  expect(spoken(drafts).slice(0, 4)).toMatchObject([{}, {}, {}, { text: "Yes." }]);
  expect(drafts.filter(({ kind }) => kind === "problem").length).toBeGreaterThan(0);
});
