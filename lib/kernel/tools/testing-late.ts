import fc from "fast-check";
import { policyOf } from "../artifacts/offload-presets.ts";
import { BoundedToolExecutor } from "./bounded-tool-executor.ts";
import { testBackend, testHost } from "./testing-tools.ts";
import { TurnState } from "./turn-state.ts";

const LARGE = "x".repeat(20_000);
const policy = policyOf({ preset: "secondbrain", max_chars: 12_000 });

/** Calls of any length, some of which fail, and a turn that is closed at any moment: nothing is written afterwards. */
export function lateProperty() {
  const plan = fc.record({ takes: fc.nat(60_000), large: fc.boolean(), fails: fc.boolean(), exempt: fc.boolean() });
  return fc.asyncProperty(
    fc.array(plan, { minLength: 1, maxLength: 6 }),
    fc.nat(60_000),
    fc.nat(20_000),
    fc.option(fc.nat(60_000)),
    async (plans, closeAt, storeMs, turnMs) => {
      const host = testHost();
      const backend = testBackend(host, storeMs);
      const cached: unknown[] = [];
      const traces: unknown[] = [];
      let decisions = 0;
      const written = (): number => backend.stored.length + traces.length + cached.length;
      const tools = plans.map((one, i) => ({
        name: one.exempt ? "artifact_read" : `t${i}`,
        isCacheable: true,
        execute: async () => {
          await new Promise<void>((resolve) => void host.after(one.takes, resolve));
          const output = one.large ? LARGE : "small";
          if (one.fails) throw new Error(output);
          return output;
        },
      }));
      const executor = new BoundedToolExecutor({
        tools,
        host,
        artifacts: backend,
        policy,
        cache: { get: () => null, set: (key) => cached.push(key) },
        onDecision: () => decisions++,
        onTrace: (trace) => traces.push(trace),
      });
      const turn = new TurnState({ now: host.now, deadlineAt: turnMs === null ? null : host.now() + turnMs });
      const calls = tools.map(({ name }, i) =>
        executor.execute({ call_id: `c${i}`, tool_name: name, arguments: { i } }, turn),
      );
      await host.advance(closeAt);
      turn.close_writes();
      const before = written();
      const outcomes = await Promise.all(calls);
      await host.advance(200_000);
      if (written() !== before) throw new Error(`${written() - before} things were written after the turn was closed.`);
      if (outcomes.length !== plans.length) throw new Error("A call has no outcome.");
      // One decision for every output that came, late ones included.
      const came = outcomes.filter(({ type }) => !(type === "ToolDenied" && turnMs === 0)).length;
      if (decisions !== came) throw new Error(`${decisions} decisions about ${came} outputs.`);
    },
  );
}
