import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorMs } from "../testing-processor-time.ts";
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import { parseSummaryReply, REPLY_LIMITS } from "./reply-parser.ts";
import { normalizeFacts } from "./result-normalizer.ts";
import { Retriever } from "./retriever.ts";
import { episode, fact } from "./testing-memory.ts";
import type { SemanticItem } from "./memory-types.ts";

const storeWith = (...semantic: SemanticItem[]): InMemoryMemoryStore => {
  const store = new InMemoryMemoryStore();
  store.add([episode("ep_1", "first"), episode("ep_2", "second"), ...semantic]);
  return store;
};

describe("what is retrieved", () => {
  test("is the last of each kind, in the order of their file", () => {
    const { episodic, semantic } = new Retriever(
      storeWith(fact("s1", "fact 1"), fact("s2", "fact 2"), fact("s3", "fact 3")),
    ).retrieve(1, 2);
    expect(episodic.map(({ summary }) => summary)).toEqual(["second"]);
    expect(semantic.map((one) => one.fact)).toEqual(["fact 2", "fact 3"]);
  });

  test("is the weightiest where facts have categories, the newer first of equal weight", () => {
    const category = "durable_fact" as const;
    const { semantic } = new Retriever(
      storeWith(
        fact("s1", "fact 1", { salience: 200, category }),
        fact("s2", "fact 2", { salience: 500, category }),
        fact("s3", "fact 3", { salience: 499, category, ts: 5 }),
        fact("s4", "fact 4", { salience: 499, category, ts: 3 }),
      ),
    ).retrieve(1, 2);
    expect(semantic.map((one) => one.fact)).toEqual(["fact 2", "fact 3"]);
  });

  test("is nothing where nothing is asked for or there", () => {
    expect(new Retriever(storeWith(fact("s", "f"))).retrieve(0, 0)).toEqual({ episodic: [], semantic: [] });
    expect(new Retriever(new InMemoryMemoryStore()).retrieve(3, 20)).toEqual({ episodic: [], semantic: [] });
  });
});

describe("the facts of a summarizer", () => {
  test("stand by weight, each once, under its weightiest category", () => {
    const facts = normalizeFacts([
      { fact: "design-spec.md", category: "important_artifact" },
      { fact: "Team uses pnpm exec vitest", category: "durable_fact" },
      { fact: "pinia getter reads   undefined products.value", category: "durable_fact" },
      { fact: "User prefers concise answers", category: "user_preference" },
      { fact: "Revise design spec v3", category: "unresolved_work" },
      { fact: "Pinia getter reads undefined products.value", category: "critical_issue" },
    ]);
    expect(facts.map((one) => one.category)).toEqual([
      "critical_issue",
      "unresolved_work",
      "user_preference",
      "durable_fact",
      "important_artifact",
    ]);
    expect(facts.map(({ salience }) => salience)).toEqual([500, 400, 300, 200, 100]);
    expect(facts.filter((one) => /pinia getter/i.test(one.fact))).toHaveLength(1);
  });

  test("are without states of the moment, unless these are problems or open work", () => {
    const facts = normalizeFacts([
      { fact: "Dev server running on localhost:3000 (multiple Nuxt processes detected)", category: "durable_fact" },
      { fact: "Docs status updated for README inventory", category: "durable_fact" },
      { fact: "Need to fix the dev server running on localhost:3000", category: "unresolved_work" },
      { fact: "Need to fix the compaction status banner typing", category: "unresolved_work" },
    ]);
    expect(facts.map((one) => one.category)).toEqual(["unresolved_work", "unresolved_work"]);
    expect(facts.map(({ salience }) => salience)).toEqual([400, 399]);
  });

  test("are no more of a category than a snapshot can hold", () => {
    const many = (category: "critical_issue" | "durable_fact") =>
      Array.from({ length: 12 }, (_, i) => ({ fact: `${category} ${i}`, category }));
    const facts = normalizeFacts([...many("durable_fact"), ...many("critical_issue")]);
    expect(facts.filter((one) => one.category === "critical_issue")).toHaveLength(6);
    expect(facts.filter((one) => one.category === "durable_fact")).toHaveLength(8);
    expect(facts.at(-1)?.salience).toBe(193);
  });

  test("without a category keep their order, weight and tags, behind the others", () => {
    expect(
      normalizeFacts([
        { fact: "Fact A", confidence: 0.9, tags: ["decision"] },
        { fact: " ", confidence: 1 },
        { fact: "Fact B", confidence: 0.5 },
        { fact: "Weighty", category: "durable_fact" },
      ]),
    ).toEqual([
      { fact: "Weighty", category: "durable_fact", salience: 200 },
      { fact: "Fact A", confidence: 0.9, tags: ["decision"] },
      { fact: "Fact B", confidence: 0.5 },
    ]);
  });
});

