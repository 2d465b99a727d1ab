// What there is to say of one call beside its size: why it is in trouble, and how its cache was lost.
import type { BlowUp, CacheBreak } from "#lib/wire/ledger-schema.ts";
import { formatTokens, formatUsd } from "../ui/format.ts";

export const BLOW_UP_WORDS: Record<BlowUp["kind"], string> = {
  "near-line": "Here it came over 80\u2009% of the load line",
  compaction: "The last call before a compaction",
  overflow: "The prompt was refused: too long",
  jump: "A jump",
};

/** Why the provider did not read this prompt from its cache, and what that cost. */
export function CacheBreakNote({ found }: { found: CacheBreak | undefined }) {
  if (found === undefined) return null;
  return (
    <p className="mt-1 text-ink-2">
      <span aria-hidden="true">◇ </span>
      {found.text} Sent again: {formatTokens(found.tokens, true)} tokens
      {found.usd !== null && found.usd > 0 && `, ${formatUsd(found.usd)} more than read from the cache`}.
    </p>
  );
}
