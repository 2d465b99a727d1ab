"use client";
// Epochs, and what parts them. A compaction chosen here narrows the items to those that it made.
import Link from "next/link";
import { memo, useMemo, useState } from "react";
import type { CompactionRow, MemoryAnswer } from "#lib/wire/memory-schema.ts";
import { compactionSizes } from "../shared/load-view.ts";
import { CompactLink, compactHref } from "../shared/compact-link.tsx";
import { EventLinks } from "../shared/event-links.tsx";
import { useLoad } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { useMemoryState } from "../shared/url-state.ts";
import { useWrites } from "../ui/access-context.ts";
import { Badge } from "../ui/badge.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { GivenText } from "./given-text.tsx";
import { canUndo, stateOf, timeline, type Epoch } from "./memory-view.ts";
import { useUndo } from "./use-memory-changes.ts";

type TimelineProps = { answer: MemoryAnswer; onOpen: (seq: number) => void };

export const Timeline = memo(function Timeline({ answer, onOpen }: TimelineProps) {
  const { view } = useLoad(useSession().id);
  const sizes = useMemo(() => (view ? compactionSizes(view) : new Map<number, Size>()), [view]);
  const plans = answer.compactions.filter((one) => one.kind === "plan" && canUndo(one)).length;
  return (
    <aside
      className="min-h-0 overflow-y-auto border-r border-line pt-3 pb-6 max-[900px]:overflow-visible max-[900px]:border-r-0 max-[900px]:border-b max-[900px]:pb-3"
      aria-label="Epochs and compactions"
    >
      <div className="flex items-center gap-2 px-6 pb-2 max-md:px-4">
        <h2 className="flex-1 text-13 font-semibold">
          {formatCount(answer.epochs.length, "epoch")}
          {plans > 0 && <span className="font-normal text-ink-3">, {formatCount(plans, "plan")} beside them</span>}
        </h2>
        <span className="md:hidden">
          <CompactLink small />
        </span>
      </div>
      <ol>
        {timeline(answer).map((entry) =>
          entry.kind === "epoch" ? (
            <EpochEntry key={`e${entry.epoch.epoch}`} epoch={entry.epoch} onOpen={onOpen} />
          ) : (
            <CompactionEntry
              key={entry.compaction.id}
              compaction={entry.compaction}
              size={entry.compaction.kind === "agent" ? (sizes.get(entry.compaction.at) ?? null) : null}
              items={entry.items}
              session={answer.sessionId}
              onOpen={onOpen}
            />
          ),
        )}
      </ol>
      {!answer.held && (
        <p className="px-6 pt-3 max-md:px-4 text-12 text-ink-3">
          Imported sessions are read-only. Compactions are saved as plans.
        </p>
      )}
    </aside>
  );
});

function EpochEntry({ epoch, onOpen }: { epoch: Epoch; onOpen: (seq: number) => void }) {
  return (
    <li className="relative py-1.5 pr-6 pl-11 before:absolute before:inset-y-0 before:left-[26px] before:w-[7px] before:rounded-[2px] before:bg-ink-2">
      <span className="font-medium">Epoch {epoch.epoch}</span>{" "}
      <span className="text-12 text-ink-3">
        events <EventLinks seqs={[epoch.fromSeq]} onOpen={onOpen} />
        {epoch.toSeq > epoch.fromSeq && (
          <>
            –<EventLinks seqs={[epoch.toSeq]} onOpen={onOpen} />
          </>
        )}
        , {formatCount(epoch.calls, "call")}
        {epoch.tokens !== null && <>, {formatTokens(epoch.tokens, true)} at its end</>}
      </span>
    </li>
  );
}

type Size = { readonly before: number; readonly after: number };

type CompactionEntryProps = {
  compaction: CompactionRow;
  /** Of an agent's: the prompts before and after it, as the chart has them. */
  size: Size | null;
  items: number;
  session: string;
  onOpen: (seq: number) => void;
};

function CompactionEntry({ compaction, size, items, session, onOpen }: CompactionEntryProps) {
  const [{ from }, choose] = useMemoryState();
  const undo = useUndo(session);
  const writes = useWrites();
  const [isOpen, setOpen] = useState(false);
  const { id, kind, summary, reason, at } = compaction;
  const tokensBefore = size?.before ?? compaction.tokensBefore;
  const tokensAfter = size?.after ?? compaction.tokensAfter;
  const isChosen = from === id;
  const isGone = compaction.status === "undone" || compaction.status === "failed";
  return (
    <li
      className="relative py-1.5 pr-6 pl-11 before:absolute before:inset-y-0.5 before:left-[29px] before:border-l before:border-dashed before:border-control data-chosen:bg-select data-gone:text-ink-3"
      data-gone={isGone || undefined}
      data-chosen={isChosen || undefined}
    >
      <p className="flex flex-wrap items-baseline gap-x-2">
        <Badge tone={compaction.status === "failed" ? "error" : "plain"}>{stateOf(compaction)}</Badge>
        <span
          className="font-medium tabular-nums"
          title={kind === "agent" ? undefined : "Messages only, without provider overhead"}
        >
          {tokensBefore === null
            ? "compacted"
            : `${kind === "agent" ? "" : "messages "}${formatTokens(tokensBefore, true)}${tokensAfter === null ? "" : ` → ${formatTokens(tokensAfter, true)}`}`}
        </span>
        <span className="text-12 text-ink-3">
          at event <EventLinks seqs={[at]} onOpen={onOpen} />
          {compaction.startedAt !== null && (
            <>
              , <When ts={compaction.startedAt} />
            </>
          )}
        </span>
      </p>
      {reason !== null && (
        <p className="text-12 text-ink-2">
          <SafeText text={reason} />
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-3 text-12">
        {compaction.turns.length > 0 && (
          <span className="text-ink-3">
            {compaction.turns.length === 1 ? "turn" : "turns"} {spanWords(compaction.turns)}
          </span>
        )}
        {items > 0 && (
          <button
            type="button"
            className="link"
            aria-pressed={isChosen}
            onClick={() => void choose({ from: isChosen ? null : id })}
          >
            {isChosen ? "Show all items" : formatCount(items, "item")}
          </button>
        )}
        {summary !== "" && (
          <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? "Hide summary" : "Summary"}
          </button>
        )}
        {kind !== "agent" && (compaction.status === "undone" || canUndo(compaction)) && (
          <Link prefetch={false} className="link" href={`${compactHref(session, null)}?done=${encodeURIComponent(id)}`}>
            Ledger
          </Link>
        )}
        {writes && canUndo(compaction) && (
          <button type="button" className="link" disabled={undo.isPending} onClick={() => undo.mutate(id)}>
            {kind === "plan" ? "Discard plan" : "Undo"}
          </button>
        )}
        {compaction.undoneAt !== null && (
          <span className="text-ink-3">
            undone <When ts={compaction.undoneAt} />
          </span>
        )}
      </p>
      {isOpen && <GivenText text={summary} label="Summary" />}
      {undo.error !== null && (
        <div className="mt-1">
          <RequestFailure error={undo.error} title="It was not undone" />
        </div>
      )}
    </li>
  );
}

const spanWords = (turns: readonly number[]): string => {
  const first = Math.min(...turns);
  const last = Math.max(...turns);
  return first === last ? String(first) : `${first}–${last}`;
};
