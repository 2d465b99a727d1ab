"use client";
// One pattern through the artifacts that are listed, or through those that are selected. It runs on Enter: a search through an
// archive is not made for every key.
import { Search as SearchIcon, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { GrepManyRun } from "#lib/wire/grep-many-schema.ts";
import { FLAGS, NO_OPTIONS, readWords, wordsFor, type GrepChoice } from "../grep/grep-words.ts";
import { useGrepWords, usePattern } from "../lines/grep-state.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { ContentsResults } from "./contents-results.tsx";
import { ContentsSearch, NOTHING_FOUND } from "./contents-search.ts";

export type ContentsScope = {
  readonly filter: Partial<GrepManyRun["filter"]>;
  /** Pointers of what is selected; empty: all that is listed. */
  readonly chosen: readonly string[];
  /** How many artifacts are listed. */
  readonly total: number;
};

type ContentsPanelProps = { scope: ContentsScope; onClose: () => void };

export function ContentsPanel({ scope, onClose }: ContentsPanelProps) {
  const [pattern, setPattern] = usePattern();
  const [text, setText] = useGrepWords();
  const [typed, setTyped] = useState(pattern);
  const [again, setAgain] = useState(0);
  const read = readWords(text);
  const choice = typeof read === "string" ? NO_OPTIONS : read;
  const field = useRef<HTMLInputElement>(null);
  const run = JSON.stringify({
    pattern,
    options: typeof read === "string" ? text.split(" ") : wordsFor(choice),
    ...(scope.chosen.length > 0 ? { artifacts: scope.chosen } : { filter: scope.filter }),
  });
  const search = useMemo(
    () => (pattern === "" ? null : new ContentsSearch(JSON.parse(run) as GrepManyRun)),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- asked again, the same search is another
    [pattern, run, again],
  );
  const found = useSyncExternalStore(
    search?.subscribe ?? never,
    search?.snapshot ?? (() => NOTHING_FOUND),
    () => NOTHING_FOUND,
  );
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: "c", label: "Search in contents", group: "Artifacts", run: () => field.current?.select() }],
    [],
  );
  useShortcuts(shortcuts);
  useEffect(() => field.current?.focus(), []);
  const begin = () => {
    if (typed === pattern) setAgain((times) => times + 1);
    else void setPattern(typed === "" ? null : typed);
  };
  const change = (next: Partial<GrepChoice>) => {
    const words = wordsFor({ ...choice, ...next }).join(" ");
    void setText(words === "" ? null : words);
  };
  return (
    <>
      <search className="flex flex-none flex-wrap items-center gap-x-1.5 gap-y-1 border-y border-line bg-sunk px-6 py-1.5 text-12 max-md:px-4">
        <label className="flex h-7 min-w-50 flex-1 items-center gap-2 rounded-2 border border-line-strong bg-raised px-2 text-ink-3 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:border-control">
          <SearchIcon size={14} aria-hidden="true" />
          <span className="sr-only">Pattern</span>
          <input
            ref={field}
            type="search"
            value={typed}
            maxLength={LIMITS.grepPatternChars}
            placeholder="error|warn, an extended regular expression"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return;
              if (event.key === "Enter") begin();
              else if (event.key === "Escape") {
                event.preventDefault();
                event.currentTarget.blur();
              }
            }}
            className="mono min-w-0 flex-1 bg-transparent text-12 text-ink outline-none [&::-webkit-search-cancel-button]:hidden"
          />
        </label>
        <fieldset className="flex flex-wrap items-center gap-0.5">
          <legend className="sr-only">Options</legend>
          {FLAGS.filter(({ letter }) => SHOWN.has(letter)).map(({ letter, name, label, about }) => (
            <Chip
              key={letter}
              on={choice[name]}
              title={about}
              aria-label={`${about} (-${letter})`}
              onClick={() => change({ [name]: !choice[name] })}
            >
              <span className="mono">-{letter}</span>
              <span className="font-normal max-xl:hidden">{label}</span>
            </Chip>
          ))}
        </fieldset>
        <Button
          small
          kind="primary"
          disabled={typed === ""}
          title={typed === "" ? "Type a pattern" : undefined}
          onClick={begin}
        >
          Search {scopeWords(scope)}
        </Button>
        <IconButton label="Close the search" className="size-6" onClick={onClose}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      </search>
      {typeof read === "string" && (
        <div className="px-6 py-2 max-md:px-4">
          <Failure code="invalid" title="An option is not known">{`${read}. Choose from those above.`}</Failure>
        </div>
      )}
      {search !== null && (
        <ContentsResults
          found={found}
          pattern={pattern}
          words={text.split(/\s+/u).filter(Boolean)}
          onStop={() => search.stop()}
          onAgain={() => setAgain((times) => times + 1)}
        />
      )}
    </>
  );
}

const SHOWN: ReadonlySet<string> = new Set(["i", "w", "F"]);
const never = () => () => {};

const scopeWords = ({ chosen, total }: ContentsScope): string =>
  chosen.length > 0 ? `${formatCount(chosen.length, "selected", "selected")}` : formatCount(total, "artifact");
