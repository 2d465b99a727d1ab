import { expect, test } from "vitest";
import { hiddenOf, messageRows, repairWords, sumOf, requestWords } from "./context-view.ts";
import { contextFixture, messageFixture } from "./testing-context.ts";

test("what left stands where it stood, and what is here keeps its order", () => {
  const answer = contextFixture({
    messages: [
      messageFixture({ seqs: [], role: "system" }),
      messageFixture({ seqs: [40], change: "new" }),
      messageFixture({ seqs: [12] }),
      messageFixture({ seqs: [30] }),
    ],
    left: [messageFixture({ seqs: [20] }), messageFixture({ seqs: [5] }), messageFixture({ seqs: [90] })],
  });
  const rows = messageRows(answer, "all").map(({ at, change, message }) => [at, change, message.seqs[0] ?? null]);
  expect(rows).toEqual([
    [1, "same", null],
    [null, "left", 5],
    [null, "left", 20],
    [2, "new", 40],
    [3, "same", 12],
    [4, "same", 30],
    [null, "left", 90],
  ]);
  expect(messageRows(answer, "new").map(({ at }) => at)).toEqual([2]);
  expect(messageRows(answer, "left")).toHaveLength(3);
});

test("one estimated message makes the sum estimated", () => {
  const counted = messageFixture({ tokens: 10 });
  expect(sumOf([counted, counted])).toEqual({ count: 2, tokens: 20, origin: "counted" });
  expect(sumOf([counted, messageFixture({ tokens: 1, origin: "estimated" })]).origin).toBe("estimated");
  expect(sumOf([])).toEqual({ count: 0, tokens: 0, origin: "reported" });
});

test("the hidden prefix is what the provider counted over the messages, and unknown where it said nothing", () => {
  const hidden = (prefix: number | null, reported: number | null) =>
    hiddenOf(contextFixture({ tokens: 1000, prefix, reported }));
  expect(hidden(390, 1400)).toEqual({ prefix: 390, unattributed: 10 });
  expect(hidden(390, 1300)).toEqual({ prefix: 390, unattributed: -90 });
  expect(hidden(null, 1400)).toEqual({ prefix: 400, unattributed: 0 });
  expect(hidden(null, null)).toBeNull();
});

test("what pairing mended is told in words, and nothing is told where nothing was", () => {
  expect(repairWords({ moved: 0, synthetic: 0, duplicates: 0, orphans: 0, droppedCalls: 0 })).toEqual([]);
  expect(repairWords({ moved: 1, synthetic: 2, duplicates: 0, orphans: 0, droppedCalls: 0 })).toEqual([
    "2 results made for calls that have none",
    "1 result moved behind its call",
  ]);
});

test("a request of no call says what the agent made it for, and guesses nothing", () => {
  const words = (source: string | null, purpose: "conversation" | "compaction" | "other" | null): string =>
    requestWords({ id: "r", source, purpose });
  expect([words("sdk", "conversation"), words(null, null)]).toEqual([
    "sent, without an answer in the file",
    "sent, without an answer in the file",
  ]);
  expect(words("compact", "compaction")).toBe("sent for a compaction");
  expect(words("generate_title", "other")).toBe("sent for generate_title");
});
