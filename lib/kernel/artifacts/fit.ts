// Which messages of a history fit a window before a provider is asked: the newest, and always from the last message of
// the user on. It estimates, so it leaves a tenth of the window and room for the answer.
import { fail } from "../errors.ts";

/** Characters of a token where nothing was counted. */
const CHARS_PER_TOKEN = 3.6;
/** Share of the budget that estimates may fill. */
const SAFETY = 0.9;
/** Tokens that the answer needs, at least, and its share of the window. */
const LEAST_RESERVE = 1200;
const RESERVE_SHARE = 0.08;

export type FitMessage = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly chars: number;
  /** Counted tokens, where they are known. */
  readonly tokens?: number | null;
};

export type FitReason = "empty" | "invalid-budget" | "under-budget" | "mandatory-tail-only" | "budget-trimmed";

export type FitPlan = {
  readonly reason: FitReason;
  /** The first message that is kept; the number of messages when none is. */
  readonly keepFrom: number;
  readonly keptTokens: number;
  readonly budgetTokens: number;
};

/** What is left for messages in a window, the answer and a margin taken off. */
export function fitBudget(windowTokens: number, otherTokens = 0): number {
  const reserve = Math.max(LEAST_RESERVE, Math.ceil(windowTokens * RESERVE_SHARE));
  return Math.floor((windowTokens - reserve - otherTokens) * SAFETY);
}

/** `otherTokens`: what goes with every request (system text, tool schemas). */
export function planFit(messages: readonly FitMessage[], windowTokens: number, otherTokens = 0): FitPlan {
  const budgetTokens = fitBudget(windowTokens, otherTokens);
  const plan = (reason: FitReason, keepFrom: number): FitPlan => ({
    reason,
    keepFrom,
    keptTokens: messages.slice(keepFrom).reduce((sum, message) => sum + tokensOf(message), 0),
    budgetTokens,
  });
  if (messages.length === 0) return plan("empty", 0);
  const tail = tailStart(messages);
  if (!(budgetTokens > 0)) return plan("invalid-budget", tail);
  const whole = plan("under-budget", 0);
  if (whole.keptTokens <= budgetTokens) return whole;
  let keepFrom = tail;
  for (let left = budgetTokens - plan("budget-trimmed", tail).keptTokens; keepFrom > 0; keepFrom--) {
    left -= tokensOf(messages[keepFrom - 1]!);
    if (left < 0) break;
  }
  // A result without its call is refused by providers: what begins with results begins behind them.
  while (keepFrom < tail && messages[keepFrom]!.role === "tool") keepFrom++;
  return plan(keepFrom === tail ? "mandatory-tail-only" : "budget-trimmed", keepFrom);
}

/** The last message of the user; without one, the last message with the call that a result answers. */
function tailStart(messages: readonly FitMessage[]): number {
  const user = messages.findLastIndex(({ role }) => role === "user");
  if (user >= 0) return user;
  let start = messages.length - 1;
  while (start > 0 && messages[start]!.role === "tool") start--;
  return start;
}

function tokensOf({ chars, tokens }: FitMessage): number {
  const size = tokens ?? Math.ceil(chars / CHARS_PER_TOKEN);
  return Number.isFinite(size) && size >= 0
    ? size
    : fail("invalid", `A message of ${chars} characters cannot be weighed.`);
}
