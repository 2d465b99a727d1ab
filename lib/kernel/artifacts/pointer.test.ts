import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { approxByteSize, artifactIdOf, freeArtifactId, isPointer, parseRef, textOfValue, utf8Size } from "./pointer.ts";

const digest = "3f9b2a1c8e4d7f6a".repeat(4);

describe("pointers", () => {
  test("any string that begins with art: is a pointer, and nothing else is", () => {
    expect(["art:", "art:1", "art:550e8400-e29b-41d4-a716-446655440000", "art:logs"].every(isPointer)).toBe(true);
    expect(
      ["", "art", "art_3f9b2a1c8e4d7f6a", " art:1", "ART:1", 5, null, undefined, {}, ["art:1"]].some(isPointer),
    ).toBe(false);
  });
});

describe("size of a value", () => {
  test("a string has its bytes, anything else those of its JSON", () => {
    expect([..."a€😀"].map(approxByteSize)).toEqual([1, 3, 4]);
    expect(approxByteSize({ a: [1, "é"] })).toBe(14);
    expect(approxByteSize(12)).toBe(2);
    expect(approxByteSize(null)).toBe(4);
    expect(approxByteSize("")).toBe(0);
  });

  test("what has no JSON has no size, and still has a text", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown;
    expect([circular, undefined, () => 1, Symbol("s")].map(approxByteSize)).toEqual([0, 0, 0, 0]);
    expect([circular, undefined].map(textOfValue)).toEqual(["[object Object]", "undefined"]);
    expect(textOfValue(Object.create(null, { toJSON: { value: () => circular } }))).toBe("[object]");
    expect(textOfValue(10n)).toBe("10");
    expect(approxByteSize(deep)).toBe(40_000);
    expect(textOfValue({ a: 1 })).toBe('{"a":1}');
    expect(textOfValue("as it is")).toBe("as it is");
  });

  test("bytes are counted as an encoder makes them", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom("", "\ud800", "\udc00", "😀"), (text, more) => {
        expect(utf8Size(more + text + more)).toBe(new TextEncoder().encode(more + text + more).length);
      }),
      { numRuns: 500 },
    );
  });
});

describe("ids", () => {
  test("an id is art_ and the first 16 digits of the digest", () => {
    expect(artifactIdOf(digest)).toBe("art_3f9b2a1c8e4d7f6a");
    expect(artifactIdOf(digest)).toMatch(/^art_[0-9a-f]{16}$/);
  });

  test("where another content begins alike an id has 24 digits, then all 64", () => {
    const [short, middle, whole] = [artifactIdOf(digest, 16), artifactIdOf(digest, 24), artifactIdOf(digest, 64)];
    expect(freeArtifactId(digest, () => false)).toBe(short);
    expect(freeArtifactId(digest, (id) => id === short)).toBe(middle);
    expect(freeArtifactId(digest, (id) => id !== whole)).toBe(`art_${digest}`);
    expect(freeArtifactId(digest, () => true)).toBe(whole);
  });
});

describe("references", () => {
  test.each([
    ["art:550E8400-e29b-41d4-a716-446655440000", "pointer", "art:550e8400-e29b-41d4-a716-446655440000"],
    ["art:does-not-exist", "pointer", "art:does-not-exist"],
    ["art_3f9b2a1c8e4d7f6a", "content", "art_3f9b2a1c8e4d7f6a"],
    ["art:art_3f9b2a1c8e4d7f6a", "content", "art_3f9b2a1c8e4d7f6a"],
    ["art_tool_output_9k2x", "content", "art_tool_output_9k2x"],
    [` art_${digest}\n`, "content", `art_${digest}`],
    [`sha256:${digest.toUpperCase()}`, "digest", digest],
    ["sha256:abc", "name", "sha256:abc"],
    [digest, "name", digest],
    ["logs", "name", "logs"],
    [" logs ", "name", " logs "],
    ["../../etc/passwd", "name", "../../etc/passwd"],
    ["art_../x", "name", "art_../x"],
    ["", "name", ""],
  ])("%j asks for a %s", (text, kind, value) => expect(parseRef(text)).toEqual({ kind, value }));

  test("any text asks for something", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parseRef(text).kind.length > 0));
  });
});
