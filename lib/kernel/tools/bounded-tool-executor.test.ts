import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { policyOf } from "../artifacts/offload-presets.ts";
import type { BoundedTool } from "./bounded-tool.ts";
import type { ExecutorOptions } from "./bounded-tool-executor.ts";
import { BoundedToolExecutor } from "./bounded-tool-executor.ts";
import type { DecisionRecord } from "./offload-output.ts";
import { settled, testBackend, testHost } from "./testing-tools.ts";
import { lateProperty } from "./testing-late.ts";
import { TurnState } from "./turn-state.ts";

const RUNS = Number(process.env["PLIMSOLL_RUNS"] ?? 200);
const LARGE = "x".repeat(20_000);
const policy = policyOf({ preset: "secondbrain", max_chars: 12_000 });

function bench(
  tools: readonly BoundedTool[],
  options: Partial<ExecutorOptions> = {},
  deadlineMs: number | null = 60_000,
) {
  const host = testHost();
  const backend = testBackend(host);
  const decisions: DecisionRecord[] = [];
  const traces: unknown[] = [];
  const executor = new BoundedToolExecutor({
    tools,
    host,
    artifacts: backend,
    policy,
    onDecision: (decision) => decisions.push(decision),
    onTrace: (trace) => traces.push(trace),
    ...options,
  });
  const turn = new TurnState({ now: host.now, deadlineAt: deadlineMs === null ? null : host.now() + deadlineMs });
  const call = (tool_name: string, args: unknown = {}, call_id = "c1") =>
    executor.run({ call_id, tool_name, arguments: args }, turn);
  return { host, backend, decisions, traces, executor, turn, call };
}

const tool = (name: string, execute: BoundedTool["execute"], more: Partial<BoundedTool> = {}): BoundedTool => ({
  name,
  execute,
  ...more,
});
const later = (host: ReturnType<typeof testHost>, ms: number, value: unknown): Promise<unknown> =>
  new Promise((resolve) => void host.after(ms, () => resolve(value)));

describe("outcomes", () => {
  test("a small output is a result, with the fields of the original", async () => {
    const { call, decisions } = bench([tool("echo", (input) => input)]);
    const { outcome, content, isError } = await call("echo", { a: 1 });
    expect(outcome).toEqual({
      type: "ToolExecutionResult",
      call_id: "c1",
      tool_name: "echo",
      output: { a: 1 },
      elapsed_ms: 0,
      was_coerced: false,
    });
    expect([content, isError]).toEqual(['{"a":1}', false]);
    expect(decisions).toEqual([
      expect.objectContaining({ action: "inline", callId: "c1", sizeBytes: 7, status: "ok" }),
    ]);
  });

  test("a large output is a reference, stored whole under its tool and call", async () => {
    const { call, backend, decisions } = bench([tool("logs", () => LARGE)]);
    const { outcome, content } = await call("logs");
    expect(outcome).toEqual({
      type: "ToolArtifactReference",
      call_id: "c1",
      tool_name: "logs",
      artifact_id: "art_0000000000000001",
      summary: "x".repeat(200),
      size_bytes: 20_000,
    });
    expect(JSON.parse(content)).toMatchObject({ artifact_reference: "art_0000000000000001", size_bytes: 20_000 });
    expect(backend.stored).toEqual([expect.objectContaining({ text: LARGE, name: "logs_c1", ttlSeconds: 3600 })]);
    expect(decisions).toEqual([
      expect.objectContaining({ action: "artifact", gate: "chars", artifactId: "art_0000000000000001" }),
    ]);
  });

  test("every outcome is frozen", async () => {
    const { call, host } = bench([
      tool("small", () => "s"),
      tool("large", () => LARGE),
      tool("throws", () => {
        throw new Error("no");
      }),
      tool("hangs", () => new Promise(() => {})),
    ]);
    const hanging = call("hangs");
    await host.advance(45_000);
    const all = [await hanging, await call("small"), await call("large"), await call("throws"), await call("absent")];
    expect(all.map((executed) => executed.outcome.type)).toEqual([
      "ToolTimeout",
      "ToolExecutionResult",
      "ToolArtifactReference",
      "ToolFailure",
      "ToolDenied",
    ]);
    for (const { outcome } of all) expect(Object.isFrozen(outcome)).toBe(true);
  });

  test("arguments that the schema changed are told as coerced", async () => {
    const count = tool("count", (input) => input, {
      parse: (input) => ({ n: Number((input as { n: unknown }).n) }),
    });
    const { call } = bench([count]);
    expect((await call("count", { n: "3" })).outcome).toMatchObject({ output: { n: 3 }, was_coerced: true });
    expect((await call("count", { n: 3 })).outcome).toMatchObject({ was_coerced: false });
  });

  test("a tool that throws is a failure with its message, and one that says it is final is blocked for the turn", async () => {
    const { call } = bench([
      tool("flaky", () => Promise.reject(new Error("try again"))),
      tool("final", () => Promise.reject(Object.assign(new Error("no such table"), { retryable: false }))),
    ]);
    expect((await call("flaky")).outcome).toMatchObject({ type: "ToolFailure", error: "try again", retryable: true });
    expect((await call("final")).outcome).toMatchObject({ type: "ToolFailure", retryable: false });
    expect((await call("final", { other: 1 })).outcome).toMatchObject({ type: "ToolDenied", reason: "blocked" });
  });

  test("a hook of the host that throws does not reach the loop", async () => {
    const { call } = bench([tool("echo", () => "e")], {
      approve: () => Promise.reject(new Error("the approver is gone")),
    });
    expect((await call("echo")).outcome).toMatchObject({ type: "ToolFailure", error: "the approver is gone" });
  });
});

