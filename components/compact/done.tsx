"use client";
// After it was applied: what it came to, where to see it, and the way back.
import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import type { CompactionRow, MemoryAnswer } from "#lib/wire/memory.ts";
import { canUndo } from "../memory/memory-view.ts";
import { useUndo } from "../memory/use-memory-changes.ts";
import { failureOf } from "../ui/api.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import type { CompactPlace } from "./compact-place.ts";
import { useCompactState } from "./compact-state.ts";

type DoneProps = { place: CompactPlace; memory: MemoryAnswer | undefined };

export function Done({ place, memory }: DoneProps) {
  const [{ done }, choose] = useCompactState();
  const row = memory?.compactions.find(({ id }) => id === done);
  const again = (
    <Button onClick={() => void choose({ done: null })}>
      {row?.kind === "plan" ? "Another plan" : "Compact again"}
    </Button>
  );
  if (row === undefined)
    return (
      <div className="px-6 py-4">
        {memory === undefined ? (
          <Loading rows={4} label="Loading the compaction" />
        ) : (
          <Failure code="not_found" title="This compaction is not one of this session" action={again}>
            The address names a compaction that the session does not have.
          </Failure>
        )}
      </div>
    );
  const made = memory?.items.filter(({ compactionId }) => compactionId === row.id).length ?? 0;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-6 py-4">
      <p className="verdict" data-testid="done">
        <b>{headline(row)}</b> {sentence(row)}
      </p>
      <p className="mt-2 text-ink-2">
        {row.turns.length > 0 && <>It took the place of {formatCount(row.turns.length, "turn")}</>}
        {row.events !== null && (
          <>
            {row.turns.length > 0 ? ", " : "It took the place of "}events {row.events[0]} to {row.events[1]}
          </>
        )}
        , and made {formatCount(made, "memory item")}.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        {canUndo(row) && <UndoButton row={row} session={place.session} />}
        <Link
          prefetch={false}
          href={`/sessions/${encodeURIComponent(place.session)}?tab=context${row.kind === "plan" ? `&event=${row.at}` : ""}`}
          className={buttonClass("plain")}
        >
          See the context
        </Link>
        <Link
          prefetch={false}
          href={`/sessions/${encodeURIComponent(place.session)}?tab=memory&from=${encodeURIComponent(row.id)}`}
          className={buttonClass("plain")}
        >
          See its memory
        </Link>
        {again}
      </div>
      {row.summary !== "" && (
        <pre className="summary-text mt-4 max-w-220">
          <SafeText text={row.summary} badge />
        </pre>
      )}
    </div>
  );
}

function headline({ kind, status, tokensBefore, tokensAfter }: CompactionRow): string {
  if (status === "undone") return kind === "plan" ? "The plan is dropped." : "Undone.";
  const sizes =
    tokensBefore === null || tokensAfter === null
      ? ""
      : `: ${formatTokens(tokensBefore)} down to ~${formatTokens(tokensAfter)}`;
  return kind === "plan" ? `Kept as a plan${sizes}.` : `Compacted${sizes}.`;
}

function sentence({ kind, status }: CompactionRow): string {
  if (status === "undone")
    return kind === "plan" ? "The session is as it always was." : "The context is what it was before, event for event.";
  return kind === "plan"
    ? "It stands beside the session; the agent's file was not touched."
    : "New calls are sent this context. The log keeps every event.";
}

function UndoButton({ row, session }: { row: CompactionRow; session: string }) {
  const undo = useUndo(session);
  const queries = useQueryClient();
  return (
    <>
      <Button
        kind="primary"
        disabled={undo.isPending}
        title={undo.isPending ? "It is being undone" : undefined}
        onClick={() =>
          undo.mutate(row.id, {
            onError: () => queries.invalidateQueries({ queryKey: ["session", session, "memory"] }),
          })
        }
      >
        {row.kind === "plan" ? "Drop the plan" : "Undo"}
      </Button>
      {undo.error !== null && (
        <div className="basis-full">
          <Failure code={failureOf(undo.error).code} title="It was not undone">
            {failureOf(undo.error).message}
          </Failure>
        </div>
      )}
    </>
  );
}
