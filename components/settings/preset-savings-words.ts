// What the presets would have saved, in words.
import type { PresetSavings, PresetSavingsRun } from "#lib/wire/preset-savings-schema.ts";
import { formatCount, formatPercent, formatTokens, formatUsd } from "../ui/format.ts";

type Saved = PresetSavings["presets"][number];

/** Whoever saves less than nothing sends more: the sign says so. */
const signed = (value: number, words: (value: number) => string): string =>
  `${value < 0 ? "−" : ""}${words(Math.abs(value))}`;

export const savedTokens = (tokens: number): string => signed(tokens, (value) => formatTokens(value, true));
export const savedUsd = (usd: number): string => signed(usd, formatUsd);
export const savedShare = (tokens: number, of: number): string => (of === 0 ? "" : signed(tokens / of, formatPercent));

/** On hover: what the figure is, and what is left of it when half of the outputs are read back. */
export const tokensTitle = ({ saved, savedHalfRead }: Saved): string =>
  `Estimated: ${signed(saved.tokens, formatTokens)} prompt tokens when nothing is read back, ${signed(savedHalfRead.tokens, formatTokens)} when half of it is`;

export function usdTitle({ saved, savedHalfRead }: Saved): string | undefined {
  if (saved.usd === null || savedHalfRead.usd === null) return undefined;
  return `Estimated: ${savedUsd(saved.usd)} of input when nothing is read back, ${savedUsd(savedHalfRead.usd)} when half of it is`;
}

/** What runs, beside its progress. */
export const replayingWords = ({ done, total }: NonNullable<PresetSavingsRun["running"]>): string =>
  done === null || total === null
    ? "Replaying: waiting for its turn…"
    : `Replaying: ${formatTokens(done)} of ${formatCount(total, "session")}…`;

/** What was replayed, and what the figures assume. */
export function replayedWords({ sessions, priced, full, promptTokens, unreportedTokens, usd }: PresetSavings): string {
  if (sessions === 0) return "No session was replayed yet.";
  const cost = usd === null ? "" : ` and ${formatUsd(usd)} of input`;
  const without =
    usd !== null && priced < sessions
      ? ` ${formatCount(sessions - priced, "session has", "sessions have")} no price.`
      : "";
  const came =
    full === 0
      ? "None reached its load line"
      : `${formatTokens(full)} came to ${full === 1 ? "its" : "their"} load line`;
  const estimated = unreportedTokens === 0 ? "" : ` (~${formatTokens(unreportedTokens, true)} not reported)`;
  return `Replayed ${formatCount(sessions, "session")} with ${formatTokens(promptTokens, true)} prompt tokens${estimated}${cost}. ${came}.${without} Upper bound: the same turns are assumed.`;
}
