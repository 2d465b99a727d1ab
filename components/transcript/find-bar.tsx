"use client";
// Find in this session. The server looks, so folded and unloaded text is reached; n and N step through the hits.
import { useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { useDeferredValue, useMemo, useRef } from "react";
import { nextHit } from "./next-hit.ts";
import { findQueryOf } from "../session/queries.ts";
import { useSession } from "../session/session-context.tsx";
import { failureOf } from "../ui/api.ts";
import { ClearChip } from "../ui/chip.tsx";
import { formatCount } from "../ui/format.ts";
import { Kbd } from "../ui/kbd.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";

type FindBarProps = {
  find: string;
  onFind: (text: string) => void;
  /** The hit that is stood on, by its seq. */
  hit: number | null;
  onHit: (seq: number) => void;
};

export function FindBar({ find, onFind, hit, onHit }: FindBarProps) {
  const { id } = useSession();
  const field = useRef<HTMLInputElement>(null);
  const asked = useDeferredValue(find.trim());
  const found = useQuery(findQueryOf(id, asked));
  const seqs = useMemo(() => (asked === "" ? [] : (found.data?.seqs ?? [])), [asked, found.data]);
  const shortcuts = useMemo<Shortcut[]>(() => {
    const step = (by: 1 | -1) => {
      const next = nextHit(seqs, hit, by);
      if (next !== null) onHit(next);
    };
    const group = "Find";
    return [
      { keys: "/", label: "Find in this session", group, run: () => field.current?.select() },
      { keys: "n", label: "Next hit", group, run: () => step(1) },
      { keys: "N", label: "Hit before", group, run: () => step(-1) },
    ];
  }, [seqs, hit, onHit]);
  useShortcuts(shortcuts);
  return (
    <search className="flex h-6 w-58 items-center gap-1.5 rounded-1 border border-line-strong bg-raised px-2 text-12 text-ink-3 focus-within:border-accent">
      <Search size={12} aria-hidden="true" className="flex-none" />
      <input
        ref={field}
        value={find}
        onChange={(event) => onFind(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            const next = nextHit(seqs, hit, event.shiftKey ? -1 : 1);
            if (next !== null) onHit(next);
          }
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
            {found.error
              ? failureOf(found.error).code
              : found.data && asked !== ""
                ? hitWords(seqs, hit, found.data.total, found.data.capped)
                : "…"}
          </output>
          <ClearChip onClear={() => onFind("")} label="Clear what is looked for" />
        </>
      )}
    </search>
  );
}

function hitWords(seqs: readonly number[], hit: number | null, total: number, isCapped: boolean): string {
  const at = hit === null ? -1 : seqs.indexOf(hit);
  const all = `${total.toLocaleString("en-US")}${isCapped ? "+" : ""}`;
  return at < 0 ? (total === 0 ? "none" : formatCount(total, "event")) : `${at + 1} of ${all}`;
}
