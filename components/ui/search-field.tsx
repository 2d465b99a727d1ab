"use client";
import { Search } from "lucide-react";
import { useMemo, useRef } from "react";
import { useShortcuts, type Shortcut } from "./keys.ts";

type SearchFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What was found, in words: its place is there before, so that a screen reader says them. */
  found: string | null;
  /** The group of its shortcut in the list that `?` shows. */
  group: string;
};

/** The search of a page: `/` goes there, Escape empties it. */
export function SearchField({ label, value, onChange, found, group }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: "/", label, group, run: () => field.current?.focus() }],
    [label, group],
  );
  useShortcuts(shortcuts);
  return (
    <label className="flex h-7 w-80 max-w-full items-center gap-2 rounded-2 border border-line-strong bg-raised px-2 text-ink-3 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:border-control">
      <Search size={14} aria-hidden="true" />
      <input
        ref={field}
        type="search"
        aria-label={label}
        value={value}
        placeholder={label}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          onChange("");
          event.currentTarget.blur();
        }}
        className="min-w-0 flex-1 bg-transparent text-13 text-ink outline-none [&::-webkit-search-cancel-button]:hidden"
      />
      <output className="flex-none text-12" aria-label="Found">
        {found}
      </output>
    </label>
  );
}
