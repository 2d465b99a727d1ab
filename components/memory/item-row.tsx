"use client";
// One item: what it says, how much it matters, where it came from, and what may be done with it. Nothing that is changed or
// deleted is gone: its history keeps what it was.
import { Pin } from "lucide-react";
import { useState } from "react";
import type { MemoryItemRow } from "#lib/wire/memory-schema.ts";
import { EventLinks } from "../shared/event-links.tsx";
import { useMemoryState } from "../shared/url-state.ts";
import { failureOf } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { ItemForm } from "./item-form.tsx";
import { ItemHistory } from "./item-history.tsx";
import { ItemText } from "./item-text.tsx";
import { categoryWords } from "./memory-view.ts";
import { useMemoryChange } from "./use-memory-changes.ts";

const MADE_BY = {
  compaction: "made by a compaction",
  person: "written by hand",
  agent: "the agent's own",
  summary: "from the agent's summary",
};

type ItemRowProps = { item: MemoryItemRow; onOpen: (seq: number) => void };

export function ItemRow({ item, onOpen }: ItemRowProps) {
  const [open, setOpen] = useState<"edit" | "history" | null>(null);
  const change = useMemoryChange();
  const isDeleted = item.deletedAt !== null;
  const toggle = (what: "edit" | "history") => setOpen(open === what ? null : what);
  return (
    <li className="memory-item" data-deleted={isDeleted || undefined} id={`item-${item.id}`}>
      <div className="flex items-baseline gap-2">
        <Badge>{item.kind}</Badge>
        {item.pinned && (
          <span className="inline-flex self-center" title="Pinned: a compaction keeps it">
            <Pin size={12} aria-hidden="true" />
            <span className="sr-only">pinned</span>
          </span>
        )}
        <ItemText text={item.text} />
        <Weights item={item} />
      </div>
      <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-12 text-ink-3">
        {item.category !== null && <span className="text-ink-2">{categoryWords(item.category)}</span>}
        {item.tags.map((tag) => (
          <Badge key={tag} tone="quiet">
            <SafeText text={`#${tag}`} />
          </Badge>
        ))}
        <Turns turns={item.turns} />
        {item.seqs.length > 0 && (
          <span>
            from <EventLinks seqs={item.seqs} onOpen={onOpen} most={4} />
          </span>
        )}
        <span title={`Created ${item.createdAt}`}>
          {MADE_BY[item.madeBy]}, <When ts={item.changedAt} />
        </span>
        <span className="flex-1" />
        <span className="memory-actions">
          {isDeleted ? (
            <Button small kind="quiet" onClick={() => change.mutate({ do: "restore", id: item.id })}>
              Bring back
            </Button>
          ) : (
            <>
              <Button
                small
                kind="quiet"
                aria-pressed={item.pinned}
                onClick={() => change.mutate({ do: item.pinned ? "unpin" : "pin", id: item.id })}
              >
                {item.pinned ? "Unpin" : "Pin"}
              </Button>
              <Button small kind="quiet" aria-expanded={open === "edit"} onClick={() => toggle("edit")}>
                Edit
              </Button>
              <Button small kind="quiet" onClick={() => change.mutate({ do: "delete", id: item.id })}>
                Delete
              </Button>
            </>
          )}
          <Button small kind="quiet" aria-expanded={open === "history"} onClick={() => toggle("history")}>
            History
          </Button>
        </span>
      </div>
      {change.error !== null && (
        <Failure code={failureOf(change.error).code} title="It stays as it was">
          {failureOf(change.error).message}
        </Failure>
      )}
      {open === "edit" && (
        <ItemForm
          first={item}
          onClose={() => setOpen(null)}
          changeOf={({ text, salience, tags }) => ({ do: "edit", id: item.id, text, salience, tags: [...tags] })}
        />
      )}
      {open === "history" && <ItemHistory item={item.id} />}
    </li>
  );
}

/** Salience, and how sure whoever made it was. */
function Weights({ item }: { item: MemoryItemRow }) {
  return (
    <span className="flex flex-none gap-3 text-12 text-ink-3 tabular-nums">
      <span title="How much it matters: items with more come first into a context">
        salience <b className="font-medium text-ink">{short(item.salience)}</b>
      </span>
      {item.confidence !== null && (
        <span title="How sure whoever made it was, from 0 to 1">
          confidence <b className="font-medium text-ink">{short(item.confidence)}</b>
        </span>
      )}
    </span>
  );
}

const short = (value: number): string => String(Math.round(value * 100) / 100);

/** Turns narrow the list to what else belongs to them. */
function Turns({ turns }: { turns: readonly number[] }) {
  const [, choose] = useMemoryState();
  if (turns.length === 0) return null;
  const shown = turns.length > 6 ? [turns[0] ?? 0, turns.at(-1) ?? 0] : turns;
  return (
    <span>
      {turns.length === 1 ? "turn" : "turns"}{" "}
      {shown.map((turn, at) => (
        <span key={turn}>
          {at > 0 && (turns.length > 6 ? "–" : ", ")}
          <button
            type="button"
            className="link tabular-nums"
            title={`All that was made from turn ${turn} or recalled into it`}
            onClick={() => void choose({ turn })}
          >
            {turn}
          </button>
        </span>
      ))}
    </span>
  );
}
