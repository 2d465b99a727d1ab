// What the ledger and a what-if lay over the chart: the predicted curve, where the context was in trouble, why the cache
// was lost. Pure.
import { CATEGORIES } from "#lib/wire/common-schema.ts";
import type { BlowUp, CacheBreak, LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import type { WhatIfAnswer } from "#lib/wire/what-if-schema.ts";
import type { LoadView } from "../shared/load-view.ts";

export type ChartOverlay = {
  /** Prompts under the policy, by index; null without one. */
  readonly predicted: Float64Array | null;
  /** Upper edges of the stack without what would be offloaded. */
  readonly tops: readonly Float64Array[] | null;
  /** Positions in trouble, by index; a jump has its own note. */
  readonly blowUps: readonly { readonly index: number; readonly kind: BlowUp["kind"] }[];
  readonly breaks: ReadonlyMap<number, CacheBreak>;
  /** Tokens at the top edge; null for what the session itself needs. Two charts side by side share one. */
  readonly max: number | null;
};

export const NO_OVERLAY: ChartOverlay = { predicted: null, tops: null, blowUps: [], breaks: new Map(), max: null };

type Answers = { readonly ledger: LedgerAnswer | undefined; readonly whatIf: WhatIfAnswer | undefined };

export function overlayOf(view: LoadView, { ledger, whatIf }: Answers): ChartOverlay {
  const indexOf = new Map(view.calls.map((call, i) => [call.call, i]));
  const predicted = whatIf === undefined ? null : predictedOf(view, whatIf, indexOf);
  const blowUps = (ledger?.blowUps ?? []).flatMap(({ call, kind }) => {
    const index = indexOf.get(call);
    return index === undefined ? [] : [{ index, kind }];
  });
  const breaks = new Map(
    (ledger?.calls ?? []).flatMap(({ call, cacheBreak }) => {
      const index = indexOf.get(call);
      return index === undefined || cacheBreak === null ? [] : [[index, cacheBreak] as const];
    }),
  );
  return { predicted, tops: predicted === null ? null : keptTops(view, predicted), blowUps, breaks, max: null };
}

function predictedOf(view: LoadView, whatIf: WhatIfAnswer, indexOf: ReadonlyMap<number, number>): Float64Array {
  const predicted = Float64Array.from(view.prompts);
  for (const call of whatIf.calls) {
    const index = indexOf.get(call.call);
    // As a difference, so that an answer of a moment ago fits a session that has grown since.
    if (index !== undefined) predicted[index] = Math.max(0, (predicted[index] ?? 0) + call.predicted - call.actual);
  }
  return predicted;
}

const RESULT = CATEGORIES.indexOf("result");

/** What would be offloaded leaves the tool results, and everything above them sinks; nothing stands over the curve. */
function keptTops(view: LoadView, predicted: Float64Array): Float64Array[] {
  return view.tops.map((tops, c) =>
    tops.map((top, i) => {
      const saved = Math.max(0, (view.prompts[i] ?? 0) - (predicted[i] ?? 0));
      const results = (view.tops[RESULT]?.[i] ?? 0) - (view.tops[RESULT - 1]?.[i] ?? 0);
      const lower = c < RESULT ? top : top - Math.min(saved, results);
      return saved > 0 ? Math.min(lower, predicted[i] ?? 0) : lower;
    }),
  );
}