describe("whether a call is made", () => {
  test("each reason of a denial has its cause", async () => {
    let runs = 0;
    const once = tool("once", () => `answer ${++runs}`, { isIdempotent: true });
    const strict = tool("strict", () => runs++, {
      parse: () => {
        throw new Error("path is missing");
      },
    });
    const { call } = bench([once, strict, tool("rm", () => runs++)], {
      approve: ({ tool_name }) => ({ allow: tool_name !== "rm", details: "a person said no" }),
    });
    const denial = async (name: string) => (await call(name)).outcome;
    expect(await denial("once")).toMatchObject({ type: "ToolExecutionResult" });
    expect(await denial("once")).toMatchObject({ type: "ToolDenied", reason: "duplicate" });
    expect(await denial("strict")).toMatchObject({
      reason: "validation",
      details: "The arguments do not fit strict: path is missing",
    });
    expect(await denial("rm")).toMatchObject({ reason: "pre_hook", details: "a person said no" });
    expect(await denial("absent")).toMatchObject({ reason: "blocked" });
    expect(runs).toBe(1);
  });

  test("the fourth call with the same arguments in a turn is a loop, in whatever order its keys stand", async () => {
    let runs = 0;
    const { call } = bench([tool("poll", () => ++runs)]);
    for (let i = 0; i < 3; i++) await call("poll", i % 2 ? { a: 1, b: { c: 2, d: 3 } } : { b: { d: 3, c: 2 }, a: 1 });
    expect((await call("poll", { a: 1, b: { c: 2, d: 3 } })).outcome).toMatchObject({ reason: "duplicate" });
    expect((await call("poll", { a: 2 })).outcome).toMatchObject({ type: "ToolExecutionResult" });
    expect(runs).toBe(4);
  });

  test("no call begins once the turn has no time left, also when an approval took what was left", async () => {
    let runs = 0;
    const { call, host } = bench(
      [tool("t", () => ++runs)],
      { approve: () => later(host, 2000, { allow: true }) as never },
      1000,
    );
    const waiting = call("t");
    await host.advance(2000);
    expect((await waiting).outcome).toMatchObject({ type: "ToolDenied", reason: "deadline" });
    expect((await call("t")).outcome).toMatchObject({ reason: "deadline" });
    expect(runs).toBe(0);
  });
});

