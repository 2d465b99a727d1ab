// What an item weighs, with all that is known of how well it is known.
import type { Origin } from "#lib/wire/common-schema.ts";
import type { LedgerItemRow } from "#lib/wire/ledger-schema.ts";
import { formatTokens, tokenizerWords } from "../ui/format.ts";

const GRADES: Record<LedgerItemRow["grade"], string> = {
  exact: "exact, from the provider's numbers",
  tight: "tight: the provider's growth confirms it within 10\u2009%",
  estimated: "estimated: the provider's growth does not confirm it closer",
};

type Weighed = Pick<LedgerItemRow, "tokens" | "plusMinus" | "grade"> & Partial<Pick<LedgerItemRow, "textTokens">>;

/** `24,444 ± 480 tokens, counted; tight: …` */
export const weightWords = ({ tokens, plusMinus, grade, textTokens = null }: Weighed, origin: Origin): string =>
  `${formatTokens(tokens)}${plusMinus > 0 ? ` ± ${formatTokens(plusMinus)}` : ""} tokens, ${origin}; ${GRADES[grade]}${tokenizerWords(textTokens)}`;

type WeightProps = { item: Weighed; origin: Origin; short?: boolean };

export function Weight({ item, origin, short = false }: WeightProps) {
  return (
    <span title={weightWords(item, origin)} data-origin={origin} data-grade={item.grade}>
      {origin === "estimated" && <span className="font-normal text-ink-3">~</span>}
      {formatTokens(item.tokens, short)}
      {origin === "counted" && <span className="origin-dot font-bold text-ink-2">·</span>}
      <span className="sr-only">
        {item.plusMinus > 0 ? ` ± ${formatTokens(item.plusMinus)}` : ""}, {item.grade}
      </span>
    </span>
  );
}
