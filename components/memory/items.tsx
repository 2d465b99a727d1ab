"use client";
// The items of a session's memory: what to show of them, and each with where it came from.
import { memo, useMemo } from "react";
import type { MemoryAnswer, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import { MEMORY_KINDS, useMemoryState, type MemoryKind } from "../shared/url-state.ts";
import { Chip } from "../ui/chip.tsx";
import { Facet } from "../ui/facet.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { AddItem } from "./add-item.tsx";
import { ItemRow } from "./item-row.tsx";
import { chosenItems, countsOf, turnsOf } from "./memory-view.ts";

/** More come with a press: a session of 50 compactions holds some thousand. */
const SHOWN = 200;

const NAMES: Record<MemoryKind, string> = {
  all: "All",
  episodic: "Episodic",
  semantic: "Semantic",
  pinned: "Pinned",
  deleted: "Deleted",
};

type ItemsProps = {
  answer: MemoryAnswer;
  turns: ReadonlyMap<number, string>;
  onOpen: (seq: number) => void;
  /** The item that the pointer or the focus is on. */
  onLit: (items: readonly MemoryItemRow[]) => void;
};

export const Items = memo(function Items({ answer, turns, onOpen, onLit }: ItemsProps) {
  const [state, choose] = useMemoryState();
  const counts = useMemo(() => countsOf(answer.items), [answer]);
  const items = useMemo(() => chosenItems(answer.items, state), [answer, state]);
  const withSomething = useMemo(() => turnsOf(answer), [answer]);
  return (
    <section aria-label="Memory items">
      <div className="flex flex-wrap items-center gap-1 px-6 pt-2.5 pb-2 max-md:px-4">
        {MEMORY_KINDS.map((kind) => (
          <Chip
            key={kind}
            on={state.items === kind}
            hint={counts[kind].toLocaleString("en-US")}
            onClick={() => void choose({ items: kind })}
          >
            {NAMES[kind]}
          </Chip>
        ))}
        <Facet
          name="Turn"
          value={state.turn === null ? null : String(state.turn)}
          options={withSomething.map(({ turn, count }) => ({
            value: String(turn),
            label: `${turn} ${shownText(turns.get(turn) ?? "").slice(0, 60)}`,
            count,
          }))}
          onPick={(turn) => void choose({ turn: turn === null ? null : Number(turn) })}
        />
        {state.from !== null && (
          <Chip on onClear={() => void choose({ from: null })} onClick={() => void choose({ from: null })}>
            of one compaction
          </Chip>
        )}
        <span className="flex-1" />
        <AddItem />
      </div>
      {items.length === 0 ? (
        <p className="px-6 py-2 text-ink-3 max-md:px-4">
          {answer.items.length === 0
            ? "No item yet: a compaction makes them, or you write one down."
            : "No item matches the filters."}
        </p>
      ) : (
        <ul>
          {items.slice(0, SHOWN).map((item) => (
            <ItemRow key={item.id} item={item} onOpen={onOpen} onLit={onLit} />
          ))}
        </ul>
      )}
      {items.length > SHOWN && (
        <p className="px-6 py-2 text-12 text-ink-3 max-md:px-4">
          The first {SHOWN} of {items.length.toLocaleString("en-US")} are shown; choose a turn or a compaction to see
          the others.
        </p>
      )}
    </section>
  );
});
