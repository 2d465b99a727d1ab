// How a session fared, in the four words that its badge, the list's filter, the verdict and the command line say.
import { exactly } from "../exactly.ts";

export const STATES = ["refused", "compacted", "near", "fine"] as const;
export type SessionState = (typeof STATES)[number];

/** The share of the load line from which a context is near it. */
export const NEAR = 0.8;

export type StateFacts = {
  /** The provider refused a prompt as too long. */
  readonly isRefused: boolean;
  /** Compactions that the agent made by itself: one that a person asked for says nothing of how full it was. */
  readonly automatic: number;
  /** Peak over load line; null where either is unknown. */
  readonly share: number | null;
};

export function stateOf({ isRefused, automatic, share }: StateFacts): SessionState {
  if (isRefused) return "refused";
  if (automatic > 0) return "compacted";
  return share !== null && share >= NEAR ? "near" : "fine";
}

export function stateWords(state: SessionState, automatic: number): string {
  if (state === "compacted") return `Compacted ${exactly(automatic)}× (automatic)`;
  return { refused: "Refused", near: "Near the limit", fine: "Fine" }[state];
}

/** Agents write who asked: `auto`, or `manual`, a command, the user. Where none is written it was the agent. */
export const isAutomatic = (trigger: string | null): boolean =>
  trigger === null || !/manual|user|command/i.test(trigger);
