import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventBody } from "#lib/kernel/event.ts";
import { NO_USAGE, type Draft, type SourceFile, type SourceRecord } from "#lib/kernel/draft.ts";
import { FORMATS } from "./index.ts";
import { plimsoll } from "./plimsoll-format.ts";

const fixture = readFileSync(join(import.meta.dirname, "fixtures", "plimsoll-synthetic-session.jsonl"));
const other = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));

const fileOf = (bytes: Uint8Array): SourceFile => ({
  path: "session.jsonl",
  head: bytes.subarray(0, 65536),
  sidecars: new Map(),
});

function recordsOf(bytes: Uint8Array): SourceRecord[] {
  const records: SourceRecord[] = [];
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    records.push({ bytes: bytes.subarray(start, newline < 0 ? end : newline), byteStart: start, byteEnd: end, line });
    start = end;
  }
  return records;
}

const parse = (bytes: Uint8Array): Draft[] => {
  const state = plimsoll.start(fileOf(bytes));
  return recordsOf(bytes).flatMap((record) => plimsoll.parse(record, state));
};
const linesOf = (...values: unknown[]): Uint8Array =>
  new TextEncoder().encode(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
const header = { plimsoll: 1, id: "one" };

describe("detection", () => {
  test("its fixture is detected by this format alone, and it detects no other's", () => {
    expect(FORMATS.filter((format) => format.detect(fileOf(fixture))).map((format) => format.id)).toEqual(["plimsoll"]);
    expect(plimsoll.detect(fileOf(other("codex-synthetic-session.jsonl")))).toBe(false);
    expect(plimsoll.detect(fileOf(new Uint8Array()))).toBe(false);
    expect(plimsoll.detect(fileOf(linesOf({ plimsoll: "1", id: "x" })))).toBe(false);
  });

  test("the session's name is the header's id", () => {
    expect(plimsoll.identify(plimsoll.start(fileOf(fixture)))).toBe("synthetic-parent");
  });

  test("a header of a newer version is ours, and is told as a problem", () => {
    const bytes = linesOf({ plimsoll: 2, id: "later" });
    expect(plimsoll.detect(fileOf(bytes))).toBe(true);
    expect(parse(bytes).map((draft) => draft.kind)).toEqual(["problem", "event"]);
  });
});

describe("records", () => {
  test("every line of the fixture yields something, and every event is valid", () => {
    const state = plimsoll.start(fileOf(fixture));
    for (const record of recordsOf(fixture)) {
      const drafts = plimsoll.parse(record, state);
      expect(drafts.length).toBeGreaterThan(0);
      for (const draft of drafts) {
        expect(draft.kind).not.toBe("problem");
        if (draft.kind === "event") expect(eventBody.safeParse(draft.body).success).toBe(true);
      }
    }
  });

  test("half then half, with the state stored between them, equals the whole", () => {
    const records = recordsOf(fixture);
    const whole = parse(fixture);
    for (let cut = 0; cut <= records.length; cut++) {
      const state = plimsoll.start(fileOf(fixture));
      const first = records.slice(0, cut).flatMap((record) => plimsoll.parse(record, state));
      const stored = JSON.parse(JSON.stringify(state)) as typeof state;
      expect(JSON.stringify(stored).length).toBeLessThan(4096);
      expect([...first, ...records.slice(cut).flatMap((record) => plimsoll.parse(record, stored))]).toEqual(whole);
    }
  });

  test("counted usage is told from reported usage, and usage that does not say which is refused", () => {
    const usage = { inputUncached: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 0 };
    const call = (origin: string) => ({ record: "call", key: origin, usage: { ...usage, origin } });
    const calls = parse(linesOf(header, call("reported"), call("counted"))).filter((draft) => draft.kind === "call");
    expect(calls.map(({ counted, usage: read }) => ({ counted, read }))).toEqual([
      { counted: undefined, read: { ...NO_USAGE, ...usage } },
      { counted: true, read: { ...NO_USAGE, ...usage } },
    ]);
    const refused = parse(linesOf(header, { record: "call", key: "x", usage }));
    expect(refused.some((draft) => draft.kind === "problem" && draft.reason.includes("usage.origin"))).toBe(true);
  });

  test("cache writes for one hour are a part of all cache writes", () => {
    const usage = { inputUncached: 1, cacheRead: 2, cacheWrite: 3, output: 4, reasoning: 0, origin: "reported" };
    const call = (more: object) => parse(linesOf(header, { record: "call", key: "x", usage: { ...usage, ...more } }));
    expect(call({ cacheWrite1h: 3, webSearches: 2 }).find((draft) => draft.kind === "call")?.usage).toMatchObject({
      cacheWrite: 3,
      cacheWrite1h: 3,
      webSearches: 2,
    });
    const refused = call({ cacheWrite1h: 4 });
    expect(refused.some((draft) => draft.kind === "problem" && draft.reason.includes("usage.cacheWrite1h"))).toBe(true);
  });

  test("a record that is not as the format says is listed with its place, and stands in the log", () => {
    const bytes = linesOf(header, { record: "event", body: { type: "poem", text: "x" } });
    const [, problem, event] = parse(bytes);
    const second = recordsOf(bytes)[1]!;
    expect(problem).toMatchObject({
      kind: "problem",
      line: 2,
      byteStart: second.byteStart,
      byteEnd: second.byteEnd,
    });
    expect(event).toMatchObject({ kind: "event", body: { type: "unknown" } });
  });

  test("records that two writers glued together are both read", () => {
    const usage = { inputUncached: 1, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
    const text = JSON.stringify({ record: "lost", usage });
    const lost = parse(new TextEncoder().encode(`${text}${text}\n`)).filter((draft) => draft.kind === "lost");
    expect(lost).toEqual(Array(2).fill({ kind: "lost", lane: "", usage: { ...NO_USAGE, ...usage } }));
  });
});

describe("anything at all", () => {
  const almost = fc.record(
    {
      plimsoll: fc.constantFrom(1, 2, "1"),
      record: fc.constantFrom("event", "call", "link", "lost", "poem"),
      id: fc.oneof(fc.string(), fc.integer()),
      ts: fc.oneof(fc.string(), fc.integer(), fc.constant("2026-01-01T00:00:00Z")),
      key: fc.jsonValue(),
      usage: fc.jsonValue(),
      body: fc.oneof(
        fc.jsonValue(),
        fc.record({
          type: fc.constantFrom("user", "tool_call", "compaction"),
          text: fc.string(),
          input: fc.jsonValue(),
        }),
      ),
      attachments: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );

  test("no JSON makes it throw, and no line yields nothing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), almost), (value) => {
        const drafts = parse(linesOf(value));
        expect(drafts.length).toBeGreaterThan(0);
        for (const draft of drafts)
          if (draft.kind === "event") expect(eventBody.safeParse(draft.body).success).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("no bytes make it throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        plimsoll.detect(fileOf(bytes));
        parse(bytes);
      }),
      { numRuns: 500 },
    );
  });
});
