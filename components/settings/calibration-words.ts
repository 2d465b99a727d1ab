// What the calibration says, in words.
import type { Family, ItemClass } from "#lib/kernel/load/types.ts";
import type { CalibrationAnswer, Compared } from "#lib/wire/calibration.ts";
import type { CalibrationRun } from "#lib/wire/calibration-run.ts";
import { formatCount, formatTokens } from "../ui/format.ts";

export const FAMILY_WORDS: Readonly<Record<Family, string>> = {
  "claude-4": "Claude up to 4.6",
  "claude-5": "Claude 5 and later",
  openai: "OpenAI",
  other: "Other models",
};

export const CLASS_WORDS: Readonly<Record<ItemClass, string>> = {
  result: "Tool results",
  call: "Tool calls",
  assistant: "Assistant text",
  user: "User text",
  reasoning: "Reasoning",
  note: "Reminders and notes",
  listing: "Lists of tools",
  summary: "Summaries",
};

/** `9.4 %` with a thin space: a tenth of a percent is what a fit moves. */
export const formatError = (wape: number): string => `${(wape * 100).toFixed(1)}\u2009%`;

/** `× 1.101 + 26`: tokens of a text as they were counted, and what is around it. */
export const formatWeighting = ({ perToken, base }: { perToken: number; base: number }): string =>
  `× ${perToken.toFixed(3)} + ${base.toFixed(base % 1 === 0 ? 0 : 1)}`;

/** The errors of several rows as one, weighed by their transitions: what a family's rows come to. */
export function headline({ families, transitions }: CalibrationAnswer): string | null {
  const known = families.filter(({ current, charsOver4 }) => current.wape !== null && charsOver4.wape !== null);
  if (known.length === 0) return null;
  const least = known.toSorted((a, b) => a.transitions - b.transitions).at(-1)!;
  const sessions = families.reduce((sum, one) => sum + one.sessions, 0);
  const rest = known.length > 1 ? ` (${FAMILY_WORDS[least.family]}, the most used)` : "";
  return `Estimates miss ${formatError(least.current.wape!)} of what prompts grow by${rest}; characters ÷ 4 would miss ${formatError(least.charsOver4.wape!)}. Measured on ${formatCount(transitions, "transition")} of ${formatCount(sessions, "session")}.`;
}

/** Why nothing can be fitted, or null when something can. */
export function fitRefusal(answer: CalibrationAnswer): string | null {
  if (answer.families.some(({ family, missing }) => family !== "other" && missing === 0)) return null;
  const nearest = answer.families
    .filter(({ family }) => family !== "other")
    .toSorted((a, b) => a.missing - b.missing)[0];
  return nearest === undefined
    ? `A fit needs ${formatTokens(answer.leastTransitions)} transitions of one kind of model; there are none yet.`
    : `A fit needs ${formatTokens(answer.leastTransitions)} transitions of one kind of model; ${FAMILY_WORDS[nearest.family]} has ${formatTokens(nearest.transitions)}, ${formatTokens(nearest.missing)} are missing.`;
}

/** What runs, as a line beside its progress. */
export function runningWords({ do: what, done, total }: NonNullable<CalibrationRun["running"]>): string {
  const verb = { look: "Measuring", fit: "Fitting", reset: "Going back, and measuring" }[what];
  return done === null || total === null
    ? `${verb}: waiting for its turn…`
    : `${verb}: ${formatTokens(done)} of ${formatCount(total, "session")}…`;
}

/** The smallest error of a row, so that it can be set off. */
export function bestOf(row: Pick<Compared, "charsOver4" | "shipped" | "current" | "fitted">): number | null {
  const known = [row.charsOver4.wape, row.shipped.wape, row.current.wape, row.fitted?.wape ?? null].filter(
    (wape) => wape !== null,
  );
  return known.length === 0 ? null : Math.min(...known);
}
