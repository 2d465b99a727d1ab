// What the chart draws, worked out once per answer: running sums by category, where epochs part, what
// the cursor's call holds. Pure.
import type { Origin } from "#lib/wire/common-schema.ts";
import type { LoadAnswer, LoadCall } from "#lib/wire/load-schema.ts";
import { epochBreaks, peakIndexOf, rewindBreaks, stackTops } from "#lib/wire/load-stack.ts";

export type LoadView = {
  readonly load: LoadAnswer;
  readonly calls: readonly LoadCall[];
  readonly prompts: readonly number[];
  /** Upper edge of each category in stacking order, by call. Negative parts take no room here: they are said in words. */
  readonly tops: readonly Float64Array[];
  /** Indices before which a full compaction or a rewind lies. */
  readonly breaks: readonly number[];
  /** Those of them that a rewind alone made. */
  readonly rewound: ReadonlySet<number>;
  readonly line: number | null;
  readonly peakIndex: number;
  /** No call of this session has a reported prompt. */
  readonly isEstimated: boolean;
  /** How the loads are known where nothing was reported. */
  readonly origins: "counted" | "estimated";
};

export type Span = { readonly from: number; readonly to: number };

export function loadView(load: LoadAnswer): LoadView {
  const { calls } = load;
  const prompts = calls.map((call) => call.prompt);
  const epochs = epochBreaks(load);
  const rewound = new Set(rewindBreaks(load)).difference(new Set(epochs));
  return {
    load,
    calls,
    prompts,
    tops: stackTops(calls),
    breaks: [...epochs, ...rewound].toSorted((a, b) => a - b),
    rewound,
    line: load.loadLine.tokens,
    peakIndex: Math.max(0, peakIndexOf(calls)),
    isEstimated: calls.length > 0 && calls.every((call) => call.origin !== "reported"),
    origins: calls.every((call) => call.origin === "counted") ? "counted" : "estimated",
  };
}

/** What a compaction made of the context: the prompts of the calls before and after it, by its event. */
export function compactionSizes(
  view: LoadView,
): ReadonlyMap<number, { readonly before: number; readonly after: number }> {
  const sizes = new Map<number, { before: number; after: number }>();
  for (const { seq, kind, afterCall } of view.load.compactions) {
    const at = view.calls.findIndex((call) => call.call === afterCall);
    const before = view.prompts[at];
    const after = view.prompts[at + 1];
    if (kind === "full" && before !== undefined && after !== undefined) sizes.set(seq, { before, after });
  }
  return sizes;
}

/** The call that was being answered at an event: the last whose answer began at or before it. */
export function indexOfSeq(view: LoadView, seq: number): number {
  let low = 0;
  let high = view.calls.length - 1;
  let found = 0;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if ((view.calls[middle]?.seq ?? 0) <= seq) {
      found = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return found;
}

/** The stretch between two breaks that a call is in. */
export function epochAround(view: LoadView, index: number): Span {
  const edges = [0, ...view.breaks, view.calls.length];
  const at = edges.findLastIndex((edge) => edge <= index);
  return { from: edges[at] ?? 0, to: edges[at + 1] ?? view.calls.length };
}

export type RangeSums = {
  readonly calls: number;
  readonly growth: number;
  readonly sent: number;
  readonly peak: number;
  readonly origin: Origin;
};

/** What a chosen range of calls came to. */
export function rangeSums(view: LoadView, { from, to }: Span): RangeSums {
  const calls = view.calls.slice(from, to);
  const before = view.prompts[from - 1] ?? 0;
  return {
    calls: calls.length,
    growth: (calls.at(-1)?.prompt ?? 0) - before,
    sent: calls.reduce((sum, call) => sum + call.prompt, 0),
    peak: calls.reduce((most, call) => Math.max(most, call.prompt), 0),
    origin: calls.every((call) => call.origin === "reported") ? "reported" : "estimated",
  };
}

/** `from-to` in call numbers, as the URL keeps it. */
export function spanOf(text: string | null, view: LoadView): Span | null {
  const match = /^(\d{1,7})-(\d{1,7})$/u.exec(text ?? "");
  if (!match) return null;
  const from = Math.min(Number(match[1]), Number(match[2])) - 1;
  const to = Math.max(Number(match[1]), Number(match[2]));
  return from >= 0 && to <= view.calls.length && to > from ? { from, to } : null;
}

export const spanText = (span: Span | null): string | null => (span === null ? null : `${span.from + 1}-${span.to}`);

/** What fits beside a step: the last part of a tool's path, or the first words. */
export function shortLabel(label: string): string {
  const words = label.split(/\s+/u);
  const path = words.length <= 2 ? (words.at(-1) ?? "") : "";
  const name = path.includes("/") ? (path.replace(/\/+$/u, "").split("/").at(-1) ?? path) : label;
  return name.length > 28 ? `${name.slice(0, 27)}…` : name;
}
