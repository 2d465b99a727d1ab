"use client";
// The one query bar: words, and fields that are completed while they are typed.
import { Search } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { useTypedEarly } from "../ui/use-typed-early.ts";
import { CompletionList, useCompletions } from "./query-completions.ts";

type QueryBarProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** The group of its shortcut in the list that `?` shows. */
  group: string;
  /** What was found, in words: its place is there before, so that a screen reader says them. */
  found?: string | false | undefined;
  /** It is what the page is for: wide, with the focus, and Down leads to the first result. */
  page?: { readonly onDown: () => void };
};

export function QueryBar({ label, value, onChange, group, found, page }: QueryBarProps) {
  const field = useRef<HTMLInputElement>(null);
  useTypedEarly(field, value, onChange);
  const completions = useCompletions(value, onChange, field);
  const isPage = page !== undefined;
  useShortcuts(
    useMemo<Shortcut[]>(
      () => [{ keys: "/", label, group, run: () => field.current?.[isPage ? "select" : "focus"]() }],
      [label, group, isPage],
    ),
  );
  useEffect(() => {
    if (isPage) field.current?.focus();
  }, [isPage]);
  const onKeyDown = (event: React.KeyboardEvent<HTMLInputElement>) => {
    if (completions.onKey(event)) return;
    if (event.key === "Escape") {
      onChange("");
      if (!isPage) event.currentTarget.blur();
    } else if (event.key === "ArrowDown" && isPage) page.onDown();
    else if (event.key === "Enter") completions.close();
    else return;
    event.preventDefault();
  };
  return (
    <search
      className={`relative min-w-0 ${isPage ? "flex-1 max-sm:basis-full" : "w-80 max-w-full max-[720px]:flex-1"}`}
    >
      <label
        className={`flex items-center gap-2 rounded-2 border border-line-strong bg-raised text-ink-3 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:border-control ${isPage ? "h-9 px-3" : "h-7 px-2"}`}
      >
        <Search size={isPage ? 15 : 14} aria-hidden="true" className="flex-none" />
        <input
          ref={field}
          type="search"
          aria-label={label}
          {...completions.props}
          value={value}
          maxLength={isPage ? 2000 : 1000}
          placeholder={isPage ? 'words, "a phrase", /regex/, tool:Bash, is:error' : label}
          onKeyDown={onKeyDown}
          className={`min-w-0 flex-1 bg-transparent text-ink outline-none [&::-webkit-search-cancel-button]:hidden ${isPage ? "text-15 max-sm:text-13" : "text-13"}`}
        />
        <output className="flex-none text-12" aria-label="Found">
          {found}
        </output>
      </label>
      {completions.isOpen && <CompletionList completions={completions} width={isPage ? "w-120" : "w-96"} />}
    </search>
  );
}
