// What an event weighs and which calls carried it, for every page, command and route: the session's ledger says it, and
// nothing else does. What a tokenizer alone counts of the text stands beside it as `textTokens`.
import { COUNTED, familyOf } from "#lib/kernel/load/constants.ts";
import { estimateEvent } from "#lib/kernel/load/estimate.ts";
import { originOf, type WeightOrigin } from "#lib/kernel/load/token-origin.ts";
import { firstAfter } from "#lib/kernel/load/residency.ts";
import type { Family, ItemClass, LedgerItem, WeighedEvent } from "#lib/kernel/load/ledger-types.ts";
import type { Archive } from "../base/archive-type.ts";
import { missingCounts } from "./count-tokens.ts";
import { countedLedgerOf, freshLedgerOf, ledgerOf, type LedgerRows } from "./load-facts.ts";
import { remembered } from "../base/session-rows.ts";

export type EventWeight = {
  /** On the scale of the prompts that were reported. */
  readonly tokens: number;
  readonly origin: WeightOrigin;
  /** What a tokenizer counts of its text alone, or its bytes make likely; images and signatures not among it. */
  readonly textTokens: number;
  /** First call that was sent it and the last, by number; null when none was. */
  readonly enteredAt: number | null;
  readonly lastCall: number | null;
  readonly callsResident: number;
};

export type Weights = {
  /** Of an event that no model is sent it is nothing. */
  readonly of: (seq: number) => EventWeight;
  /** True when a prompt made right after the event `upTo` does not hold the event any more, whatever the log says. */
  readonly hasLeft: (seq: number, upTo: number) => boolean;
  /** What of a call's prompt stands before the conversation and in no event before the call, by its number; null for a call that is not there. */
  readonly prefixOf: (call: number) => number | null;
  /** A text that is in no event yet, as it would weigh in the session's next prompt. */
  readonly ofText: (itemClass: ItemClass, textTokens: number) => number;
};

export const NO_WEIGHT: EventWeight = {
  tokens: 0,
  origin: "counted",
  textTokens: 0,
  enteredAt: null,
  lastCall: null,
  callsResident: 0,
};

/** As the archive's counts make it; kept for as long as the session does not change. */
export const weightsOf = (archive: Archive, pk: number): Weights =>
  remembered(archive, "weights", pk, () => makeWeights(ledgerOf(archive, pk)));

/** The same, not kept: inside a write that may yet be taken back. */
export const freshWeightsOf = (archive: Archive, pk: number): Weights => makeWeights(freshLedgerOf(archive, pk));

/** The same with every text counted, those too that the background pass has not come to. */
export const countedWeightsOf = (archive: Archive, pk: number): Promise<Weights> =>
  remembered(archive, "counted-weights", pk, async () => {
    const counts = await missingCounts(archive, pk);
    return counts.size === 0 ? weightsOf(archive, pk) : makeWeights(countedLedgerOf(archive, pk, counts));
  });

export function makeWeights({ ledger, calls, standing, others, constants, format }: LedgerRows): Weights {
  // More than one stay where a compaction that took it was undone: the item is the last one.
  const items = new Map<number, LedgerItem>();
  const earlier = new Map<number, { readonly from: number; readonly calls: number }>();
  for (const item of ledger.items) {
    if (item.seq === null) continue;
    const before = items.get(item.seq);
    if (before !== undefined) {
      const { from, calls: sent } = earlier.get(item.seq) ?? { from: before.from, calls: 0 };
      earlier.set(item.seq, { from, calls: sent + before.to - before.from });
    }
    items.set(item.seq, item);
  }
  const unsent = new Map<number, LedgerItem>();
  for (const item of ledger.unsent ?? []) if (item.seq !== null) unsent.set(item.seq, item);
  const text = new Map<number, WeighedEvent>();
  for (const event of [...standing, ...others]) text.set(event.seq, event);
  const starts = calls.map(({ firstSeq }) => firstSeq);
  const isCounted = constants === COUNTED;
  const last: Family = ledger.calls.at(-1)?.family ?? familyOf(null, format);

  function of(seq: number): EventWeight {
    const event = text.get(seq);
    if (event === undefined) return NO_WEIGHT;
    const { textTokens } = event;
    const item = items.get(seq);
    if (item === undefined) {
      const known = unsent.get(seq);
      const tokens = known?.tokens ?? Math.round(estimateEvent(event, constants[last]).tokens);
      return {
        ...NO_WEIGHT,
        tokens,
        origin: known === undefined ? "estimated" : originOf(known, isCounted),
        textTokens,
      };
    }
    return {
      tokens: item.tokens,
      origin: originOf(item, isCounted),
      textTokens,
      enteredAt: calls[earlier.get(seq)?.from ?? item.from]!.call,
      lastCall: calls[item.to - 1]!.call,
      callsResident: item.to - item.from + (earlier.get(seq)?.calls ?? 0),
    };
  }

  const prefixes = new Map(ledger.calls.map(({ call, prefix }) => [call, prefix]));
  // Copied calls were sent parts whose events stand behind them.
  for (const { seq, since } of standing) {
    const item = since === undefined ? undefined : items.get(seq);
    for (const { call, firstSeq } of item === undefined ? [] : ledger.calls.slice(item.from, item.to))
      if (firstSeq < seq) prefixes.set(call, prefixes.get(call)! + item!.tokens);
  }
  return {
    of,
    prefixOf: (call) => prefixes.get(call) ?? null,
    hasLeft: (seq, upTo) => {
      const item = items.get(seq);
      return item !== undefined && item.to < calls.length && item.to <= firstAfter(starts, upTo);
    },
    ofText: (itemClass, textTokens) => {
      const { perToken, base } = constants[last].classes[itemClass];
      return Math.round(textTokens * perToken + base);
    },
  };
}
