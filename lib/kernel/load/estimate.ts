// What an event weighs before the provider's numbers are looked at. An answer whose output was reported is as large as that,
// parted among its blocks; everything else is its text's tokens under the constants of its class.
import type { Constants } from "./constants.ts";
import type { ItemClass, LedgerCallInput, LedgerItem, WeighedEvent } from "./ledger-types.ts";

export type Estimate = {
  readonly seq: number | null;
  readonly kind: WeighedEvent["category"];
  readonly itemClass: ItemClass;
  readonly toolName: string | null;
  readonly label: string;
  /** Tokens, not rounded. */
  readonly tokens: number;
  readonly basis: LedgerItem["basis"];
  /** The call's output has this block alone: what was reported is its size. */
  readonly isAlone: boolean;
  /** |reported output − own estimate| over the estimate; null where nothing was reported. */
  readonly off: number | null;
};

/** A reported output under half of what its visible blocks weigh was written down before the stream ended. */
const PLACEHOLDER = 0.5;

/** Tokens of one event by the constants of its family. */
export function weightOf(event: WeighedEvent, constants: Constants): number {
  const { perToken, base } = constants.classes[event.itemClass];
  const images = event.imageTokens;
  if (event.itemClass === "reasoning" && event.signatureChars > 0)
    // A signature is never shorter than the words it signs: one that is was cut out of the file.
    return event.signatureChars >= event.bytes
      ? event.signatureChars * constants.perSignatureChar
      : event.bytes * constants.perReasoningByte;
  if (event.itemClass === "reasoning" && event.textTokens === 0) return 0;
  return event.textTokens * perToken + base + images;
}

export function estimateEvent(event: WeighedEvent, constants: Constants): Estimate {
  const isText = event.signatureChars === 0 && event.imageTokens === 0;
  return {
    ...namesOf(event),
    tokens: weightOf(event, constants),
    basis: event.isCounted && isText ? "counted" : "estimated",
    isAlone: false,
    off: null,
  };
}

/** Estimates of what one call wrote, `events` being its blocks. */
export function estimateAnswer(
  call: LedgerCallInput,
  events: readonly WeighedEvent[],
  constants: Constants,
): readonly Estimate[] {
  const weights = events.map((event) => weightOf(event, constants));
  const thought = events.map((event) => event.itemClass === "reasoning");
  const visible = weights.reduce((sum, weight, i) => sum + (thought[i]! ? 0 : weight), 0);
  const { output, reasoning } = call;
  const isSound = call.hasUsage && !call.outputLowerBound && output > 0 && output >= PLACEHOLDER * visible;
  if (!isSound) return events.map((event) => estimateEvent(event, constants));
  const own = weights.reduce((sum, weight) => sum + weight, 0);
  const off = own === 0 ? null : Math.abs(output - own) / own;
  if (reasoning <= 0) return parted(events, weights, output, off, "Answer, not in the file", "assistant");
  const spoken = events.filter((_, i) => !thought[i]!);
  const thoughts = events.filter((_, i) => thought[i]!);
  return [
    ...parted(
      thoughts,
      thoughts.map(({ textTokens }) => textTokens + 1),
      Math.min(reasoning, output),
      null,
      "Reasoning, not in the file",
      "reasoning",
    ),
    ...parted(
      spoken,
      spoken.map((event) => weightOf(event, constants)),
      Math.max(0, output - reasoning),
      visible === 0 ? null : Math.abs(output - reasoning - visible) / visible,
      "Answer, not in the file",
      "assistant",
    ),
  ];
}

/** A reported number parted among blocks by their weights; where no block is in the file, one item stands for it. */
function parted(
  events: readonly WeighedEvent[],
  weights: readonly number[],
  tokens: number,
  off: number | null,
  missing: string,
  kind: "assistant" | "reasoning",
): Estimate[] {
  if (tokens <= 0) return events.map((event) => reported(event, 0, events.length === 1, off));
  if (events.length === 0)
    return [
      {
        seq: null,
        kind,
        itemClass: kind,
        toolName: null,
        label: missing,
        tokens,
        basis: "reported",
        isAlone: true,
        off: null,
      },
    ];
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return events.map((event, i) => {
    const share = sum > 0 ? weights[i]! / sum : 1 / events.length;
    return reported(event, tokens * share, events.length === 1, off);
  });
}

const reported = (event: WeighedEvent, tokens: number, isAlone: boolean, off: number | null): Estimate => ({
  ...namesOf(event),
  tokens,
  basis: "reported",
  isAlone,
  off,
});

const namesOf = ({ seq, category, itemClass, toolName, label }: WeighedEvent) => ({
  seq,
  kind: category,
  itemClass,
  toolName,
  label,
});
