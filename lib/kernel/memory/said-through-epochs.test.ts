import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Compactor } from "./compactor.ts";
import { extractiveSummarizer } from "./extractive/extractive-summarizer.ts";
import { factKey } from "./fact-key.ts";
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import { MemoryManager } from "./memory-manager.ts";
import { Retriever } from "./retriever.ts";
import { fact, testHost } from "./testing-memory.ts";

const GOAL = "Move the harbour's tide log to streams.";
const LIMITS = ["Never delete rows.", "Don't touch the public schema.", "Always write the test first."];

type Input = {
  readonly generation: 1 | 2;
  readonly turns: number;
  readonly every: number;
  readonly budgetChars?: number;
};

/** An agent that is told so many turns, and compacts after every few; the context after its last compaction. */
async function contextOf({ generation, turns, every, budgetChars }: Input): Promise<{ text: string; last: number }> {
  const store = new InMemoryMemoryStore();
  const host = testHost();
  const compactor = new Compactor({ store, summarizer: extractiveSummarizer, host });
  const memory = MemoryManager.open({ store, host, agentId: "pilot", generation, compactor });
  let last = -1;
  for (let n = 0; n < turns; n++) {
    const turnId = memory.startTurn();
    const said = n === 0 ? GOAL : `${LIMITS[n - 2] ?? ""} Go on with part ${n}.`.trim();
    memory.ingestUserMessage(said, turnId);
    memory.appendUserInput(said, turnId);
    memory.ingestAssistantResponse({ content: `Part ${n} reads from pier_${n}.log in readPier${n} now.` }, turnId);
    if ((n + 1) % every !== 0) continue;
    const outcome = await memory.compactNow({
      tailTurns: 1,
      currentTurnId: null,
      ...(budgetChars !== undefined && { budgetChars }),
    });
    expect(outcome.reason).toBeNull();
    last = n;
  }
  return {
    text: memory
      .getWorkingContextMessages()
      .map(({ content }) => content ?? "")
      .join("\n"),
    last,
  };
}

function expectSaid({ text, last }: { readonly text: string; readonly last: number }): void {
  expect(text).toContain(GOAL);
  for (const [i, limit] of LIMITS.entries()) if (i + 2 <= last) expect(text).toContain(limit);
  for (const n of [last, last - 1, last - 2]) if (n > 0) expect(text).toContain(`Go on with part ${n}.`);
}

describe("the goal, the limits and the newest messages are in the context", () => {
  test.each([
    { generation: 1, turns: 120, every: 120 },
    { generation: 2, turns: 120, every: 120 },
    { generation: 1, turns: 200, every: 20 },
    { generation: 2, turns: 200, every: 20 },
    { generation: 2, turns: 60, every: 4, budgetChars: 1000 },
    { generation: 1, turns: 600, every: 300, budgetChars: 1000 },
  ] as const)("$turns turns, compacted every $every, generation $generation", async (request) => {
    expectSaid(await contextOf(request));
  });

  test("however many turns, and however often they are compacted", async () => {
    const request = fc.record({
      generation: fc.constantFrom(1 as const, 2 as const),
      turns: fc.integer({ min: 4, max: 80 }),
      every: fc.integer({ min: 3, max: 30 }),
      budgetChars: fc.option(fc.integer({ min: 1000, max: 6000 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(request, async (one) => {
        if (one.turns >= one.every) expectSaid(await contextOf(one));
      }),
      { numRuns: 25 },
    );
  });
});

describe("facts of several compactions", () => {
  test("the same fact is stored once, and takes one place of those that are shown", async () => {
    const store = new InMemoryMemoryStore();
    const host = testHost();
    const compactor = new Compactor({ store, summarizer: extractiveSummarizer, host });
    const memory = MemoryManager.open({ store, host, agentId: "pilot", compactor });
    for (let n = 0; n < 30; n++) {
      const turnId = memory.startTurn();
      memory.ingestUserMessage("Never delete rows.", turnId);
      const args = { file_path: "/srv/tide.ts", old_string: "a", new_string: "b" };
      memory.ingestToolIntent({ id: `c${n}`, name: "Edit", arguments: args }, turnId);
      memory.ingestToolResult({ toolInvocationId: `c${n}`, toolName: "Edit", result: "done" }, turnId);
      memory.ingestAssistantResponse({ content: "The reader of the tide is changed once more, as before." }, turnId);
      if (n % 5 === 4) await memory.compactNow({ tailTurns: 1, currentTurnId: null });
    }
    const shown = memory.retrieve().semantic.map((item) => item.fact);
    expect(shown.filter((text) => text === "Never delete rows.")).toHaveLength(1);
    expect(shown.filter((text) => text.includes("/srv/tide.ts"))).toHaveLength(1);
    expect(new Set(shown.map(factKey)).size).toBe(shown.length);
  });

  test("a command that passes now no longer fails, and an approach that is taken up again is not given up", () => {
    const store = new InMemoryMemoryStore();
    store.add([
      fact("a", "exit 1: npm test", { category: "critical_issue", salience: 500 }),
      fact("b", "chose a queue; gave up polling", { category: "durable_fact", salience: 200 }),
      fact("c", "chose polling; gave up a queue", { category: "durable_fact", salience: 200 }),
      fact("d", "no error: npm test", { category: "durable_fact", salience: 199 }),
    ]);
    expect(new Retriever(store).retrieve(3, 20).semantic.map((item) => item.fact)).toEqual([
      "chose polling; gave up a queue",
      "no error: npm test",
    ]);
  });

  test("old failures leave room for what the person wants", () => {
    const store = new InMemoryMemoryStore();
    store.add([
      ...Array.from({ length: 30 }, (_, i) =>
        fact(`f${i}`, `exit 1: step ${i}`, { category: "critical_issue", salience: 500 }),
      ),
      fact("w", "Never delete rows.", { category: "user_preference", salience: 300 }),
    ]);
    const shown = new Retriever(store).retrieve(3, 20).semantic;
    expect(shown).toHaveLength(20);
    expect(shown.map((item) => item.fact)).toContain("Never delete rows.");
  });
});
