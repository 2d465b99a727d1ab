// What the calibration says, in words.
import type { Family, ItemClass } from "#lib/kernel/load/ledger-types.ts";
import type { CalibrationAnswer, Compared } from "#lib/wire/calibration-schema.ts";
import type { CalibrationRun } from "#lib/wire/calibration-run-schema.ts";
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

/** The errors of the constants in use. Where nothing was fitted these are the shipped ones, as the ledger applies them. */
export const inUse = (row: Compared, isFitted: boolean): Compared["current"] => (isFitted ? row.current : row.shipped);

/** What may be claimed: constants that were fitted to a session are never judged by that session. */
export const heldOut = (row: Compared, isFitted: boolean): Compared["current"] | null =>
  isFitted ? row.fitted : row.shipped;

/** The most used family, in one sentence: an average over tokenizers would say nothing of any. */
export function headline({ families, transitions }: CalibrationAnswer): string | null {
  const most = families
    .filter((one) => one.charsOver4.wape !== null)
    .toSorted((a, b) => b.transitions - a.transitions)[0];
  const error = most === undefined ? null : (heldOut(most, most.isFitted)?.wape ?? null);
  if (most === undefined || error === null) return null;
  const sessions = families.reduce((sum, one) => sum + one.sessions, 0);
  const of = families.length > 1 ? ` of ${FAMILY_WORDS[most.family]}, the most used here,` : "";
  return `Estimates miss ${formatError(error)} of what prompts${of} grow by; characters ÷ 4 would miss ${formatError(most.charsOver4.wape!)}. Measured on ${formatCount(transitions, "transition")} of ${formatCount(sessions, "session")}.`;
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
