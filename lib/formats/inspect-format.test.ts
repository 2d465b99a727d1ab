// Samples of Inspect's logs: usage by call, tools, pooled messages and attachments, logs without events.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Draft } from "#lib/kernel/draft.ts";
import { inspect } from "./inspect-format.ts";

const fixture = (name: string): Buffer => readFileSync(join(import.meta.dirname, "fixtures", name));
function read(bytes: Buffer, sidecars: ReadonlyMap<string, string> = new Map()) {
  const state = inspect.start({ path: "/logs/x.eval#samples/1_epoch_1.json", head: bytes, sidecars });
  const drafts = inspect.parse({ bytes, byteStart: 0, byteEnd: bytes.length, line: 1 }, state);
  return { drafts, state };
}
const bodiesOf = (drafts: readonly Draft[], lane = "") =>
  drafts.flatMap((draft) => (draft.kind === "event" && draft.lane === lane ? [draft.body] : []));

test("a sample has its prompt, each message once, and the usage of each call", () => {
  const { drafts, state } = read(fixture("inspect-synthetic-sample.json"));
  expect(state.id).toBe("synthetic-sample-1");
  expect(bodiesOf(drafts).map(({ type }) => type)).toEqual([
    ...["meta", "system", "user", "reasoning", "assistant", "tool_call", "tool_result", "assistant", "meta"],
  ]);
  expect(bodiesOf(drafts)[2]).toMatchObject({ text: "When is high water on Monday?" });
  const usages = drafts.flatMap((draft) => (draft.kind === "call" ? [draft.usage] : []));
  expect(usages).toMatchObject([
    { inputUncached: 40, cacheRead: 100, cacheWrite: 20, output: 12 },
    { inputUncached: 10, cacheRead: 160, cacheWrite: 0, output: 6 },
  ]);
});

test("a log has a session for each sample, with the sums of one that has no events", () => {
  const { drafts, state } = read(fixture("inspect-synthetic-log.json"));
  expect(state.id).toBe("synthetic-sample-3");
  const lane = "tide-2/2/1";
  expect(bodiesOf(drafts, lane).map(({ type }) => type)).toEqual(["user", "assistant", "error"]);
  const call = drafts.find((draft) => draft.kind === "call" && draft.lane === lane);
  expect(call).toMatchObject({ usage: { inputUncached: 9, output: 3 } });
  const titles = drafts.flatMap((draft) => (draft.kind === "session" ? (draft.patch.title ?? []) : []));
  expect(titles).toContain("tides: tide-2 (epoch 2)");
});

test("the header beside a sample names its task; NaN is read; a log without samples is a session", () => {
  const header = JSON.stringify({ eval: { task: "tides", eval_id: "e" } });
  const text = fixture("inspect-synthetic-sample.json").toString().replace('"value": "C"', '"value": NaN');
  const { drafts } = read(Buffer.from(text), new Map([["/logs/x.eval#header.json", header]]));
  expect(drafts[0]).toMatchObject({ patch: { title: "tides: tide-1", agentName: "tides" } });
  const empty = read(
    Buffer.from(JSON.stringify({ version: 2, status: "cancelled", eval: { eval_id: "e" }, samples: [] })),
  );
  expect(bodiesOf(empty.drafts)).toMatchObject([{ type: "meta", text: "Status cancelled. The log has no samples." }]);
});

test("samples without ids of their events share no record and no call", () => {
  const sample = (id: string) => ({
    ...{ id, epoch: 1, input: id, target: "", messages: [] },
    events: [{ event: "model", model: "m", input: [{ role: "user", content: id }], output: { usage: usageOf(9) } }],
  });
  const old = (id: string) => ({
    ...{ id, epoch: 1, input: id, target: "", model_usage: { m: usageOf(5) } },
    messages: [
      { role: "user", content: id },
      { role: "assistant", content: "Yes." },
    ],
  });
  const samples = [sample("a"), sample("b"), old("c"), old("d")];
  const log = { version: 2, status: "success", eval: { eval_id: "e", task: "t" }, samples };
  const { drafts } = read(Buffer.from(JSON.stringify(log)));
  const calls = drafts.flatMap((draft) => (draft.kind === "call" ? [draft] : []));
  expect(calls.map(({ usage }) => usage?.inputUncached)).toEqual([9, 9, 5, 5]);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(4);
  const records = drafts.flatMap((draft) => (draft.kind === "event" && draft.recordKey !== null ? [draft] : []));
  const lanes = Map.groupBy(records, ({ recordKey }) => recordKey);
  expect(lanes.size).toBeGreaterThan(4);
  for (const events of lanes.values()) expect(new Set(events.map(({ lane }) => lane)).size).toBe(1);
});

test("a sample that is damaged takes no other with it", () => {
  const log = fixture("inspect-synthetic-log.json").toString();
  const { drafts, state } = read(Buffer.from(log.replace('"epoch": 1,', '"epoch": 1 1,')));
  expect(drafts.filter(({ kind }) => kind === "problem")).toMatchObject([{ reason: "The sample is not JSON." }]);
  expect(state.id).toBe("synthetic-eval/tide-2/2");
  expect(bodiesOf(drafts).map(({ type }) => type)).toEqual(["user", "assistant", "error"]);
});

const usageOf = (input: number) => ({ input_tokens: input, output_tokens: 1, total_tokens: input + 1 });
