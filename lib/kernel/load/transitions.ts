// The growth between two calls, as a sample for a fit: what came in by class, what the provider had said of it already, what
// left, and what the prompt grew by.
import type { Family, ItemClass, Ledger, WeighedEvent } from "./ledger-types.ts";
import { ITEM_CLASSES } from "./ledger-types.ts";

export type Transition = {
  readonly family: Family;
  readonly model: string;
  readonly session: string;
  /** Sessions that share records are judged together: one must not be fitted on the other. */
  readonly group: string;
  readonly grown: number;
  /** Tokens of answers that were reported, less the estimates of what left. */
  readonly known: number;
  /** Counted tokens and items, class by class in the order of ITEM_CLASSES, then characters of signatures. */
  readonly features: readonly number[];
  /** Bytes of all text that came in: what "characters ÷ 4" would take. */
  readonly bytes: number;
  /** The class that brought four fifths of what is not known, or null. */
  readonly mostly: ItemClass | null;
  /** Tokens that the constants in use said. */
  readonly estimated: number;
};

/** Signature characters come after two numbers a class. */
export const SIGNATURE = 2 * ITEM_CLASSES.length;
export const FEATURES = SIGNATURE + 1;
const MOSTLY = 0.8;

export function transitionsOf(
  ledger: Ledger,
  events: readonly WeighedEvent[],
  names: { readonly session: string; readonly group: string; readonly isOwn: (call: number) => boolean },
): Transition[] {
  const eventOf = new Map(events.map((event) => [event.seq, event]));
  const came = Map.groupBy(ledger.items, ({ from }) => from);
  return ledger.calls.flatMap((call, k): Transition[] => {
    if (call.growthReported === null || call.growthEstimated === null || !names.isOwn(call.call)) return [];
    const features = Array.from({ length: FEATURES }, () => 0);
    const brought = new Map<ItemClass, number>();
    let known = 0 - (call.growthLeft ?? 0);
    let bytes = 0;
    let hasImage = false;
    for (const item of came.get(k) ?? []) {
      if (item.kind === "unattributed" || item.itemClass === null) continue;
      const event = item.seq === null ? undefined : eventOf.get(item.seq);
      bytes += event?.bytes ?? 0;
      if (item.basis === "reported") {
        known += item.estimated;
        continue;
      }
      if (event === undefined) continue;
      hasImage ||= event.imageTokens > 0;
      brought.set(item.itemClass, (brought.get(item.itemClass) ?? 0) + item.estimated);
      const isSigned = event.signatureChars > 0 && event.signatureChars >= event.bytes;
      if (isSigned) features[SIGNATURE]! += event.signatureChars;
      else if (event.signatureChars > 0) known += item.estimated;
      else {
        const at = 2 * ITEM_CLASSES.indexOf(item.itemClass);
        features[at]! += event.textTokens;
        features[at + 1]! += 1;
      }
    }
    // Growth with an image in it is not a sample: its size is a guess.
    if (hasImage) return [];
    const sum = [...brought.values()].reduce((all, one) => all + one, 0);
    return [
      {
        family: call.family,
        model: call.model ?? "unknown",
        session: names.session,
        group: names.group,
        grown: call.growthReported,
        known,
        features,
        bytes,
        mostly: ITEM_CLASSES.find((name) => (brought.get(name) ?? 0) >= MOSTLY * sum && sum > 0) ?? null,
        estimated: call.growthEstimated,
      },
    ];
  });
}
