import fc from "fast-check";
import { expect, test } from "vitest";
import { RecallIndex, type RecallDoc } from "./recall-index.ts";
import { termReader } from "./terms.ts";
import { bestOf, topRanks } from "./top-ranks.ts";

const doc = (position: number, path: string, text = "", more: Partial<RecallDoc> = {}): RecallDoc => ({
  pointer: `art:${position}`,
  artifactId: `art_${position}`,
  position,
  subject: path,
  name: path.split("/").at(-1)!,
  toolName: "Read",
  path,
  text,
  ...more,
});

function indexOf(...docs: RecallDoc[]): RecallIndex {
  const index = new RecallIndex();
  for (const one of docs) index.add(one);
  return index;
}

const pathsOf = (index: RecallIndex, query: string, more = {}): (string | null)[] =>
  index.rank({ query, ...more }).ranked.map((one) => one.doc.path);

test("identifiers are found whole, by their parts and by other forms of their words", () => {
  const read = termReader();
  expect(read("getUserById")).toEqual(["getuserbyid", "user", "id"]);
  expect(read("HTTPServer2 snake_case")).toEqual(["httpserver2", "http", "server", "snake_case", "snake", "case"]);
  expect(read("lib/kernel/events.ts")).toEqual(["lib", "kernel", "event", "ts"]);
  expect(read("Let me see what it is")).toEqual([]);
  expect(read("a".repeat(65))).toEqual([]);
  expect(read("会話圧縮 x1")).toEqual(["会話", "話圧", "圧縮", "x1"]);
  expect(read("圧縮".repeat(60))).toContain("圧縮");
});

test("what the question names comes first, by its path, its words and its contents", () => {
  const index = indexOf(
    doc(1, "src/payments/retry.ts", "export function backoff"),
    doc(2, "src/auth/tokenStore.ts", "export class TokenStore"),
    doc(3, "docs/setup.md", "install and run"),
  );
  expect(pathsOf(index, "why are token stores kept?")[0]).toBe("src/auth/tokenStore.ts");
  expect(pathsOf(index, "the backoff is wrong")[0]).toBe("src/payments/retry.ts");
  expect(pathsOf(index, "back to the installed docs")[0]).toBe("docs/setup.md");
});

test("a name counts more than a mention in a text", () => {
  const index = indexOf(
    doc(1, "src/ledger.ts", "sums of calls"),
    doc(2, "src/other.ts", "uses the ledger"),
    doc(3, "src/more.ts", "nothing of that"),
  );
  expect(pathsOf(index, "ledger")[0]).toBe("src/ledger.ts");
});

test("without words that say more, what was used often and lately comes first", () => {
  const index = indexOf(doc(1, "a.ts"), doc(2, "b.ts"), doc(3, "c.ts"));
  index.use("a.ts", 4);
  index.use("a.ts", 5);
  expect(pathsOf(index, "")).toEqual(["a.ts", "c.ts", "b.ts"]);
});

test("uses that come later than the question do not count, and what comes later is not recalled", () => {
  const index = indexOf(doc(1, "a.ts"), doc(2, "b.ts"), doc(8, "c.ts"));
  for (const position of [5, 6, 7]) index.use("a.ts", position);
  expect(pathsOf(index, "", { before: 4 })).toEqual(["b.ts", "a.ts"]);
  expect(pathsOf(index, "", { before: 8 })).toEqual(["a.ts", "b.ts"]);
  expect(index.rank({ query: "c", before: 8 }).candidates).toBe(2);
});

test("of the copies of one thing the newest stands first, the older ones behind the others", () => {
  const index = indexOf(doc(1, "a.ts", "alpha"), doc(2, "b.ts", "beta"), doc(3, "a.ts", "gamma"));
  const ranked = index.rank({ query: "alpha beta" }).ranked.map((one) => one.doc.position);
  expect(ranked.indexOf(3)).toBeLessThan(ranked.indexOf(1));
  expect(ranked.at(-1)).toBe(1);
});

test("what stands beside a match in the log is lifted by it", () => {
  const docs = Array.from({ length: 20 }, (_, i) => doc(i, `${i}.md`, i === 9 ? "zebra" : "plain"));
  const positions = indexOf(...docs)
    .rank({ query: "where did the zebra run to" })
    .ranked.map((one) => one.doc.position);
  expect(positions[0]).toBe(9);
  // 10 came later than 9, and 12 later still; only 10 and 8 stood beside it.
  expect(positions.indexOf(10)).toBeLessThan(positions.indexOf(12));
  expect(positions.indexOf(8)).toBeLessThan(positions.indexOf(12));
});

test("what the context shows is not recalled", () => {
  const index = indexOf(doc(1, "a.ts"), doc(2, "b.ts"));
  const { ranked, candidates } = index.rank({ query: "a", skip: ({ path }) => path === "a.ts" });
  expect(ranked.map((one) => one.doc.path)).toEqual(["b.ts"]);
  expect(candidates).toBe(1);
});

test("an empty index and a question without words answer", () => {
  expect(new RecallIndex().rank({ query: "x" })).toEqual({ ranked: [], candidates: 0 });
  expect(pathsOf(indexOf(doc(1, "a.ts")), "")).toEqual(["a.ts"]);
});

const someDocs = fc.array(
  fc.record({ path: fc.constantFrom("a.ts", "b/c.ts", "d.md", "e"), text: fc.lorem({ maxCount: 12 }) }),
  { maxLength: 30 },
);

test("a question at a place is answered as if nothing had come after it", () => {
  fc.assert(
    fc.property(someDocs, fc.lorem({ maxCount: 8 }), fc.nat(30), (given, query, before) => {
      const docs = given.map(({ path, text }, i) => doc(i, path, text));
      const known = docs.filter(({ position }) => position < before);
      const whole = indexOf(...docs).rank({ query, before });
      const early = indexOf(...known).rank({ query, before });
      expect(whole).toEqual(early);
    }),
  );
});

test("every candidate is ranked once, best first", () => {
  fc.assert(
    fc.property(someDocs, fc.lorem({ maxCount: 8 }), (given, query) => {
      const { ranked, candidates } = indexOf(...given.map(({ path, text }, i) => doc(i, path, text))).rank({ query });
      expect(candidates).toBe(given.length);
      expect(new Set(ranked.map((one) => one.doc.position)).size).toBe(given.length);
      for (let i = 1; i < ranked.length; i++) expect(ranked[i]!.score).toBeLessThanOrEqual(ranked[i - 1]!.score);
    }),
  );
});

test("ranks are those of sorting, up to the place where they stop being told apart", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      (scores, count) => {
        const order = scores
          .map((score, i) => ({ score, i }))
          .filter(({ score }) => score > 0)
          .toSorted((a, b) => b.score - a.score || b.i - a.i);
        expect(bestOf(Float64Array.from(scores), count)).toEqual(order.slice(0, count).map(({ i }) => i));
        const ranks = topRanks(Float64Array.from(scores), count);
        order.forEach(({ i }, position) => expect(ranks[i]).toBe(Math.min(position, count) + 1));
        scores.forEach((score, i) => expect(ranks[i] === 0).toBe(score === 0));
      },
    ),
  );
});