describe("time", () => {
  test("a tool gets what is left of its turn, within its own limit, but at least 5 s and at most 45 s", async () => {
    const cases: [turnMs: number | null, timeoutMs: number | undefined, expected: number][] = [
      [600_000, undefined, 45_000],
      [12_000, undefined, 12_000],
      [1000, undefined, 5000],
      [600_000, 8000, 8000],
      [600_000, 1000, 5000],
      [null, 90_000, 45_000],
    ];
    for (const [turnMs, timeoutMs, expected] of cases) {
      const { call, host } = bench([tool("hangs", () => new Promise(() => {}), { timeoutMs })], {}, turnMs);
      const started = host.now();
      const waiting = call("hangs");
      await host.advance(expected - 1);
      let isDone = false;
      void waiting.then(() => (isDone = true));
      await settled();
      expect(isDone).toBe(false);
      await host.advance(1);
      expect((await waiting).outcome).toEqual({
        type: "ToolTimeout",
        call_id: "c1",
        tool_name: "hangs",
        deadline_s: (started + expected) / 1000,
        elapsed_ms: expected,
        retryable: true,
      });
    }
    const { call, host } = bench([tool("hangs", () => new Promise(() => {}))], {}, 1000);
    await host.advance(1000);
    expect((await call("hangs")).outcome).toMatchObject({ type: "ToolDenied", reason: "deadline" });
  });

  test("whether a timed-out tool may be tried again comes from its metadata", async () => {
    const { call, host } = bench(
      [tool("pay", () => new Promise(() => {}), { metadata: { retry_on_timeout: false } })],
      {},
      600_000,
    );
    const waiting = call("pay");
    await host.advance(45_000);
    expect((await waiting).outcome).toMatchObject({ type: "ToolTimeout", retryable: false });
    expect((await call("pay", { again: true })).outcome).toMatchObject({ type: "ToolDenied", reason: "blocked" });
  });

  test("a tool is told to stop when its time is over", async () => {
    let signal: AbortSignal | undefined;
    const { call, host } = bench([
      tool("hangs", (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      }),
    ]);
    const waiting = call("hangs");
    await settled();
    expect(signal?.aborted).toBe(false);
    await host.advance(45_000);
    await waiting;
    expect(signal?.aborted).toBe(true);
  });

  test("waiting for an approval is not time of the tool", async () => {
    const { call, host } = bench([tool("t", () => later(host, 30, "done"))], {
      approve: () => later(host, 5000, { allow: true }) as never,
    });
    const waiting = call("t");
    await host.advance(5030);
    expect((await waiting).outcome).toMatchObject({ elapsed_ms: 30 });
  });

  test("calls that run side by side are timed each for itself, with approvals in between", async () => {
    const tools = [tool("short", () => later(host(), 30, "a")), tool("long", () => later(host(), 400, "b"))];
    const made = bench(tools, {
      approve: ({ tool_name }) => later(host(), tool_name === "long" ? 900 : 10, { allow: true }) as never,
    });
    const host = () => made.host;
    const both = [made.call("short"), made.call("long")];
    await made.host.advance(2000);
    expect((await Promise.all(both)).map(({ outcome }) => outcome)).toMatchObject([
      { elapsed_ms: 30 },
      { elapsed_ms: 400 },
    ]);
  });
});

