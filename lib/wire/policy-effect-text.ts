// The effect of a policy in one line, the same on the page and on the command line.
import type { PolicyEffectRow } from "./agent-policies-schema.ts";
import { exactly } from "#lib/kernel/exactly.ts";

export function effectText(effect: PolicyEffectRow | null): string {
  if (effect === null) return "No effect measured.";
  const { actual, predicted, calls, fullAt } = effect;
  return `${[
    Math.round(actual.peak) === Math.round(predicted.peak)
      ? `Peak unchanged (${exactly(actual.peak)} tokens)`
      : `Peak ${exactly(actual.peak)} → ~${exactly(predicted.peak)} tokens`,
    `${exactly(calls)} smaller ${calls === 1 ? "call" : "calls"}`,
    `${changeText(actual.promptTokens, predicted.promptTokens)} tokens`,
    ...(actual.usd === null || predicted.usd === null
      ? []
      : [`input cost $${actual.usd.toFixed(2)} → ~$${predicted.usd.toFixed(2)}`]),
    ...(actual.compactions === predicted.compactions
      ? []
      : [`compactions ${actual.compactions} → ${predicted.compactions}`]),
    ...(fullAt.actual === fullAt.predicted
      ? []
      : [
          `line reached at call ${fullAt.actual ?? "–"} → ${fullAt.predicted === null ? "never" : exactly(fullAt.predicted)}`,
        ]),
  ].join(", ")}.`;
}

function changeText(actual: number, predicted: number): string {
  const share = actual === 0 ? 0 : (100 * (predicted - actual)) / actual;
  return `${share > 0 ? "+" : "−"}${Math.abs(share).toFixed(1)} %`;
}
