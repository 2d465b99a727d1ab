// The memory of loops that send their whole history: when it compacts, where it cuts, and what it never does.
import { expect, test } from "vitest";
import { extractiveSummarizer } from "#lib/kernel/memory/extractive/extractive-summarizer.ts";
import { CHARS_PER_TOKEN, charsOf, type HistoryPart } from "./compact-history.ts";
import { HistoryMemory, type CompactionReport, type HistoryShape, type MemoryOptions } from "./history-memory.ts";

type Message = { readonly role: "system" | "other"; readonly parts: readonly HistoryPart[] };

const shape: HistoryShape<Message> = {
  isSystem: ({ role }) => role === "system",
  read: ({ parts }) => parts,
  summary: (text) => said("user", text),
};
const message = (...parts: HistoryPart[]): Message => ({ role: "other", parts });
const said = (type: "user" | "assistant" | "reasoning", text: string): Message => message({ type, text });
const call = (id: string): HistoryPart => ({ type: "tool_call", id, name: "read", input: { id } });
const result = (id: string, text = `${id} `.repeat(600)): Message => message({ type: "tool_result", id, text });
const step = (id: string): Message[] => [message(call(id)), result(id)];
const turn = (n: number): Message[] => [
  said("user", `Question ${n}`),
  ...step(`c${n}`),
  said("assistant", `Answer ${n}`),
];
const turns = (from: number, to: number): Message[] =>
  Array.from({ length: to - from + 1 }, (_, i) => turn(from + i)).flat();
const textOf = (messages: readonly Message[]): string => JSON.stringify(messages);

/** About 4,000 tokens may be sent before the next call is compacted. */
const small = (options: MemoryOptions = {}) => {
  const reports: CompactionReport[] = [];
  const onCompaction = (report: CompactionReport): void => void reports.push(report);
  const memory = new HistoryMemory({ contextTokens: 5256, tail: 1, onCompaction, ...options });
  return { memory, reports, fit: (messages: readonly Message[]) => memory.fit(messages, shape) };
};

test("below the load line the same messages are sent", async () => {
  const { fit, reports } = small();
  const history = turns(1, 4);
  const { messages, isWhole } = await fit(history);
  expect([messages, isWhole, reports]).toEqual([history, true, []]);
});

test("above it the oldest turns become a summary; the same beginning gets the same one again", async () => {
  const { fit, reports } = small();
  const system: Message = { role: "system", parts: [] };
  const history = [system, ...turns(1, 8)];
  const first = await fit(history);
  expect(reports).toMatchObject([{ status: "complete", trigger: "early" }]);
  expect(reports[0]!.tokensAfter).toBeLessThan(reports[0]!.tokensBefore / 2);
  const [kept, summary, ...tail] = first.messages;
  expect([kept, textOf([summary!]).includes("Question 1")]).toEqual([system, true]);
  expect(tail).toEqual(history.slice(1 + reports[0]!.covered));
  expect(tail[0]).toEqual(said("user", "Question 7"));
  const second = await fit([{ role: "system", parts: [] }, ...turns(1, 9)]);
  expect(second.messages.slice(1, -4)).toEqual(first.messages.slice(1));
  expect(reports).toHaveLength(1);
  // Gone back to before the cut, or another conversation: nothing of the summary is sent.
  expect((await fit(turns(1, 3))).isWhole).toBe(true);
  expect((await fit([...turns(2, 6)])).isWhole).toBe(true);
});

test("the provider's count goes before the length of the texts", async () => {
  const { fit, reports } = small();
  const history = turns(1, 4);
  (await fit(history)).answered(4500);
  expect((await fit([...history, ...turn(5)])).isWhole).toBe(false);
  expect(reports).toMatchObject([{ status: "complete", trigger: "budget" }]);
  const { fit: other, reports: none } = small();
  const long = turns(1, 7);
  (await other(long)).answered(500);
  expect((await other([...long, ...turn(8)])).isWhole).toBe(true);
  expect(none).toEqual([]);
});

test("inside of a long turn old steps go, what was asked stays, and no call is parted from its result", async () => {
  const { fit, reports } = small();
  const history = [said("user", "Survey every pier. Never close pier 4.")];
  for (let n = 1; n <= 40; n++) {
    // Reasoning belongs to the call that it led to; every third step has two calls at once.
    const ids = n % 3 === 0 ? [`a${n}`, `b${n}`] : [`a${n}`];
    history.push(said("reasoning", "…"), message(...ids.map(call)), ...ids.map((id) => result(id)));
    const { messages } = await fit(history);
    const parts = messages.flatMap((one) => one.parts);
    const idsOf = (type: string): string[] =>
      parts.flatMap((part) => ("id" in part && part.type === type ? part.id : []));
    expect(idsOf("tool_call")).toEqual(idsOf("tool_result"));
    expect(textOf(messages)).toContain("Survey every pier. Never close pier 4.");
    if (messages.length < history.length) expect(messages[2]!.parts[0]!.type).toBe("reasoning");
    expect(charsOf(parts) / CHARS_PER_TOKEN).toBeLessThan(4001);
  }
  expect(reports.length).toBeGreaterThan(3);
  expect(new Set(reports.map(({ status }) => status))).toEqual(new Set(["complete"]));
});

test("artifacts that were named in what was cut can still be read: the summary has their ids", async () => {
  const { fit } = small();
  const envelope = JSON.stringify({ artifact_id: "art_0123456789abcdef", size_bytes: 9000, summary: "Tides of May" });
  const history = [said("user", "Read the tides"), message(call("t")), result("t", envelope), ...turns(1, 8)];
  const { messages } = await fit(history);
  expect(textOf([messages[0]!])).toContain("art_0123456789abcdef");
  // And after the next compaction too.
  const later = await fit([...history, ...turns(9, 15)]);
  expect(textOf([later.messages[0]!])).toContain("art_0123456789abcdef");
});

test("where a summarizer fails everything is sent, and it is asked again in the next turn, not before", async () => {
  let asked = 0;
  const summarizer = {
    summarize: () => {
      asked++;
      throw new Error("no model");
    },
  };
  const { fit, reports } = small({ summarizer });
  const history = turns(1, 8);
  expect((await fit(history)).messages).toEqual(history);
  expect((await fit([...history, ...step("d1")])).isWhole).toBe(true);
  expect(asked).toBe(1);
  expect(reports).toMatchObject([{ status: "failed", reason: "The compaction failed: no model", covered: 0 }]);
  await fit([...history, ...turn(9)]);
  expect(asked).toBe(2);
});

test("a call without its result, and one message that is too large, are left as they are", async () => {
  const { fit, reports } = small();
  const open = [said("user", "Go"), message(call("open")), said("user", "x ".repeat(9000))];
  expect((await fit(open)).messages).toEqual(open);
  expect(reports.map(({ status }) => status)).toEqual(["nothing_to_compact"]);
  expect(reports[0]!.reason).not.toBe("");
});

test("a hook that throws stops nothing, and a summarizer is told what it is to mind", async () => {
  const told: unknown[] = [];
  const summarizer: typeof extractiveSummarizer = {
    summarize(traces, context) {
      told.push(
        context.instructions,
        traces.some(({ traceType }) => traceType === "tool_result"),
      );
      return extractiveSummarizer.summarize(traces, context);
    },
  };
  const { fit } = small({
    ...{ summarizer, instructions: "Keep pier numbers", toolEvents: "exclude" },
    onCompaction: () => {
      throw new Error("mine");
    },
  });
  expect((await fit(turns(1, 8))).isWhole).toBe(false);
  expect(told).toEqual(["Keep pier numbers", false]);
});