describe("late writes", () => {
  test("what comes after its call timed out is dropped: no artifact, no trace, and a record that says so", async () => {
    const { call, host, backend, decisions, traces } = bench([tool("slow", () => later(host, 50_000, LARGE))]);
    const waiting = call("slow");
    await host.advance(45_000);
    expect((await waiting).outcome.type).toBe("ToolTimeout");
    await host.advance(20_000);
    expect([backend.stored, traces]).toEqual([[], []]);
    expect(decisions).toEqual([expect.objectContaining({ action: "drop", gate: "late", sizeBytes: 20_000 })]);
  });

  test("closing a turn ends its calls at once, and what they return is dropped", async () => {
    const { call, host, turn, backend, traces } = bench([tool("slow", () => later(host, 1000, LARGE))]);
    const waiting = call("slow");
    await host.advance(10);
    expect(turn.is_accepting_writes()).toBe(true);
    turn.close_writes();
    expect(turn.is_accepting_writes()).toBe(false);
    expect((await waiting).outcome).toMatchObject({ type: "ToolDenied", reason: "deadline" });
    await host.advance(5000);
    expect([backend.stored, traces]).toEqual([[], []]);
    expect((await call("slow")).outcome).toMatchObject({ type: "ToolDenied", reason: "deadline" });
  });

  test("a call that was given up cannot be completed any more", () => {
    const host = testHost();
    const turn = new TurnState({ now: host.now });
    const first = turn.set_trace_running("a", "t", 5000);
    const second = turn.set_trace_running("a", "t", 5000);
    expect(turn.mark_trace_timed_out(first)).toBe(true);
    expect(turn.complete_trace(first)).toBe(false);
    expect(turn.complete_trace(second)).toBe(true);
    expect(turn.mark_trace_timed_out(second)).toBe(false);
    const third = turn.set_trace_running("b", "t", 5000);
    turn.close_writes();
    expect(turn.complete_trace(third)).toBe(false);
  });

  test("an oversized output of a turn past its deadline is not stored", async () => {
    const { call, host, backend } = bench([tool("slow", () => later(host, 3000, LARGE))], {}, 1000);
    const waiting = call("slow");
    await host.advance(3000);
    expect((await waiting).outcome).toMatchObject({ type: "ToolDenied", reason: "deadline" });
    expect(backend.stored).toEqual([]);
  });

  test("whatever runs when a turn is closed, nothing of it is written afterwards", async () => {
    await fc.assert(lateProperty(), { numRuns: RUNS });
  });
});