describe("the reply of a model", () => {
  const reply = {
    episodic_summary: "Settled.",
    critical_issues: [{ fact: "Build broken", reference: "x", tags: ["y"] }],
  };
  const parsed = { summary: "Settled.", facts: [{ fact: "Build broken", category: "critical_issue" }] };

  test("is read raw, in a fence, and in its words; what is no text is dropped", () => {
    const json = JSON.stringify(reply);
    expect(parseSummaryReply(json)).toEqual(parsed);
    expect(parseSummaryReply(`Here it is:\n\`\`\`json\n${json}\n\`\`\`\nDone.`)).toEqual(parsed);
    expect(parseSummaryReply(`I looked at {this} and found ${json}, which is {all}.`)).toEqual(parsed);
    expect(parseSummaryReply(`{ not json "}" ${json}`)).toEqual(parsed);
  });

  test("may have keys of either spelling, facts of every category, and plain texts", () => {
    expect(
      parseSummaryReply(
        JSON.stringify({
          episodicSummary: "S",
          unresolvedWork: [{ fact: "a" }],
          userPreferences: ["b"],
          durable_facts: [{ fact: "c" }],
          important_artifacts: [{ fact: "d" }],
          facts: [
            { fact: "e" },
            { fact: "f", category: "critical_issue" },
            { fact: "g", category: "__proto__" },
            7,
            null,
          ],
        }),
      ).facts,
    ).toEqual([
      { fact: "a", category: "unresolved_work" },
      { fact: "b", category: "user_preference" },
      { fact: "c", category: "durable_fact" },
      { fact: "d", category: "important_artifact" },
      { fact: "e" },
      { fact: "f", category: "critical_issue" },
      { fact: "g" },
    ]);
  });

  test("is cut to its limits", () => {
    const long = parseSummaryReply(
      JSON.stringify({
        summary: "s".repeat(5000),
        facts: Array.from({ length: 30 }, (_, i) => ({ fact: `${i} ${"f".repeat(600)}` })),
      }),
    );
    expect(long.summary).toHaveLength(4000);
    expect(long.facts).toHaveLength(20);
    expect(long.facts.every((one) => one.fact.length === 500)).toBe(true);
  });

  test("that is no summary is refused, and says what came", () => {
    const bad = [
      "",
      "I cannot help with that.",
      "[1,2]",
      '{"facts":[]}',
      '{"summary":""}',
      '{"summary":7}',
      "{".repeat(5000),
    ];
    for (const text of bad) expect(() => parseSummaryReply(text), text.slice(0, 20)).toThrow(/no JSON object/);
    expect(() => parseSummaryReply("x".repeat(REPLY_LIMITS.replyChars + 1))).toThrow(/1000000 are read/);
    expect(() => parseSummaryReply('{"tool_calls":[{"name":"rm"}]}')).toThrow(/Try again/);
  });

  test("of any kind is a summary or a refusal, in no time", () => {
    const junk = fc.string({ unit: fc.constantFrom("{", "}", '"', "\\", "a", ":", "`", "\n"), maxLength: 400 });
    fc.assert(
      fc.property(junk, (text) => {
        try {
          expect(parseSummaryReply(text).summary).not.toBe("");
        } catch (error) {
          expect(String(error)).toContain("no JSON object");
        }
      }),
    );
    const took = processorMs(() => expect(() => parseSummaryReply('{"a'.repeat(300_000))).toThrow());
    expect(took).toBeLessThan(2000);
  });
});
