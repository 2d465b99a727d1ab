"use client";
// The one query bar: words, and fields that are completed while they are typed.
import { Search } from "lucide-react";
import { useEffect, useId, useMemo, useRef, useState } from "react";
import type { SearchAnswer } from "#lib/wire/search-schema.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { completed, completionsAt, type Completion } from "./query-parts.ts";

type QueryBarProps = {
  value: string;
  onChange: (value: string) => void;
  facets: SearchAnswer["facets"] | undefined;
  /** The first result, from the field. */
  onDown: () => void;
};

export function QueryBar({ value, onChange, facets, onDown }: QueryBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  const moveTo = useRef<number | null>(null);
  const found = caret === null ? null : completionsAt(value, caret, facets);
  const options = found?.options ?? [];
  const isOpen = options.length > 0;
  useShortcuts(
    useMemo<Shortcut[]>(
      () => [{ keys: "/", label: "Search", group: "Search", run: () => field.current?.select() }],
      [],
    ),
  );
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (moveTo.current === null) return;
    field.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = null;
  });
  const take = ({ insert }: Completion) => {
    const next = completed(value, found!, insert);
    moveTo.current = next.caret;
    setCaret(next.caret);
    setChosen(-1);
    onChange(next.q);
    field.current?.focus();
  };
  const step = (by: number) =>
    setChosen((now) => (now + by + options.length + (now < 0 && by < 0 ? 1 : 0)) % options.length);
  const onKeyDown = (event: React.KeyboardEvent) => {
    const picked = options[chosen];
    if (event.key === "Escape") {
      if (isOpen) setCaret(null);
      else onChange("");
    } else if (event.key === "ArrowDown") {
      if (isOpen) step(1);
      else onDown();
    } else if (event.key === "ArrowUp" && isOpen) step(-1);
    else if ((event.key === "Enter" && picked !== undefined) || (event.key === "Tab" && isOpen && !event.shiftKey))
      take(picked ?? options[0]!);
    else if (event.key === "Enter") setCaret(null);
    else return;
    event.preventDefault();
  };
  return (
    <search className="relative min-w-0 flex-1">
      <label className="flex h-9 items-center gap-2 rounded-2 border border-line-strong bg-raised px-3 text-ink-3 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:border-control">
        <Search size={15} aria-hidden="true" className="flex-none" />
        <span className="sr-only">Search everything</span>
        <input
          ref={field}
          type="search"
          role="combobox"
          aria-expanded={isOpen}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={isOpen && chosen >= 0 ? `${list}-${chosen}` : undefined}
          value={value}
          maxLength={2000}
          placeholder={'words, "a phrase", /regex/, tool:Bash, is:error'}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => {
            onChange(event.target.value);
            setCaret(event.target.selectionStart);
            setChosen(-1);
          }}
          onBlur={() => setCaret(null)}
          onKeyDown={onKeyDown}
          className="min-w-0 flex-1 bg-transparent text-15 text-ink outline-none max-sm:text-13 [&::-webkit-search-cancel-button]:hidden"
        />
      </label>
      <div
        id={list}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a datalist completes a whole field, not the word at its caret
        role="listbox"
        aria-label="Completions"
        hidden={!isOpen}
        className="absolute top-full left-0 z-20 mt-1 max-h-80 w-120 max-w-full overflow-auto rounded-2 border border-line bg-raised p-1 shadow-float"
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
            <span className="mono min-w-0 truncate">
              <SafeText text={option.insert.trim()} />
            </span>
            <span className="min-w-0 flex-1 truncate text-12 text-ink-2">{option.about}</span>
          </div>
        ))}
      </div>
    </search>
  );
}
