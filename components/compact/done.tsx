"use client";
// After it was applied: what it came to, where to see it, and the way back.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { CompactAnswer } from "#lib/wire/memory-schema.ts";
import { compactionQuery } from "../shared/memory-queries.ts";
import { useUndo } from "../memory/use-memory-changes.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Num } from "../ui/num.tsx";
import { BeforeAfter, scaleOf } from "./before-after.tsx";
import type { CompactTarget } from "./compact-target.ts";
import { useCompactState } from "./compact-state.ts";
import { totalsOf, type Totals } from "./compact-view.ts";
import { Evidence } from "./evidence.tsx";
import { LedgerTable } from "./ledger-table.tsx";
import { SummaryAside, SummaryPanel } from "./summary-panel.tsx";

export function Done({ target, id }: { target: CompactTarget; id: string }) {
  const [{ view }, choose] = useCompactState();
  const made = useQuery(compactionQuery(target.session, id));
  if (made.error)
    return (
      <div className="px-6 py-4">
        <RequestFailure
          error={made.error}
          title="This compaction cannot be shown"
          action={<Button onClick={() => void choose({ done: null })}>Make another</Button>}
        />
      </div>
    );
  if (made.data === undefined)
    return (
      <div className="px-6 py-4">
        <Loading rows={8} label="Loading the compaction" />
      </div>
    );
  const { data } = made;
  const totals = totalsOf(data, target.calls);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_480px] max-md:block max-[1200px]:grid-cols-[minmax(0,1fr)] max-[1200px]:overflow-y-auto">
      <div className="min-w-0 overflow-y-auto py-4 pr-5 pb-6 pl-6 max-md:pr-6 max-[1200px]:overflow-visible">
        <Headline answer={data} totals={totals} />
        <Actions answer={data} id={id} target={target} />
        <BeforeAfter
          answer={data}
          calls={target.calls}
          line={target.line}
          scale={scaleOf([totals.before], target.line)}
        />
        <LedgerTable answer={data} turns={target.turns} calls={target.calls} onOpen={target.openEvent} />
        <div className="mt-4 max-w-110">
          <Evidence kept={data.kept} />
        </div>
      </div>
      <SummaryAside>
        <SummaryPanel
          answer={data}
          view={view}
          onView={(next) => void choose({ view: next })}
          onOpen={target.openEvent}
        />
      </SummaryAside>
    </div>
  );
}

const WORDS = {
  plan: {
    stands: "Saved as a plan",
    after: "The agent's file was not changed.",
    undone: "Plan discarded.",
    afterUndone: "The session is unchanged.",
  },
  applied: {
    stands: "Compacted",
    after: "New calls are sent this context. The log keeps every event.",
    undone: "Undone.",
    afterUndone: "The context is restored, event for event.",
  },
} as const;

function Headline({ answer, totals }: { answer: CompactAnswer; totals: Totals }) {
  const words = WORDS[answer.kind];
  const made = answer.episodic.length + answer.semantic.length;
  const isUndone = answer.status === "undone";
  return (
    <>
      <p className="verdict" data-testid="done">
        {isUndone ? (
          <b>{words.undone}</b>
        ) : (
          <b>
            {words.stands}: <Num value={totals.before} origin={totals.beforeOrigin} /> down to{" "}
            <Num value={totals.after} origin="estimated" />.
          </b>
        )}{" "}
        {isUndone ? words.afterUndone : words.after}
      </p>
      <p className="mt-1 text-ink-2">
        {answer.events !== null &&
          `The summary ${isUndone ? "stood" : "stands"} for ${answer.turns.length === 0 ? "" : `${formatCount(answer.turns.length, "turn")}, `}events ${answer.events[0]} to ${answer.events[1]}. `}
        {made > 0 && `${formatCount(made, "memory item was", "memory items were")} made of them.`}
      </p>
    </>
  );
}

function Actions({ answer, id, target }: { answer: CompactAnswer; id: string; target: CompactTarget }) {
  const [, choose] = useCompactState();
  const undo = useUndo(target.session);
  const isPlan = answer.kind === "plan";
  const session = `/sessions/${encodeURIComponent(target.session)}`;
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      {answer.status !== "undone" && (
        <Button
          disabled={undo.isPending}
          title={undo.isPending ? "Undoing" : undefined}
          onClick={() => undo.mutate(id)}
        >
          {isPlan ? "Discard plan" : "Undo"}
        </Button>
      )}
      {(!isPlan || answer.status !== "undone") && (
        <Link
          prefetch={false}
          href={`${session}?tab=context${isPlan ? `&event=${answer.at}&plan=${encodeURIComponent(id)}` : ""}`}
          className={buttonClass("plain")}
        >
          {isPlan ? "Open compacted context" : "Show context"}
        </Link>
      )}
      <Link
        prefetch={false}
        href={`${session}?tab=memory&from=${encodeURIComponent(id)}`}
        className={buttonClass("plain")}
      >
        See its memory
      </Link>
      <Button onClick={() => void choose({ done: null })}>{isPlan ? "Another plan" : "Compact again"}</Button>
      {undo.error !== null && (
        <div className="basis-full">
          <RequestFailure error={undo.error} title="It was not undone" />
        </div>
      )}
    </div>
  );
}
