// Numbers in sentences. A number that is estimated begins with a tilde.
import { exactly } from "../exactly.ts";

/** `940`, `24.4k`, `1.17M`, `2.50G`. */
export function shortly(tokens: number): string {
  const size = Math.abs(tokens);
  if (size < 999.5) return String(Math.round(tokens) || 0);
  // 999,950 rounds to 1,000.0k, so it is already a million.
  if (size < 999_950) return `${(tokens / 1e3).toFixed(1)}k`;
  return size < 999_995_000 ? `${(tokens / 1e6).toFixed(2)}M` : `${(tokens / 1e9).toFixed(2)}G`;
}

/** `2k`, `2.5k`: a threshold that somebody chose. */
export const roundly = (tokens: number): string =>
  tokens >= 1000 && tokens % 100 === 0 ? `${tokens / 1000}k` : exactly(tokens);

/** `$0.74`, `$1,204`; a cost that rounds to nothing but is not is `<$0.01`. */
export const dollars = (usd: number): string =>
  usd > 0 && usd < 0.005 ? "<$0.01" : usd >= 999.995 ? `$${exactly(usd)}` : `$${usd.toFixed(2)}`;

/** What stands for dollars where `leastUsd` has none: alone, or on the dash of a cell. */
export const NO_PRICE = "no price known";

/**
 * `$34.22`, and `≥ $7.98` where the true cost is more. Null where no price is known: a cost of at least nothing says nothing.
 * Every page and command that shows a cost asks here.
 */
export function leastUsd(usd: number | null, isPartial: boolean): string | null {
  if (usd === null || (isPartial && usd === 0)) return null;
  if (!isPartial) return dollars(usd);
  return usd < 0.005 ? "> $0.00" : `≥ ${dollars(usd)}`;
}

/** Dollars that could have been saved, `~$0.64` or `≥ $0.64`; null where no price is known. */
export const estimatedUsd = (usd: number | null, isPartial: boolean): string | null =>
  usd === null || isPartial ? leastUsd(usd, isPartial) : `~${dollars(usd)}`;

/** What is just under a limit does not read as the limit. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.5) return "<1 %";
  return `${share < 1 && value >= 99.5 ? 99 : exactly(Math.round(value))} %`;
}

/** What a culprit's cure would have avoided beside the item itself: "lower price tier $0.25, 1 compaction". */
export const alsoWords = (
  also: readonly { readonly what: "tier" | "compaction"; readonly count: number; readonly usd: number | null }[],
): string =>
  also
    .map(({ what, count, usd }) =>
      what === "tier"
        ? `lower price tier${usd === null ? "" : ` ${dollars(usd)}`}`
        : `${exactly(count)} ${count === 1 ? "compaction" : "compactions"}`,
    )
    .join(", ");
