// An entry of the ledger as the item that is told of it, once its tokens are decided.
import { TIGHT, type ConstantsTable } from "./constants.ts";
import type { Entry } from "./entries.ts";
import type { LedgerItem } from "./ledger-types.ts";

/** By the call that it came with, then by position in the prompt: what is hidden stands first. */
export const inPrompt = (a: LedgerItem, b: LedgerItem): number =>
  a.from - b.from ||
  Number(b.kind === "prefix" && b.isHidden) - Number(a.kind === "prefix" && a.isHidden) ||
  orderOf(a) - orderOf(b);
const orderOf = (item: LedgerItem): number => item.seq ?? Number.MAX_SAFE_INTEGER;

export function itemOf(entry: Entry, constants: ConstantsTable): LedgerItem {
  const { seq, kind, itemClass, toolName, label, from, to, grade, basis } = entry;
  return {
    seq,
    kind,
    itemClass,
    toolName,
    label,
    from,
    to,
    estimated: Math.round(entry.tokens),
    tokens: entry.whole,
    basis,
    grade,
    plusMinus: plusMinusOf(entry, constants),
    isHidden: seq === null,
  };
}

export function plusMinusOf({ family, itemClass, grade, whole }: Entry, constants: ConstantsTable): number {
  const spread = constants[family].spread[itemClass];
  return Math.ceil(whole * (grade === "exact" ? 0 : grade === "tight" ? Math.min(spread, TIGHT) : spread));
}
