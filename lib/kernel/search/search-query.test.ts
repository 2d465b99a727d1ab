import fc from "fast-check";
import { expect, test } from "vitest";
import { isAppError } from "../errors.ts";
import { matchExpression } from "./match-expression.ts";
import { filterText } from "./search-fields.ts";
import { parseSearch, wordsOfQuery } from "./search-query.ts";
import { SEARCH_FIELDS } from "./search-fields.ts";
import { identifierParts, partsOf, withoutLongRuns } from "./split-identifiers.ts";

const NOW = new Date(2026, 5, 15, 12, 30).getTime();
const parse = (source: string) => parseSearch(source, NOW);

test("words, phrases, prefixes, regular expressions and what must not occur", () => {
  expect(parse('cache "no such file" comp* /time(d|out)/i -draft -"old plan"').terms).toEqual([
    { kind: "word", text: "cache", not: false },
    { kind: "phrase", text: "no such file", not: false },
    { kind: "prefix", text: "comp", not: false },
    { kind: "regex", text: "time(d|out)", not: false, ignoreCase: true },
    { kind: "word", text: "draft", not: true },
    { kind: "phrase", text: "old plan", not: true },
  ]);
  expect(parse("/home/me/app.ts").terms).toEqual([{ kind: "word", text: "/home/me/app.ts", not: false }]);
  expect(parse(String.raw`/a\/b c/`).terms).toMatchObject([{ kind: "regex", text: String.raw`a\/b c` }]);
});

test("fields are read with their values", () => {
  expect(parse('agent:codex -tool:Bash type:result is:error project:"my shop" file:src/*').filters).toEqual([
    { field: "agent", value: "codex", not: false },
    { field: "tool", value: "Bash", not: true },
    { field: "type", kinds: ["tool_result", "artifact"], not: false },
    { field: "is", state: "error", not: false },
    { field: "project", value: "my shop", not: false },
    { field: "file", value: "src/*", not: false },
  ]);
  expect(parse("tokens:>5k tokens:<=1.5m cost:2").filters).toMatchObject([
    { field: "tokens", op: ">", amount: 5000 },
    { field: "tokens", op: "<=", amount: 1_500_000 },
    { field: "cost", op: ">=", amount: 2 },
  ]);
});

test("days are days of this machine, and spans are counted back from now", () => {
  const at = (source: string) => (parse(source).filters[0] as { at: number }).at;
  expect(at("after:2026-06-01")).toBe(new Date(2026, 5, 1).getTime());
  expect(at("before:2026-06")).toBe(new Date(2026, 5, 1).getTime());
  expect(at('after:"2026-06-01 09:30"')).toBe(new Date(2026, 5, 1, 9, 30).getTime());
  expect(at("after:today")).toBe(new Date(2026, 5, 15).getTime());
  expect(at("after:yesterday")).toBe(new Date(2026, 5, 14).getTime());
  expect(at("after:36h")).toBe(NOW - 36 * 3_600_000);
});

test.each([
  ['say "hello', "The quote at character 5 is not closed. Add a closing quote, or remove the first one."],
  ["tool:", '"tool:" has no value. Write tool:name, or put the word in quotes.'],
  ["tokens:many", '"tokens:many" is not a number. Write tokens:>5k, tokens:<10 or tokens:>=1.5k.'],
  ["after:2026-02-31", '"after:2026-02-31" is not a date. Write after:2026-06-01, after:today or after:7d.'],
  ["is:great", '"is:great" is not known. Use is:error or is:starred.'],
])("%s is refused with what to write", (source, message) => {
  expect(() => parse(source)).toThrow(message);
});

test("a type that does not exist is answered with those that do", () => {
  expect(() => parse("type:shout")).toThrow(/^No event type is named "shout"\. Use one of user, assistant, /);
});

test("what was read in another way than it looks is told", () => {
  expect(parse("tols:Bash --- x").notes).toEqual([
    '"tols" is not a field and was searched as text.',
    '"--" has no letter or digit and was left out. Use a /regex/ for signs.',
  ]);
  expect(parse("http://localhost std::vector").notes).toEqual([]);
});

test("any text is read, or refused as a wrong query: nothing else is thrown", () => {
  const bits = fc.constantFrom(
    ...SEARCH_FIELDS.map(({ name }) => `${name}:`),
    '"',
    "/",
    "-",
    "*",
    " ",
    "\\",
    "a",
    "5k",
    "\u0000",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(bits, fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 30 }), (parts) => {
      try {
        const parsed = parse(parts.join(""));
        const { match, without } = matchExpression(parsed);
        for (const one of [match, without]) expect((one ?? "").includes("\0")).toBe(false);
      } catch (error) {
        expect(isAppError(error) && error.code).toBe("invalid");
      }
    }),
    { numRuns: 500 },
  );
});

test("a filter that is written for a value is read as that value", () => {
  const value = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => !text.includes('"') && text.trim() !== "");
  fc.assert(
    fc.property(value, (text) => {
      expect(parse(`x ${filterText("project", text)} y`)).toMatchObject({
        terms: [{ text: "x" }, { text: "y" }],
        filters: [{ field: "project", value: text }],
      });
    }),
  );
});

test("identifiers are found by their parts", () => {
  expect(partsOf("parseHTTPUrl")).toEqual(["parse", "HTTP", "Url"]);
  expect(partsOf("readonly")).toEqual([]);
  expect(partsOf("HTTPServerError2")).toEqual(["HTTP", "Server", "Error", "2"]);
  expect(partsOf("sha256")).toEqual([]);
  expect(identifierParts("HTTPServerError2 v2Beta")).toBe("HTTP Server Error 2 Error2 v2 Beta");
  expect(identifierParts("const maxTokens = LoadLine.maxTokens + plain_snake;")).toBe("max Tokens Load Line");
  expect(matchExpression(parse("errorHandler -fooBar*")).match).toBe(
    '(("errorHandler" OR "error Handler")) NOT (("fooBar"* OR "foo Bar"*))',
  );
  expect(wordsOfQuery(parse("a -b /c/ tool:d e*"))).toEqual(["a", "e"]);
});

test("long encoded runs keep their beginning, in linear time", () => {
  expect(withoutLongRuns(`key ${"A".repeat(300)} end`)).toBe(`key ${"A".repeat(64)}  end`);
  const long = "aB".repeat(2_000_000);
  const startedAt = process.cpuUsage().user;
  expect(identifierParts(long)).toBe("");
  expect(process.cpuUsage().user - startedAt).toBeLessThan(5_000_000);
});
