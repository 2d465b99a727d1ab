"use client";
// One item: what it says, how much it matters, where it came from, and what may be done with it. Nothing that is changed or
// deleted is gone: its history keeps what it was.
import { Pin } from "lucide-react";
import { useRef, useState, Fragment } from "react";
import type { MemoryItemRow, MemoryHistory } from "#lib/wire/memory-schema.ts";
import { EventLinks } from "../shared/event-links.tsx";
import { useMemoryState } from "../shared/url-state.ts";
import { useWrites } from "../ui/access-context.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { ItemForm } from "./item-form.tsx";
import { categoryWords, headOf, pointerParts } from "./memory-view.ts";
import { useMemoryChange } from "./use-memory-changes.ts";
import Link from "next/link";
import { artifactPath } from "../shared/session-queries.ts";
import { hasHidden } from "#lib/kernel/hidden-text.ts";
import { useQuery } from "@tanstack/react-query";
import { useSession } from "../shared/session-context.tsx";
import { historyQuery } from "../shared/memory-queries.ts";

const MADE_BY = {
  compaction: "made by a compaction",
  person: "written by hand",
  agent: "the agent's own",
  summary: "from the agent's summary",
};

type ItemRowProps = {
  item: MemoryItemRow;
  onOpen: (seq: number) => void;
  onLit: (items: readonly MemoryItemRow[]) => void;
};

export function ItemRow({ item, onOpen, onLit }: ItemRowProps) {
  const [open, setOpen] = useState<"edit" | "history" | null>(null);
  const edit = useRef<HTMLButtonElement>(null);
  const change = useMemoryChange();
  const writes = useWrites();
  const isDeleted = item.deletedAt !== null;
  const toggle = (what: "edit" | "history") => setOpen(open === what ? null : what);
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it only lights up its calls on the axis; nothing is done
    <li
      className="border-b border-line px-6 py-2 max-md:px-4 wrap-anywhere target:bg-select"
      id={`item-${item.id}`}
      onMouseEnter={() => onLit([item])}
      onMouseLeave={() => onLit([])}
      onFocus={() => onLit([item])}
      onBlur={() => onLit([])}
    >
      <div className={`flex items-baseline gap-2 ${isDeleted ? "text-ink-3 line-through" : ""}`}>
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
        <span className="inline-flex flex-wrap">
          {!writes ? null : isDeleted ? (
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
              <Button ref={edit} small kind="quiet" aria-expanded={open === "edit"} onClick={() => toggle("edit")}>
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
      {change.error !== null && <RequestFailure error={change.error} title="It stays unchanged" />}
      {open === "edit" && (
        <ItemForm
          first={item}
          onClose={() => {
            setOpen(null);
            edit.current?.focus();
          }}
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
      <span title="Importance: higher comes first">
        salience <b className="font-medium text-ink">{short(item.salience)}</b>
      </span>
      {item.confidence !== null && (
        <span title="Confidence of its author, 0 to 1">
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

// What an item says. Pointers to artifacts lead to them; the summary of many turns shows its beginning.
function ItemText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const head = headOf(text);
  const isLong = head.length < text.length;
  const shown = isOpen ? text : head;
  return (
    <div className="min-w-0 flex-1">
      <p className="whitespace-pre-wrap">
        {pointerParts(shown).map((part, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the parts of one text never move
          <Fragment key={at}>
            {part.pointer ? (
              <Link
                prefetch={false}
                className="link mono underline decoration-line-strong"
                href={artifactPath(part.text)}
              >
                {part.text}
              </Link>
            ) : (
              <SafeText text={part.text} badge={hasHidden(part.text)} />
            )}
          </Fragment>
        ))}
        {isLong && !isOpen && "…"}
      </p>
      {isLong && (
        <button type="button" className="link text-12" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : `Show all ${text.length.toLocaleString("en-US")} characters`}
        </button>
      )}
    </div>
  );
}

const DID: Record<string, string> = {
  add: "Written",
  edit: "Edited",
  pin: "Pinned",
  unpin: "Unpinned",
  delete: "Deleted",
  restore: "Brought back",
  supersede: "Superseded",
};

/** What was done to an item, and what it said before. */
function ItemHistory({ item }: { item: string }) {
  const { id } = useSession();
  const history = useQuery(historyQuery(id, item));
  if (history.error) return <RequestFailure error={history.error} title="The history could not be read" />;
  if (history.data === undefined) return <p className="h-5" aria-busy="true" />;
  const { changes } = history.data;
  if (changes.length === 0) return <p className="mt-1 text-12 text-ink-3">Nothing was changed since it was made.</p>;
  return (
    <ol className="mt-1 text-12" aria-label="History of this item">
      {changes.map((change, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- a list that only grows at its head, drawn anew each time
        <Change key={at} change={change} />
      ))}
    </ol>
  );
}

function Change({ change }: { change: MemoryHistory["changes"][number] }) {
  const { did, before, by, at } = change;
  return (
    <li className="flex gap-3 border-t border-line py-1">
      <span className="w-44 flex-none text-ink-3">
        {DID[did] ?? did}, <When ts={at} />
        {by !== "person" && `, by ${by}`}
      </span>
      {did === "edit" && before !== null && (
        <span className="min-w-0 flex-1 text-ink-2">
          was: <SafeText text={before.text} />
          <span className="text-ink-3">
            {" "}
            (salience {before.salience}
            {before.tags.length > 0 && `, ${before.tags.map((tag) => `#${tag}`).join(" ")}`})
          </span>
        </span>
      )}
    </li>
  );
}
