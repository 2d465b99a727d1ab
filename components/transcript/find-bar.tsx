"use client";
// Find in this session. The server looks, so folded and unloaded text is reached; n and N step through the occurrences.
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, Search } from "lucide-react";
import Link from "next/link";
import { useDeferredValue, useEffect, useMemo, useRef, type ReactNode } from "react";
import { hitRows, nextRow, positionAmong, rowAt, type HitRow } from "./next-hit.ts";
import { CompletionList, useCompletions } from "../shared/query-completions.ts";
import { askedQuery } from "../ui/typed.ts";
import { findQueryOf, outlineQuery } from "../shared/session-queries.ts";
import { FIRST_HIT, useHitsInRow, useSession } from "../shared/session-context.tsx";
import { failureOf } from "../ui/api.ts";
import { ClearChip } from "../ui/chip.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Kbd } from "../ui/kbd.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { SafeText } from "../ui/safe-text.tsx";

type FindBarProps = {
  find: string;
  onFind: (text: string) => void;
  /** The event that is stood on. */
  event: number | null;
};

export function FindBar({ find, onFind, event }: FindBarProps) {
  const { id, goTo, hits } = useSession();
  const field = useRef<HTMLInputElement>(null);
  const request = useDeferredValue(askedQuery(find));
  const completions = useCompletions(find, onFind, field);
  const found = useQuery(findQueryOf(id, request));
  const outline = useQuery(outlineQuery(id));
  const rows = useMemo(
    () => (request === "" || !found.data ? [] : hitRows(found.data, outline.data)),
    [request, found.data, outline.data],
  );
  const here = rowAt(rows, event);
  const stored = found.data?.stored?.find(({ seq }) => rows[here]?.seqs.includes(seq) === true);
  // Another event or another word: its first occurrence.
  const standsOn = useRef({ event, query: request });
  useEffect(() => {
    if (standsOn.current.event !== event || standsOn.current.query !== request) hits.set(FIRST_HIT);
    standsOn.current = { event, query: request };
  }, [event, request, hits]);

  const step = useMemo(
    () => (by: 1 | -1) => {
      const now = hits.get();
      const next = now.index + by;
      // What is not there yet may hold the next one: it is gone to as it comes.
      if (here >= 0 && next >= 0 && (next < now.shown || now.isPartial)) return hits.set({ ...now, wanted: next });
      const row = nextRow(rows, event, by);
      if (row === null) return;
      standsOn.current = { event: row.seq, query: request };
      hits.set({ ...FIRST_HIT, wanted: by === 1 ? 0 : -1 });
      goTo(row.seq, { align: "auto" });
    },
    [rows, here, event, request, hits, goTo],
  );
  const shortcuts = useMemo<Shortcut[]>(() => {
    const group = "Find";
    return [
      { keys: "/", label: "Find in this session", group, run: () => field.current?.select() },
      { keys: "n", label: "Next hit", group, run: () => step(1) },
      { keys: "N", label: "Previous hit", group, run: () => step(-1) },
    ];
  }, [step]);
  useShortcuts(shortcuts);
  return (
    <search className="relative flex h-6 w-72 min-w-0 items-center gap-1.5 rounded-1 border border-line-strong bg-raised px-2 text-12 text-ink-3 has-[input:focus]:outline-2 has-[input:focus]:outline-offset-1 has-[input:focus]:outline-accent">
      <Search size={12} aria-hidden="true" className="flex-none" />
      <input
        ref={field}
        {...completions.props}
        value={find}
        onKeyDown={(event) => {
          if (completions.onKey(event)) return;
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          if (event.key === "Escape") event.currentTarget.blur();
        }}
        maxLength={1000}
        placeholder="Find in this session"
        aria-label="Find in this session"
        className="min-w-0 flex-1 bg-transparent text-ink outline-none"
      />
      {find === "" ? (
        <Kbd>/</Kbd>
      ) : (
        <>
          <output className="whitespace-nowrap tabular-nums">
            {found.error ? (
              failureOf(found.error).code
            ) : found.data && request !== "" ? (
              <Count rows={rows} here={here} capped={found.data.capped} />
            ) : (
              "…"
            )}
          </output>
          {stored !== undefined && (
            <Link
              prefetch={false}
              className="link whitespace-nowrap"
              href={`/artifacts/${encodeURIComponent(stored.artifact)}?line=${stored.line}`}
              title="Found in the offloaded output: open the artifact at this line"
            >
              line {formatTokens(stored.line)}
            </Link>
          )}
          {rows.length > 0 && (
            <span className="-mx-1 flex flex-none">
              <Step label="Previous hit" onClick={() => step(-1)}>
                <ChevronUp size={13} aria-hidden="true" />
              </Step>
              <Step label="Next hit" onClick={() => step(1)}>
                <ChevronDown size={13} aria-hidden="true" />
              </Step>
            </span>
          )}
          <ClearChip onClear={() => onFind("")} label="Clear what is looked for" />
        </>
      )}
      {completions.isOpen && <CompletionList completions={completions} width="w-96" />}
      {found.error !== null && request !== "" && !completions.isOpen && (
        <p
          role="alert"
          className="absolute top-full left-0 z-20 mt-1 w-96 max-w-[90vw] rounded-2 border border-line bg-raised px-2 py-1.5 text-12 text-ink shadow-float"
        >
          <SafeText text={failureOf(found.error).message} />
        </p>
      )}
    </search>
  );
}

type StepProps = { label: string; onClick: () => void; children: ReactNode };

function Step({ label, onClick, children }: StepProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      onClick={onClick}
      className="grid h-5 w-5 place-items-center rounded-1 hover:bg-sunk hover:text-ink"
    >
      {children}
    </button>
  );
}

/** Occurrences, all of them or the one that is stood on. */
function Count({ rows, here, capped }: { rows: readonly HitRow[]; here: number; capped: boolean }) {
  const { index } = useHitsInRow();
  // An index that is behind, or a pattern that was not tried on all.
  if (rows.length === 0) return capped ? "none so far" : "none";
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const events = rows.reduce((sum, { seqs }) => sum + seqs.length, 0);
  const more = capped ? "+" : "";
  const title = `${formatCount(total, "occurrence")} in ${formatCount(events, "event")}${capped ? ", and more" : ""}`;
  return (
    <span title={title}>
      {here < 0
        ? `${formatTokens(total)}${more} ${total === 1 && !capped ? "hit" : "hits"}`
        : `${formatTokens(positionAmong(rows, here, index))} of ${formatTokens(total)}${more}`}
    </span>
  );
}