describe("what the model sees", () => {
  test("a tool that makes its output small itself is measured after that", async () => {
    const { call, backend } = bench([
      tool("query", () => ({ rows: Array.from({ length: 5000 }, (_, i) => ({ i, text: "row" })) }), {
        toModelOutput: (output) => `${(output as { rows: unknown[] }).rows.length} rows`,
      }),
    ]);
    expect((await call("query")).content).toBe("5000 rows");
    expect(backend.stored).toEqual([]);
  });

  test("artifact tools bypass the limit, and an envelope is never put behind another", async () => {
    const { call, backend, decisions } = bench(
      [
        tool("artifact_read", () => LARGE),
        tool("getArtifact", () => LARGE),
        tool("relay", () => "[Tool result omitted: stored as artifact]\nid: art_0123456789abcdef"),
      ],
      { policy: policyOf("openclaw") },
    );
    for (const name of ["artifact_read", "getArtifact", "relay"]) await call(name);
    expect(backend.stored).toEqual([]);
    expect(decisions.map(({ gate }) => gate)).toEqual(["exempt", "exempt", "exempt"]);
  });

  test("of a structured result only the text is replaced", async () => {
    const image = { type: "image", data: "AAAA" };
    const { call } = bench([
      tool("flat", () => ({ content: LARGE, details: { exitCode: 0 }, isError: false })),
      tool("blocks", () => ({
        content: [{ type: "text", text: LARGE }, image, { type: "text", text: "end" }],
        meta: 1,
      })),
    ]);
    const flat = await call("flat");
    expect(flat.result).toEqual({ content: flat.content, details: { exitCode: 0 }, isError: false });
    const blocks = await call("blocks");
    expect(blocks.result).toEqual({ content: [{ type: "text", text: blocks.content }, image], meta: 1 });
    expect(blocks.outcome).toMatchObject({ type: "ToolArtifactReference", size_bytes: 20_004 });
  });

  test("an error stays an error beside its envelope, which shows its end", async () => {
    const text = `${LARGE}\nTypeError: x is not a function`;
    const { call, backend, traces } = bench(
      [
        tool("returns", () => ({ content: text, isError: true })),
        tool("throws", () => Promise.reject(new Error(text))),
      ],
      { policy: policyOf({ max_bytes: 1000, mode: "artifact", enabled: true }) },
    );
    for (const name of ["returns", "throws"]) {
      const executed = await call(name);
      expect(executed.isError).toBe(true);
      expect(executed.outcome).toMatchObject({ type: "ToolFailure" });
      expect(JSON.parse(executed.content)).toMatchObject({
        is_error: true,
        tail: expect.stringMatching(/TypeError: x is not a function$/),
      });
    }
    expect(backend.stored.map(({ text }) => text)).toEqual([text, text]);
    expect(traces).toMatchObject([{ is_error: true }, { is_error: true }]);
  });

  test("the cache holds what the tool returned, and a hit is measured and stored anew", async () => {
    const cache = new Map<string, { output: unknown }>();
    let runs = 0;
    const tools = [tool("logs", () => (runs++, LARGE), { isCacheable: true, isIdempotent: true })];
    const first = bench(tools, { cache });
    const second = bench(tools, { cache });
    expect((await first.call("logs")).outcome.type).toBe("ToolArtifactReference");
    expect([...cache.values()]).toEqual([{ output: LARGE }]);
    expect((await second.call("logs")).outcome.type).toBe("ToolArtifactReference");
    expect(second.backend.stored.map(({ text }) => text)).toEqual([LARGE]);
    expect(runs).toBe(1);
    expect((await second.call("logs")).outcome.type).toBe("ToolArtifactReference");
  });

  test("with truncate mode the head and the tail enter, and nothing is stored", async () => {
    const { call, backend, decisions } = bench([tool("logs", () => `FIRST${LARGE}LAST`)], {
      policy: policyOf({ preset: "vectara-current", mode: "truncate", max_bytes: 4000, truncate: { max_bytes: 4000 } }),
    });
    const { content, outcome } = await call("logs");
    expect(content).toMatch(/^FIRSTx+\n\[output truncated: .*\]\nx+LAST$/);
    expect(outcome).toMatchObject({ type: "ToolExecutionResult", output: content });
    expect([backend.stored, decisions]).toEqual([[], [expect.objectContaining({ action: "truncate", status: "ok" })]]);
  });
});

describe("when storing fails", () => {
  const failing: [string, ExecutorOptions["artifacts"]["store"]][] = [
    ["a store that says so", () => ({ status: "failed", reason: "the disk is full" })],
    ["a store that throws", () => Promise.reject(new Error("the disk is full"))],
  ];
  test.each(failing)("%s: the output is cut with a notice, and no pointer is shown", async (_, store) => {
    const { call, decisions } = bench([tool("logs", () => `FIRST${LARGE}LAST`)], { artifacts: { store } });
    const { content, outcome } = await call("logs");
    expect(outcome.type).toBe("ToolExecutionResult");
    expect(content).toMatch(/^FIRSTx+\n\[output truncated: .*was not stored: the disk is full\]\nx+LAST$/);
    expect(content).not.toMatch(/art[:_]/);
    expect(decisions).toEqual([
      expect.objectContaining({ action: "truncate", gate: "chars", status: "failed", artifactId: null, pointer: null }),
    ]);
    expect(decisions[0]!.reason).toContain("the disk is full");
  });

  test("a store that does not answer is left after 15 s, and cannot commit afterwards", async () => {
    const host = testHost();
    const backend = testBackend(host, 20_000);
    const { call, decisions } = bench([tool("logs", () => LARGE)], { host, artifacts: backend }, null);
    const waiting = call("logs");
    await host.advance(15_000);
    expect((await waiting).outcome.type).toBe("ToolExecutionResult");
    await host.advance(60_000);
    expect(backend.stored).toEqual([]);
    expect(decisions).toEqual([expect.objectContaining({ status: "failed" })]);
  });
});
