import fc from "fast-check";
import { expect, test } from "vitest";
import { membersAt, replaceSpans } from "./json-members.ts";

test("every member of any object is found where it stands, however it is spaced", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), fc.nat(4), (object, indent) => {
      const text = JSON.stringify(object, null, indent);
      const members = membersAt(text, 0)!;
      expect([...members.byKey.keys()].toSorted()).toEqual(Object.keys(object).toSorted());
      for (const [key, { start, end }] of members.byKey)
        expect(JSON.parse(text.slice(start, end))).toEqual(JSON.parse(JSON.stringify(object[key])));
      expect(members.span).toEqual({ start: 0, end: text.length });
    }),
  );
});

test("of a key that stands twice the last is meant, as in JSON.parse", () => {
  const text = '{"a":1,"b":2,"a":3}';
  const { start, end } = membersAt(text, 0)!.byKey.get("a")!;
  expect(text.slice(start, end)).toBe("3");
});

test("a value that is no object has no members, and depth does not matter", () => {
  expect(membersAt("[1]", 0)).toBeNull();
  const deep = `{"x":${"[".repeat(200_000)}${"]".repeat(200_000)},"y":1}`;
  expect([...membersAt(deep, 0)!.byKey.keys()]).toEqual(["x", "y"]);
});

test("spans are replaced and everything between them stays", () => {
  const text = '{ "a" : 1.50 , "b":"x" }';
  const { byKey, span } = membersAt(text, 0)!;
  const end = span.end - 1;
  const edits = [
    { start: end, end, text: ',"c":0' },
    { ...byKey.get("b")!, text: "null" },
  ];
  expect(replaceSpans(text, edits)).toBe('{ "a" : 1.50 , "b":null ,"c":0}');
});
