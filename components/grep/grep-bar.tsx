"use client";
// The pattern, its options, and the same search for another program.
import { ChevronDown, Copy, Search as SearchIcon } from "lucide-react";
import { useState, type RefObject } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { buttonClass } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { Menu } from "../ui/menu.tsx";
import { copyOf, type CopyKind } from "./copy-grep.ts";
import { FLAGS, MOST_CONTEXT, wordsFor, type GrepChoice } from "./grep-words.ts";

type GrepBarProps = {
  artifact: ArtifactView;
  pattern: string;
  choice: GrepChoice;
  field: RefObject<HTMLInputElement | null>;
  onPattern: (pattern: string) => void;
  onChoice: (change: Partial<GrepChoice>) => void;
  /** Enter, or Shift and Enter. */
  onEnter: (isBack: boolean) => void;
};

export function GrepBar({ artifact, pattern, choice, field, onPattern, onChoice, onEnter }: GrepBarProps) {
  return (
    <div className="flex flex-none flex-wrap items-center gap-x-1.5 gap-y-1 border-b border-line px-6 py-1.5 text-12 max-md:px-4">
      <label className="flex h-7 min-w-60 flex-1 items-center gap-2 rounded-2 border border-line-strong bg-raised px-2 text-ink-3 focus-within:outline-2 focus-within:outline-offset-1 focus-within:outline-accent hover:border-control">
        <SearchIcon size={14} aria-hidden="true" />
        <span className="sr-only">Pattern</span>
        <input
          ref={field}
          type="search"
          value={pattern}
          maxLength={LIMITS.grepPatternChars}
          placeholder="error|warn, an extended regular expression"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => onPattern(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || (event.key !== "Escape" && event.key !== "Enter")) return;
            // Escape leaves the field; a browser would empty it.
            event.preventDefault();
            if (event.key === "Escape") event.currentTarget.blur();
            else onEnter(event.shiftKey);
          }}
          className="mono min-w-0 flex-1 bg-transparent text-12 text-ink outline-none [&::-webkit-search-cancel-button]:hidden"
        />
      </label>
      <fieldset className="flex flex-wrap items-center gap-0.5">
        <legend className="sr-only">Options</legend>
        {FLAGS.map(({ letter, name, label, about }) => (
          <Chip
            key={letter}
            on={choice[name]}
            title={about}
            aria-label={`${about} (-${letter})`}
            onClick={() => onChoice({ [name]: !choice[name] })}
          >
            <span className="mono">-{letter}</span>
            <span className="font-normal max-2xl:hidden">{label}</span>
          </Chip>
        ))}
        <Context letter="B" label="Lines before" value={choice.before} onPick={(before) => onChoice({ before })} />
        <Context letter="A" label="Lines after" value={choice.after} onPick={(after) => onChoice({ after })} />
        <Context
          letter="C"
          label="Lines around"
          value={choice.before === choice.after ? choice.before : null}
          onPick={(around) => onChoice({ before: around, after: around })}
        />
      </fieldset>
      <CopyGrep artifact={artifact} pattern={pattern} words={wordsFor(choice)} />
    </div>
  );
}

type ContextProps = { letter: string; label: string; value: number | null; onPick: (lines: number) => void };

function Context({ letter, label, value, onPick }: ContextProps) {
  return (
    <label className="flex h-6 items-center gap-1 pl-1.5 text-ink-2" title={`${label} each match (-${letter})`}>
      <span className="mono">-{letter}</span>
      <input
        type="number"
        min={0}
        max={MOST_CONTEXT}
        aria-label={`${label} each match (-${letter})`}
        value={value ?? ""}
        placeholder="–"
        onChange={(event) => {
          const lines = Math.floor(Number(event.target.value));
          if (Number.isFinite(lines)) onPick(Math.max(0, Math.min(MOST_CONTEXT, lines)));
        }}
        className="h-6 w-11 rounded-1 border border-line-strong bg-raised px-1 text-12 text-ink tabular-nums hover:border-control"
      />
    </label>
  );
}

const KINDS: readonly { readonly kind: CopyKind; readonly label: string; readonly about: string }[] = [
  { kind: "grep", label: "grep command", about: "a shell with grep" },
  { kind: "curl", label: "curl", about: "the HTTP door" },
  { kind: "plimsoll", label: "plimsoll grep", about: "our command line" },
  { kind: "mcp", label: "MCP call", about: "tools/call artifact_grep" },
];
const SAID_MS = 1600;

function CopyGrep({ artifact, pattern, words }: { artifact: ArtifactView; pattern: string; words: readonly string[] }) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async ({ kind, label }: (typeof KINDS)[number]) => {
    const text = copyOf(kind, { pointer: artifact.pointer, id: artifact.id, pattern, words }, window.location.origin);
    const isDone = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setSaid(isDone ? `Copied: ${label}` : "The browser did not let it");
    setTimeout(() => setSaid(null), SAID_MS);
  };
  return (
    <Menu
      label="Copy as"
      align="end"
      triggerClass={buttonClass("plain", true)}
      trigger={
        <>
          <Copy size={12} aria-hidden="true" />
          <span aria-live="polite">{said ?? "Copy as"}</span>
          <ChevronDown size={11} aria-hidden="true" className="text-ink-3" />
        </>
      }
      items={KINDS.map((one) => ({
        id: one.kind,
        label: one.label,
        hint: one.about,
        onPick: () => void copy(one),
      }))}
    />
  );
}
