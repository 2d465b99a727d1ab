import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutNode } from "./remove-node.ts";

test.each([
  ['{ "a": 1, "b": 2 }', ["b"], '{ "a": 1 }'],
  ['{ "a": 1, "b": 2 }', ["a"], '{ "b": 2 }'],
  ['{\n  "a": 1, // one\n  "b": 2 // two\n}\n', ["b"], '{\n  "a": 1 // one\n // two\n}\n'],
  ['{\n  "a": 1,\n  "b": 2,\n}\n', ["b"], '{\n  "a": 1,\n}\n'],
  ['{\n  "a": 1 /* , */\n  ,\n  "b": 2\n}\n', ["b"], '{\n  "a": 1 /* , */\n  \n}\n'],
  ["[1, 2, 3]", [1], "[1, 3]"],
  ["[1]", [0], "[]"],
  ['{ "a": 1 }', ["z"], '{ "a": 1 }'],
])("%j without %j", (text, path, left) => expect(withoutNode(text, path)).toBe(left));

test("of any object one key goes, and everything else is as it was", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      fc.nat(),
      fc.boolean(),
      (value, pick, wide) => {
        const known = Object.fromEntries(Object.entries(value).filter(([key]) => key !== "__proto__"));
        const key = Object.keys(known)[pick % Object.keys(known).length];
        if (key === undefined) return;
        const { [key]: _, ...left } = known;
        const text = JSON.stringify(known, null, wide ? 2 : 0);
        expect(JSON.stringify(JSON.parse(withoutNode(text, [key])))).toBe(JSON.stringify(left));
      },
    ),
    // jsonc.parse() takes it for the prototype, which the text does not.
    { examples: [[{ "": 0, " ": JSON.parse('{ "__proto__": "" }') as object }, 0, false]] },
  );
});
