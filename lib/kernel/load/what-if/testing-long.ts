// A long session, and how long its replay takes.
import { inputOf, type Step } from "./testing-ledger.ts";
import { NO_POLICY } from "./types.ts";
import { whatIf } from "./what-if.ts";

const CALLS = 5000;

/** The best of five: milliseconds of one answer with everything switched on. */
export function whatIfBench(): { ms: number; calls: number } {
  const steps = Array.from({ length: CALLS }, (_, k): Step => ({
    comes: [
      { kind: "assistant", tokens: 60 },
      { kind: "call", tokens: 90 + (k % 7) * 20 },
      { kind: "result", tokens: (k * 7919) % 3000, bytes: k % 400 },
      { kind: k % 25 === 0 ? "user" : "reasoning", tokens: 120 },
    ],
    cut: k % 90 === 89 ? "auto" : undefined,
  }));
  const input = inputOf({ steps, loadLine: 160_000 });
  const policy = { ...NO_POLICY, offload: 2000, reread: 0.3, mask: 20, hysteresis: 20_000, dedupe: true };
  let ms = Infinity;
  for (let run = 0; run < 5; run++) {
    const start = performance.now();
    whatIf(input, policy);
    ms = Math.min(ms, performance.now() - start);
  }
  return { ms, calls: input.ledger.calls.length };
}
