import { describe, expect, test } from "vitest";
import { lex } from "./lexer.ts";

describe("words", () => {
  const words = (text: string) => lex(text).tokens.map(({ kind, text: said }) => `${kind} ${said}`);
  test("strings hold programs, and those strings", () => {
    expect(words('"a\\(.b | "c\\(1)") d" | .e')).toEqual([
      "open-string a",
      "interpolate \\(",
      "field .b",
      "sign |",
      "open-string c",
      "interpolate \\(",
      "number 1",
      "sign \\)",
      "string ",
      "sign \\)",
      "string  d",
      "sign |",
      "field .e",
    ]);
  });

  test("brackets inside an interpolation are its own", () => {
    expect(words('"\\((1)+2)x"').slice(-2)).toEqual(["sign \\)", "string x"]);
    expect(lex('"\\((1)+2').endsIn).toBe("code");
    expect(lex('"abc').endsIn).toBe("string");
    expect(lex("1 # abc").endsIn).toBe("comment");
  });
});
