import { describe, expect, test } from "vitest";
import { isAppError } from "../errors.ts";
import { Compactor } from "./compactor.ts";
import { InMemoryMemoryStore } from "./in-memory-store.ts";
import { CompactionPolicy, type ToolEventPolicy } from "./compaction-policy.ts";
import { advance } from "./run-states.ts";
import { assistant, call, plainSummarizer, result, storeOf, testHost, trace } from "./testing-memory.ts";
import { TurnTracker } from "./turn-tracker.ts";
import { COMPACTION_STATUSES, traceKey } from "./memory-types.ts";
import type { CompactionRun, Summarizer, SummarizerResult } from "./memory-types.ts";

const compactorOf = (store: InMemoryMemoryStore, summarizer: Summarizer = plainSummarizer, tail = 1) => {
  const runs: CompactionRun[] = [];
  const policy = new CompactionPolicy({ rawTailTurns: tail });
  const compactor = new Compactor({ store, summarizer, host: testHost(), policy, onRun: (run) => runs.push(run) });
  return { compactor, runs };
};
const turns = (store: InMemoryMemoryStore): (string | null)[] => store.listTraces().map(({ turnId }) => turnId);
const failing = (message: string): Summarizer => ({
  summarize: () => Promise.reject(new Error(message)),
});

describe("the window", () => {
  test("is the oldest turns beyond the tail, and their traces can be had", () => {
    const store = storeOf(trace(1, 1), trace(2, 1), trace(3, 1));
    const { compactor } = compactorOf(store);
    expect(compactor.selectCompactionWindow()).toEqual(["turn_0001", "turn_0002"]);
    expect(compactor.getTracesForTurns(["turn_0002"])).toHaveLength(1);
    expect(compactorOf(store, plainSummarizer, 3).compactor.selectCompactionWindow()).toEqual([]);
  });
});

