import fc from "fast-check";
import { expect, test } from "vitest";
import { diffMessages } from "./diff-messages.ts";
import { contextMessages } from "./from-events.ts";
import { anyLog, assistant, blanked, called, came, compacted, logOf, user } from "./testing-events.ts";

const contents = (messages: readonly { readonly content: string | null }[]) => messages.map(({ content }) => content);

test("between two events came what lies between them, and nothing left", () => {
  const log = logOf(user("a"), assistant("b"), user("c"));
  const diff = diffMessages(contextMessages(log, 1), contextMessages(log, 3));
  expect(contents(diff.came)).toEqual(["b", "c"]);
  expect(diff).toMatchObject({ left: [], changed: [], kept: 1 });
});

test("a compaction takes the start away and brings its summary", () => {
  const log = logOf(user("a"), assistant("b"), [user("c"), { key: "c" }], compacted("Summary.", ["c"]));
  const diff = diffMessages(contextMessages(log, 3), contextMessages(log, 4));
  expect(contents(diff.came)).toEqual(["Summary."]);
  expect(contents(diff.left)).toEqual(["a", "b"]);
  expect(diff.kept).toBe(1);
});

test("an answer that grew and a result that was blanked have changed", () => {
  const grown = logOf([assistant("I will"), { call: 1 }], [called("1"), { call: 1 }], came("1", "long"), blanked("1"));
  const answer = diffMessages(contextMessages(grown, 1), contextMessages(grown, 2));
  expect(answer).toMatchObject({ came: [], left: [], kept: 0 });
  expect(answer.changed).toHaveLength(1);
  const result = diffMessages(contextMessages(grown, 3), contextMessages(grown, 4));
  expect(result).toMatchObject({ came: [], left: [], kept: 1 });
  expect(result.changed[0]!.after.toolPayload).toMatchObject({ toolResult: expect.stringContaining("cleared") });
});

test("messages that name no events are told by their words, the same words as often as they stand there", () => {
  const said = (content: string) => ({ role: "user", content, toolPayload: null }) as const;
  const diff = diffMessages([said("a"), said("a"), said("b")], [said("a"), said("c")]);
  expect(contents(diff.came)).toEqual(["c"]);
  expect(contents(diff.left)).toEqual(["a", "b"]);
});

test("for any two events what left and what came make one context of the other", () => {
  fc.assert(
    fc.property(anyLog, fc.nat({ max: 21 }), fc.nat({ max: 21 }), (log, a, b) => {
      const before = contextMessages(log, a);
      const after = contextMessages(log, b);
      const { came: new_, left, changed, kept } = diffMessages(before, after);
      expect(before.length - left.length - changed.length).toBe(kept);
      expect(after.length - new_.length - changed.length).toBe(kept);
      expect(diffMessages(after, after)).toMatchObject({ came: [], left: [], changed: [], kept: after.length });
    }),
  );
});
