"use client";
import type { ReactNode } from "react";
import { formatCount } from "../ui/format.ts";
import { SearchField } from "../ui/search-field.tsx";
import { MOST_ROWS } from "./fleet-labels.ts";

type ListHeadProps = {
  title: string;
  /** What its search is called. */
  search: string;
  words: string;
  onWords: (words: string) => void;
  found: number;
  children?: ReactNode;
};

/** The head of a list of the fleet, with its search; how many are drawn is said where not all are. */
export function ListHead({ title, search, words, onWords, found, children }: ListHeadProps) {
  return (
    <div className="flex flex-wrap items-end gap-x-3 gap-y-2 pb-2">
      <h2 className="text-15 font-semibold">{title}</h2>
      {children}
      <span className="flex-1" />
      {found > MOST_ROWS && (
        <span className="text-12 text-ink-3">The first {MOST_ROWS} are shown: search for others.</span>
      )}
      <SearchField
        label={search}
        group="Fleet"
        value={words}
        onChange={onWords}
        found={words.trim() === "" ? null : formatCount(found, "row")}
      />
    </div>
  );
}
