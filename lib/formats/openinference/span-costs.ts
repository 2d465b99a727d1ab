// What the spans of a session say that its model calls cost, with the tokens of the same calls.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import { modelOf, spanKind, usageOf } from "../otlp/span-kinds.ts";
import type { PlacedRecord } from "../otlp/otlp-lines.ts";
import { numberOf } from "../otlp/otlp-values.ts";
import { addOfModel } from "../reported-sums.ts";

export function spanCosts(spans: readonly PlacedRecord[], lane: string): Draft[] {
  const byModel: Record<string, Usage> = {};
  let usd = 0;
  for (const span of spans) {
    const cost = numberOf(span.attributes.get("llm.cost.total"));
    const counted = usageOf(span.attributes);
    if (spanKind(span) !== "model" || cost === null || cost < 0 || counted === null) continue;
    usd += cost;
    addOfModel(byModel, modelOf(span.attributes) ?? "", counted);
  }
  return usd === 0 ? [] : [{ kind: "reported", lane, usd, usage: byModel }];
}
