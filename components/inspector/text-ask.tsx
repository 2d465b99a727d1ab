"use client";
// jq and grep over a text that is no artifact: a record, a short output. jq runs on the server as over a pasted text; grep
// runs here, with the engine that marks matches elsewhere.
import { Search } from "lucide-react";
import { useMemo } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import { GrepList } from "../grep/grep-list.tsx";
import type { GrepLine } from "../grep/grep-search.ts";
import { useFinder, useGrepWords, usePattern } from "../lines/grep-state.ts";
import { JqDesk } from "../playground/jq-desk.tsx";
import { useDesk } from "../playground/use-desk.ts";
import type { Ask } from "../shared/inspector-state.ts";
import { formatCount } from "../ui/format.ts";
import { AskPanel } from "./ask-bar.tsx";
import { matchingLines } from "./matching-lines.ts";

type TextAskProps = {
  ask: Ask;
  /** What grep looks through: lines as they are shown. */
  text: string;
  /** What jq reads: one JSON value after the other. */
  json: string;
};

export function TextAsk({ ask, text, json }: TextAskProps) {
  return <AskPanel label={ask}>{ask === "jq" ? <TextJq key={json} json={json} /> : <TextGrep text={text} />}</AskPanel>;
}

/** The page has a `view` of its own elsewhere. */
const URL_KEYS = { view: "result" };

function TextJq({ json }: { json: string }) {
  const inputs = useMemo(() => [{ text: json }], [json]);
  const desk = useDesk({ inputs, canAsk: true, urlKeys: URL_KEYS });
  return <JqDesk desk={desk} isCompact shape={null} artifact={undefined} instead={null} inputs={null} />;
}

function TextGrep({ text }: { text: string }) {
  const [pattern, setPattern] = usePattern();
  const [words] = useGrepWords();
  const finder = useFinder(pattern, words);
  const lines = useMemo<readonly GrepLine[]>(() => (finder ? matchingLines(text, finder) : []), [text, finder]);
  return (
    <>
      <div className="flex flex-none items-center gap-3 border-b border-line px-4 py-1.5 text-12">
        <label className="flex h-7 min-w-0 flex-1 items-center gap-2 rounded-2 border border-line-strong bg-raised px-2 text-ink-3 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:border-control">
          <Search size={14} aria-hidden="true" />
          <span className="sr-only">Pattern</span>
          <input
            type="search"
            value={pattern}
            maxLength={LIMITS.grepPatternChars}
            placeholder="error|warn, an extended regular expression"
            autoComplete="off"
            spellCheck={false}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- it opens to be typed into
            autoFocus
            onChange={(event) => void setPattern(event.target.value === "" ? null : event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.preventDefault();
              event.currentTarget.blur();
            }}
            className="mono min-w-0 flex-1 bg-transparent text-12 text-ink outline-none [&::-webkit-search-cancel-button]:hidden"
          />
        </label>
        <output className="flex-none text-ink-3">
          {pattern === "" ? "" : finder === null ? "Not a pattern" : formatCount(lines.length, "line")}
        </output>
      </div>
      <GrepList lines={lines} isOld={false} finder={finder} chosen={null} onOpen={() => {}} onStep={() => {}} />
    </>
  );
}
