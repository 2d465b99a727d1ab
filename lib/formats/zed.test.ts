// Threads of Zed's agent, as rows of its database. Synthetic.
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { zed } from "./zed.ts";

const THREAD = "2ed00000-0000-4000-8000-0000000000d2";
const bytes = (row: object): Uint8Array => new TextEncoder().encode(JSON.stringify(row));

function read(...messages: readonly unknown[]): Draft[] {
  const head = bytes({ table: "threads", row: { id: THREAD, summary: "Dunes" } });
  const state = zed.start({ path: "threads.db", head, sidecars: new Map() });
  const rows = messages.map((message, i) => ({ table: "message", row: { id: `${THREAD}/${i}`, message } }));
  return [head, ...rows.map(bytes)].flatMap((one, i) =>
    zed.parse({ bytes: one, byteStart: 0, byteEnd: one.length, line: i + 1 }, state),
  );
}
const bodies = (drafts: readonly Draft[]) => drafts.flatMap((draft) => (draft.kind === "event" ? [draft.body] : []));
const user = (id: string, text: string): object => ({ User: { id, content: [{ Text: text }] } });
const agent = (text: string): object => ({ Agent: { content: [{ Text: text }], tool_results: {} } });

test("a compaction keeps what the person wrote last, and its summary stands in place of the rest", () => {
  const drafts = read(
    user("u1", "old".repeat(10_000)),
    agent("Long."),
    user("u2", "x".repeat(60_000)),
    agent("Longer."),
    user("u3", "How high?"),
    { Compaction: { Summary: "Dunes were measured." } },
    user("u4", "And wide?"),
    agent("Wide."),
  );
  const at = bodies(drafts).findIndex(({ type }) => type === "compaction");
  expect(bodies(drafts)[at]).toMatchObject({
    kind: "full",
    text: "Dunes were measured.",
    // 60,000 and 9 of 80,000 bytes; of the first 20,000 would fit, which is more than a half of it.
    preserved: [0, 2, 4].map((n) => `${THREAD}/${n}`),
  });
  expect(bodies(drafts)[at + 1]).toMatchObject({ type: "user", text: "Dunes were measured.", injected: "summary" });
  expect(bodies(drafts).filter(({ type }) => type === "unknown")).toEqual([]);
});

test("what the provider compacted itself keeps nothing that can be read", () => {
  const items = [{ type: "compaction", encrypted_content: "c2Vj" }];
  const drafts = read(user("u1", "How high?"), { Compaction: { ProviderNative: { provider: "openai", items } } });
  const compaction = bodies(drafts).find(({ type }) => type === "compaction");
  expect(compaction).toMatchObject({ kind: "full", trigger: "openai", text: "" });
  expect(compaction).not.toHaveProperty("preserved");
});

test("the input of a call is what it says, without the frame that newer releases put around it", () => {
  const use = (id: string, input: unknown): object => ({ ToolUse: { id, name: "read_file", raw_input: "{}", input } });
  const inputs = [{ path: "a" }, { type: "json", value: { path: "b" } }, { type: "text", value: "c" }, { type: "d" }];
  const drafts = read(user("u1", "Read."), {
    Agent: { content: inputs.map((input, i) => use(`t${i}`, input)), tool_results: {} },
  });
  expect(bodies(drafts).flatMap((body) => (body.type === "tool_call" ? [body.input] : []))).toEqual([
    { path: "a" },
    { path: "b" },
    "c",
    { type: "d" },
  ]);
});
