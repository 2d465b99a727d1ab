"use client";
// The list below a query: what can be written next. Fetched with it.
import { SafeText } from "../ui/safe-text.tsx";
import type { Completion } from "./query-choices.ts";

type CompletionListProps = {
  readonly completions: {
    readonly list: string;
    readonly options: readonly Completion[];
    readonly chosen: number;
    readonly take: (completion: Completion) => void;
  };
  readonly width: string;
};

export function CompletionList({ completions: { list, options, chosen, take }, width }: CompletionListProps) {
  return (
    <div
      id={list}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a datalist completes a whole field, not the word at its caret
      role="listbox"
      aria-label="Completions"
      className={`absolute top-full left-0 z-20 mt-1 max-h-80 max-w-[90vw] overflow-auto rounded-2 border border-line bg-raised p-1 shadow-float ${width}`}
    >
      {options.map((option, at) => (
        // The keys are those of the field (aria-activedescendant); a pointer keeps the focus there.
        <div
          key={option.insert}
          id={`${list}-${at}`}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
          role="option"
          tabIndex={-1}
          aria-selected={at === chosen}
          onPointerDown={(event) => {
            event.preventDefault();
            take(option);
          }}
          className="flex min-h-7 cursor-default items-baseline gap-3 rounded-1 px-2 py-1 hover:bg-sunk aria-selected:bg-select"
        >
          <span className="mono min-w-0 truncate text-ink">
            <SafeText text={option.insert.trim()} />
          </span>
          <span className="min-w-0 flex-1 truncate text-12 text-ink-2">{option.about}</span>
        </div>
      ))}
    </div>
  );
}
