"use client";
import { useQueryStates } from "nuqs";
import { choiceParsers, type Choices } from "./session-filters.ts";

/**
 * The reader's choices in the URL. Each is a step that Back undoes; typing is not. `isCompact`: the density that this
 * browser had last, where the address names none.
 */
export function useChoices(isCompact: boolean) {
  const [choices, choose] = useQueryStates(choiceParsers, { history: "push" });
  return [{ ...choices, dense: choices.dense ?? isCompact } satisfies Choices, choose] as const;
}

export type Choose = ReturnType<typeof useChoices>[1];
