"use client";
import { useQueryStates } from "nuqs";
import { choiceParsers } from "./session-filters.ts";

/** The reader's choices in the URL. Each is a step that Back undoes; typing is not. */
export function useChoices() {
  return useQueryStates(choiceParsers, { history: "push" });
}

export type Choose = ReturnType<typeof useChoices>[1];
