// Random logs: turns of users, assistants and tools in any order, with results that come late, in another turn, or never.
import fc from "fast-check";
import { assistant, call, result, trace } from "./testing-memory.ts";
import type { RawTrace } from "./memory-types.ts";

export type Step =
  | { readonly kind: "user" | "assistant" | "go_on" | "call" }
  /** The `which`-th call that is still out is answered, in its own turn or in the one under way. */
  | { readonly kind: "result"; readonly which: number; readonly isElsewhere: boolean };

const randomStep = (): fc.Arbitrary<Step> =>
  fc.oneof(
    fc.record({ kind: fc.constantFrom<"user" | "assistant" | "go_on" | "call">("user", "assistant", "go_on", "call") }),
    fc.record({ kind: fc.constant("result" as const), which: fc.nat(3), isElsewhere: fc.boolean() }),
  );

export const randomLog = (maxLength = 40): fc.Arbitrary<readonly Step[]> => fc.array(randomStep(), { maxLength });

/** The traces of such steps. Every call has an id of its own. */
export function logOf(steps: readonly Step[]): RawTrace[] {
  const log: RawTrace[] = [];
  const open: { readonly id: string; readonly turn: number }[] = [];
  const seqs = new Map<number, number>();
  let turn = 1;
  let calls = 0;
  const seqOf = (of: number): number => {
    seqs.set(of, (seqs.get(of) ?? 0) + 1);
    return seqs.get(of)!;
  };
  for (const step of steps) {
    if (step.kind === "user") {
      turn += seqs.has(turn) ? 1 : 0;
      log.push(trace(turn, seqOf(turn)));
    } else if (step.kind === "assistant") log.push(assistant(turn, seqOf(turn)));
    else if (step.kind === "go_on") log.push(trace(turn, seqOf(turn), { traceType: "tool_continuation" }));
    else if (step.kind === "call") {
      const id = `call_${++calls}`;
      open.push({ id, turn });
      log.push(call(turn, seqOf(turn), id));
    } else if (step.kind === "result" && open.length > 0) {
      const [answered] = open.splice(step.which % open.length, 1);
      const of = step.isElsewhere ? turn : answered!.turn;
      log.push(result(of, seqOf(of), answered!.id));
    }
  }
  return log;
}
