// Synthetic records in the shape that Claude Code 2.1.330 writes.
import { expect, test } from "vitest";
import type { RequestRecords } from "#lib/kernel/request-records.ts";
import { claudeRequests } from "./requests.ts";
import { bodies, events, jsonl, run, text, type Rec } from "./testing-claude.ts";
import {
  blob,
  came,
  digest,
  MARK,
  reminder,
  request,
  rules,
  said,
  SESSION_RECORDS,
  sha256,
  shape,
  wholeDigest,
} from "./testing-claude-requests.ts";

/** What an archive gives the reader: the events' texts, and their records behind them. */
function recordsOf(records: readonly Rec[]): RequestRecords {
  const list = events(run(jsonl(...records)).drafts);
  const at = records.map((record, seq) => ({ seq: seq + 1, value: () => record, type: String(record["type"]) }));
  const texts = list.flatMap(({ body }) =>
    body.type === "meta" && claudeRequests.subtypes.includes(body.subtype) ? [body] : [],
  );
  const parts = at.filter(({ type }) => claudeRequests.subtypes.includes(type));
  expect(texts.map(({ subtype }) => subtype)).toEqual(parts.map(({ type }) => type));
  return {
    parts: parts.map(({ seq, value }, i) => ({ seq, value, subtype: texts[i]!.subtype, text: texts[i]!.text })),
    messages: at.filter(({ type }) => type === "user" || type === "assistant"),
    sha256,
  };
}

const read = (id: string, records = SESSION_RECORDS) => claudeRequests.read(id, recordsOf(records));
const without = (i: number): readonly Rec[] => SESSION_RECORDS.toSpliced(i, 1);

test("the first request is made of its blobs, its shape and its marks", () => {
  expect(read("req-1")).toEqual({
    id: "req-1",
    seq: 5,
    source: "sdk",
    purpose: "conversation",
    isProven: null,
    body: {
      model: "claude-opus-5-5",
      messages: [reminder, { role: "system", content: [{ ...text("# Environment\nharbour"), cache_control: MARK }] }],
      system: [{ ...text("You are a pilot."), cache_control: MARK }],
      tools: shape.tools,
      max_tokens: 1000,
    },
    betas: ["effort-2025-11-24"],
    messages: { count: 2, proven: 2 },
    why: null,
    notInFile: expect.stringContaining("billing line"),
  });
});

test("the next keeps messages of its base, finds the new ones among the records, and one text without a mark is a string", () => {
  const { body, messages } = read("req-2");
  expect(messages).toEqual({ count: 4, proven: 4 });
  expect(body!["messages"]).toEqual([
    reminder,
    { role: "system", content: "# Environment\nharbour" },
    said,
    { role: "user", content: [{ ...came.content[0], cache_control: MARK }] },
  ]);
});

const withDigest = (requestDigest: string, more: Rec = {}): readonly Rec[] =>
  SESSION_RECORDS.with(4, { ...SESSION_RECORDS[4]!, requestDigest, ...more });

test("the digest of the whole request proves it: system prompt, tools, parameters and marks", () => {
  const right = wholeDigest(read("req-1").body!);
  expect(read("req-1", withDigest(right))).toMatchObject({ isProven: true, why: null });
  const other = { ...shape, system: [text("You are a pirate.")] };
  const changed = withDigest(right).with(1, { ...SESSION_RECORDS[1]!, shape: other });
  for (const records of [changed, withDigest(right, { cacheControl: [] }), withDigest(sha256("other"))])
    expect(read("req-1", records)).toMatchObject({
      body: null,
      isProven: false,
      messages: { count: 2, proven: 2 },
      why: "Its parts do not match the file's digest of the request.",
    });
});