describe("a compaction", () => {
  const facts: SummarizerResult = {
    summary: "Summary",
    facts: [
      { fact: "Fact A", confidence: 0.9, tags: ["decision"] },
      { fact: "Fact B", confidence: 0.5 },
    ],
  };

  test("stores one episode and its facts, and takes the turns away", async () => {
    const store = storeOf(trace(1, 1), assistant(1, 2), trace(2, 1));
    const { compactor, runs } = compactorOf(store, { summarize: () => facts });
    const made = await compactor.compact(["turn_0001"]);
    expect(store.list("episodic")).toMatchObject([
      { id: expect.stringMatching(/^ep_\d+_[0-9a-f]{4}$/), turnIds: ["turn_0001"], summary: "Summary", salience: 0 },
    ]);
    expect(store.list("semantic")).toMatchObject([
      { id: expect.stringMatching(/^sem_\d+_1$/), fact: "Fact A", confidence: 0.9, tags: ["decision"], salience: 0 },
      { id: expect.stringMatching(/^sem_\d+_2$/), fact: "Fact B", confidence: 0.5 },
    ]);
    expect(turns(store)).toEqual(["turn_0002"]);
    expect(store.listArchived().map(({ turnId }) => turnId)).toEqual(["turn_0001", "turn_0001"]);
    expect(runs.map(({ status }) => status)).toEqual(["planned", "summarized", "pruned", "complete"]);
    expect(made?.run.traceKeys).toEqual(store.listArchived().map(traceKey));
    expect(made?.episodic[0]?.runId).toBe(made?.run.id);
  });

  test("gives its summarizer the tool events that its policy lets through, and the instructions", async () => {
    const summarizedFrom = async (toolEvents?: ToolEventPolicy) => {
      const seen: string[] = [];
      const store = storeOf(trace(1, 1), call(1, 2, "c1"), result(1, 3, "c1", { toolError: "No such pier" }));
      const summarizer: Summarizer = {
        summarize(traces, { instructions }) {
          seen.push(...traces.map(({ traceType }) => traceType), instructions ?? "");
          return facts;
        },
      };
      const policy = new CompactionPolicy({ rawTailTurns: 0, toolEvents, instructions: "In Danish" });
      await new Compactor({ store, summarizer, host: testHost(), policy }).compact(["turn_0001"]);
      expect(store.listArchived(), "what is taken away is all of it").toHaveLength(3);
      return [...seen, store.list("episodic")[0]!.summary.includes("No such pier")];
    };
    expect(await summarizedFrom()).toEqual(["user", "tool_call", "tool_result", "In Danish", true]);
    expect(await summarizedFrom("include_outputs")).toEqual(["user", "tool_result", "In Danish", true]);
    expect(await summarizedFrom("exclude")).toEqual(["user", "In Danish", false]);
  });

  test("of no turns is none", async () => {
    const { compactor, runs } = compactorOf(storeOf(trace(1, 1)));
    expect(await compactor.compact([])).toBeNull();
    expect(runs).toEqual([]);
  });

  test("leaves everything as it was when the summarizer throws, and throws that", async () => {
    const store = storeOf(trace(1, 1), trace(2, 1));
    const { compactor, runs } = compactorOf(store, failing("summarizer failed"));
    await expect(compactor.compact(["turn_0001"])).rejects.toThrow("summarizer failed");
    expect(turns(store)).toEqual(["turn_0001", "turn_0002"]);
    expect(store.listArchived()).toEqual([]);
    expect(store.list("episodic")).toEqual([]);
    expect(runs.at(-1)).toMatchObject({ status: "failed", reason: "summarizer failed", epochAfter: null });
  });

  test("does not take what no summary stands for", async () => {
    const bad: unknown[] = [
      { summary: " ", facts: [] },
      { summary: 3, facts: [] },
      null,
      { summary: "S", facts: [{}] },
      { summary: "S" },
    ];
    for (const made of bad) {
      const store = storeOf(trace(1, 1), trace(2, 1));
      const { compactor } = compactorOf(store, { summarize: () => made as SummarizerResult });
      await expect(compactor.compact(["turn_0001"])).rejects.toSatisfy(isAppError);
      expect(turns(store)).toHaveLength(2);
    }
  });

  test("of a turn that is not there, or has a call out, says so", async () => {
    const { compactor } = compactorOf(storeOf(trace(1, 1), call(1, 2, "c1")));
    await expect(compactor.compact(["turn_0009"])).rejects.toThrow(/No turn "turn_0009" is active/);
    await expect(compactor.compact(["turn_0001"])).rejects.toThrow(/its call c1 of run has no result yet/);
    await expect(compactorOf(storeOf()).compactor.compact(["x"])).rejects.toThrow(/0 are/);
  });

  test("is given up when what it summarized left memory meanwhile", async () => {
    const store = storeOf(trace(1, 1), trace(2, 1), trace(3, 1));
    const other = compactorOf(store).compactor;
    const { compactor } = compactorOf(store, {
      summarize: async () => {
        await other.compact(["turn_0001"]);
        return { summary: "late", facts: [] };
      },
    });
    await expect(compactor.compact(["turn_0001", "turn_0002"])).rejects.toThrow(/1 of 2 planned traces left memory/);
    expect(turns(store)).toEqual(["turn_0002", "turn_0003"]);
    expect(store.list("episodic")).toHaveLength(1);
  });

  test("keeps failures and files behind the summary, unless the summary has them", async () => {
    const log = [
      call(1, 1, "a", { toolName: "read_file", toolArgs: { path: "a.ts" } }),
      result(1, 2, "a"),
      call(1, 3, "b", { toolName: "exec" }),
      result(1, 4, "b", { toolName: "exec", toolResult: null, toolError: "ENOENT: missing" }),
    ];
    const store = storeOf(...log);
    await compactorOf(store, { summarize: () => ({ summary: "Did it.", facts: [] }) }).compactor.compact(["turn_0001"]);
    expect(store.list("episodic")[0]?.summary).toBe(
      "Did it.\n\n## Tool Failures\n- exec: ENOENT: missing\n\n<read-files>\na.ts\n</read-files>",
    );
    const own = storeOf(...log);
    const whole: Summarizer = { summarize: () => ({ summary: "All of it.", facts: [], hasDiagnostics: true }) };
    await compactorOf(own, whole).compactor.compact(["turn_0001"]);
    expect(own.list("episodic")[0]?.summary).toBe("All of it.");
  });

  test("goes on where the last one ended, and turns go on counting behind what was archived", async () => {
    const store = storeOf(trace(1, 1), trace(2, 1), trace(3, 1));
    const { compactor } = compactorOf(store);
    const window = compactor.selectCompactionWindow();
    expect(window).toEqual(["turn_0001", "turn_0002"]);
    await compactor.compact(window);
    expect(turns(store)).toEqual(["turn_0003"]);
    const next = TurnTracker.after(store.corpus()).nextTurnId();
    expect(next).toBe("turn_0004");
    store.add([trace(next, 1)]);
    expect(turns(store)).toEqual(["turn_0003", "turn_0004"]);
    expect(compactor.selectCompactionWindow()).toEqual(["turn_0003"]);
  });

  test("says what it cannot take, for the record", () => {
    const { compactor, runs } = compactorOf(storeOf(trace(1, 1)));
    const { plan, reason } = compactor.plan({ tailTurns: 4 });
    expect(plan).toBeNull();
    expect(compactor.nothing(reason!).status).toBe("nothing_to_compact");
    expect(runs).toMatchObject([
      { status: "nothing_to_compact", reason: expect.stringContaining("1 turn is there"), traceKeys: [] },
    ]);
    expect(compactorOf(storeOf()).compactor.plan({ tailTurns: 4 }).reason).toBe("This memory has no turn yet.");
  });
});

describe("the steps of a compaction", () => {
  const run = (status: CompactionRun["status"]): CompactionRun => ({
    id: "r",
    trigger: "manual",
    unit: "turn",
    status,
    reason: null,
    turnIds: [],
    traceKeys: [],
    epochBefore: 1,
    epochAfter: null,
    tokensBefore: null,
    tokensAfter: null,
    startedAt: 0,
    endedAt: null,
  });

  test("lead from planned to complete, and a complete one may be undone", () => {
    let one = run("planned");
    for (const next of ["summarized", "archived", "pruned", "complete", "undone"] as const) one = advance(one, next);
    expect(one.status).toBe("undone");
    expect(advance(run("summarized"), "failed", { reason: "why" })).toMatchObject({ status: "failed", reason: "why" });
  });

  test("are never taken backwards or out of an end", () => {
    for (const end of ["failed", "nothing_to_compact", "undone"] as const)
      for (const next of COMPACTION_STATUSES) expect(() => advance(run(end), next)).toThrow(/cannot become/);
    expect(() => advance(run("pruned"), "summarized")).toThrow(/is pruned; it cannot become summarized/);
    expect(() => advance(run("complete"), "failed")).toThrow();
  });
});
