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
    source: "sdk",
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
  ["the base", "req-2", without(4), "The request that it goes on from is not in the file."],
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