test("what the agent cut is not shown as sent; what it withheld is named", () => {
  const cut = withDigest("", { cut: { kind: "memory" }, requestDigest: undefined });
  expect(read("req-1", cut)).toMatchObject({ body: null, why: "The agent cut parts of it before it wrote the file." });
  const withheld = SESSION_RECORDS.with(4, { ...SESSION_RECORDS[4]!, withheld: ["top_k"] });
  expect(read("req-1", withheld).notInFile).toContain("The agent withheld: top_k.");
});

test("all requests are listed, each with what its record says and how much of it the file proves", () => {
  const records = recordsOf([
    ...without(6),
    { ...request("req-3", "req-1", 2, [], []), querySource: "compact" },
    { ...request("req-4", "req-9", 2, [], []), querySource: "agent:custom" },
    { ...request("req-5", null, 0, [], []), querySource: "title", params: null },
  ]);
  const all = claudeRequests.list(records);
  expect(all.map(({ id }) => id)).toEqual(["req-1", "req-2", "req-3", "req-4", "req-5"]);
  const ids = all.map(({ id }) => id);
  expect(
    claudeRequests
      .describe(ids, records)
      .map(({ id, model, purpose, messages: { count, proven }, why }) => [
        id,
        model,
        purpose,
        `${proven}/${count}`,
        why,
      ]),
  ).toEqual([
    ["req-1", "claude-opus-5-5", "conversation", "2/2", null],
    ["req-2", "claude-opus-5-5", "conversation", "3/4", "1 of its 4 messages is not in the file."],
    ["req-3", "claude-opus-5-5", "compaction", "2/2", null],
    ["req-4", "claude-opus-5-5", "sub-agent", "0/0", "The request that it continues is not in the file."],
    ["req-5", null, "other", "0/0", null],
  ]);
  expect(claudeRequests.describe(["req-9"], records)).toEqual([]);
});

test("an answer names its request", () => {
  expect(claudeRequests.requestOf(SESSION_RECORDS[5])).toBe("req-1");
  expect(claudeRequests.requestOf(SESSION_RECORDS[0])).toBeNull();
});

test("the records are notes, and none is unknown", () => {
  expect(bodies(run(jsonl(...SESSION_RECORDS)).drafts).filter(({ type }) => type === "unknown")).toEqual([]);
});

test.each([
  ["the request itself", "req-9", SESSION_RECORDS, "The request req-9 is not in the file."],
  ["a blob", "req-1", without(3), "1 of its 2 messages is not in the file."],
  ["a record", "req-2", without(6), "1 of its 4 messages is not in the file."],
  ["the shape", "req-1", without(1), "Its system prompt and tools are not in the file."],
  ["the base", "req-2", without(4), "The request that it continues is not in the file."],
  [
    "the right words of a blob",
    "req-1",
    SESSION_RECORDS.with(3, blob({ ...rules, content: [text("other")] }, digest(rules))),
    "1 of its 2 messages is not in the file (1 does not match its digest).",
  ],
  [
    "messages that are kept",
    "req-2",
    SESSION_RECORDS.with(8, request("req-2", "req-1", 5, [], [])),
    "It keeps 5 messages of a request that had 2.",
  ],
  [
    "an end",
    "req-2",
    SESSION_RECORDS.with(4, request("req-1", "req-2", 0, [], [])),
    "Its requests name each other in a circle.",
  ],
])("without %s there is no body, and it says why", (_, id, records, why) => {
  expect(read(id, records)).toMatchObject({ body: null, why });
});

test("shapes that nobody writes break nothing", () => {
  for (const odd of [
    { type: "api-request" },
    { type: "api-request", id: 7, tail: "x", keep: -1, cacheControl: [{ path: ["messages", "a", {}] }, 3] },
    { type: "api-request-blob", hash: null, message: [] },
    { type: "api-request-shape", shape: 3 },
  ]) {
    const records = [...SESSION_RECORDS, { sessionId: "s", ...odd }];
    expect(read("req-2", records).body).not.toBeNull();
    expect(claudeRequests.read("", recordsOf(records)).messages.count).toBe(0);
  }
});
