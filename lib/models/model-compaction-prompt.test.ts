// A compaction by a model, in the memory kernel: what a model does wrong leaves memory as it was, and the next try is free.
import { describe, expect, test } from "vitest";
import { Compactor } from "#lib/kernel/memory/compactor.ts";
import { CompactionPolicy } from "#lib/kernel/memory/compaction-policy.ts";
import { assistant, call, result, storeOf, testHost, trace } from "#lib/kernel/memory/testing-memory.ts";
import type { CompactionRun, MemoryStore } from "#lib/kernel/memory/memory-types.ts";
import { modelSummarizer } from "./model-summarizer.ts";
import { answers, completion, GOOD, withModelServer, type Behave } from "./testing-models.ts";

const store = () =>
  storeOf(
    trace(1, 1, { content: "Paint the keel green" }),
    call(1, 2, "c1", { toolArgs: { command: "paint" } }),
    result(1, 3, "c1", { toolResult: "painted" }),
    assistant(1, 4, "Done"),
    trace(2, 1, { content: "And the mast" }),
  );

const everythingOf = (kept: MemoryStore): unknown => ({
  traces: kept.listTraces(),
  archived: kept.listArchived(),
  episodic: kept.list("episodic"),
  semantic: kept.list("semantic"),
  snapshot: kept.readSnapshot(),
});

const compactorOf = (kept: MemoryStore, baseUrl: string) => {
  const runs: CompactionRun[] = [];
  const summarizer = modelSummarizer(
    { kind: "openai", baseUrl, model: "small-1", apiKey: null },
    { timeoutMs: 400, retryMs: 5 },
  );
  const policy = new CompactionPolicy({ rawTailTurns: 1 });
  const compactor = new Compactor({
    store: kept,
    summarizer,
    host: testHost(),
    policy,
    onRun: (run) => runs.push(run),
  });
  return { compactor, runs };
};

const good = answers(completion(JSON.stringify(GOOD)));

describe("a compaction by a model", () => {
  const WRONG: readonly (readonly [string, Behave])[] = [
    ["hangs", () => {}],
    ["hangs up", (response) => void response.destroy()],
    ["answers garbage", answers({ choices: "none" })],
    ["refuses", answers(completion(null, { refusal: "no" }))],
    ["is busy", answers({}, 429)],
    ["redirects", answers({}, 302, { location: "/elsewhere" })],
    ["calls a tool", answers(completion(null, { tool_calls: [{ id: "c", function: { name: "rm" } }] }))],
    ["stops in the middle", answers(completion(JSON.stringify(GOOD), {}, { finish_reason: "length" }))],
    ["forgets the summary", answers(completion('{"facts":["a"]}'))],
  ];

  test.each(WRONG.map(([name, behave]) => ({ name, behave })))(
    "that $name leaves memory as it was, says why, and can be done again",
    async ({ behave }) => {
      const kept = store();
      const before = structuredClone(everythingOf(kept));
      await withModelServer(behave, async ({ url }) => {
        const { compactor, runs } = compactorOf(kept, url);
        await expect(compactor.compact(["turn_0001"])).rejects.toThrow();
        expect(everythingOf(kept)).toEqual(before);
        expect(runs.map(({ status }) => status)).toEqual(["planned", "failed"]);
        expect(runs.at(-1)?.reason).toMatch(/\w{4}/);
      });
      await withModelServer(good, async ({ url }) => {
        const { compactor } = compactorOf(kept, url);
        expect((await compactor.compact(["turn_0001"]))?.run.status).toBe("complete");
      });
    },
  );

  test("keeps its summary and its weighed facts, and puts what was cut into the archive", async () => {
    const kept = store();
    await withModelServer(good, async ({ url }) => {
      await compactorOf(kept, url).compactor.compact(["turn_0001"]);
    });
    expect(kept.list("episodic")).toMatchObject([{ summary: GOOD.episodic_summary, turnIds: ["turn_0001"] }]);
    expect(kept.list("semantic").map(({ fact, category, salience }) => [fact, category, salience])).toEqual([
      ["The pump leaks.", "critical_issue", 500],
      ["Only green paint.", "user_preference", 300],
      ["hull.ts", "important_artifact", 100],
    ]);
    expect(kept.listArchived().length).toBe(4);
    expect(kept.listTraces().map(({ turnId }) => turnId)).toEqual(["turn_0002"]);
  });
});
