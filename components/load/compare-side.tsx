"use client";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useCallback, useMemo, useState } from "react";
import { estimatedUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { Reconciliation } from "../chart/chart-legend.tsx";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import { LoadChart } from "../chart/load-chart.tsx";
import type { LoadView } from "../shared/load-view.ts";
import { overlayOf } from "../chart/overlay.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { keyOf, openingCall, rankCulprits } from "../shared/ledger-view.ts";
import { eventHref, type LoadCursor } from "../shared/load-cursor.ts";
import type { ComparedAnswers } from "./use-compared.ts";
import { Verdict } from "./verdict.tsx";

/** Of fifty that may be listed; the session's own page has them all. */
const CULPRITS = 6;

type CompareSideProps = {
  id: string;
  side: ComparedAnswers;
  max: number;
  /** The call at the cursor; null for the worst. */
  call: number | null;
  onCall: (call: number) => void;
  onChange: () => void;
};

export function CompareSide({ id, side, max, call, onCall, onChange }: CompareSideProps) {
  const { session, ledger, load } = side;
  const failure = session.error ?? ledger.error ?? load.error;
  return (
    <>
      <div className="flex items-center gap-2">
        <h2 className="min-w-0 flex-1 truncate text-15 font-semibold">
          {session.data ? (
            <Link prefetch={false} href={`/sessions/${id}?tab=load`} className="hover:underline">
              <SafeText text={session.data.title || "Untitled session"} />
            </Link>
          ) : (
            id
          )}
        </h2>
        <Button small onClick={onChange}>
          Another…
        </Button>
      </div>
      <p className="mt-0.5 truncate text-12 text-ink-3">
        {session.data ? <About session={session.data} /> : <>&nbsp;</>}
      </p>
      {failure ? (
        <div className="mt-3">
          <RequestFailure error={failure} title="This session cannot be compared" />
        </div>
      ) : load.view && ledger.data ? (
        load.view.calls.length === 0 ? (
          <p className="mt-3 text-12 text-ink-3">No model call is recorded in this session.</p>
        ) : (
          <Compared view={load.view} side={side} max={max} call={call} onCall={onCall} />
        )
      ) : (
        <Loading rows={10} height={28} label="Working out the ledger" />
      )}
    </>
  );
}

function About({ session: { agent, model, startedAt } }: { session: SessionSummary }) {
  return (
    <>
      {agent} ·{" "}
      {model !== null && (
        <>
          <SafeText text={model} /> ·{" "}
        </>
      )}
      <When ts={startedAt} />
    </>
  );
}

type ComparedProps = Pick<CompareSideProps, "side" | "max" | "call" | "onCall"> & { view: LoadView };

function Compared({ view, side, max, call, onCall }: ComparedProps) {
  const router = useRouter();
  const ledger = side.ledger.data;
  const [dragged, setDragged] = useState<number | null>(null);
  const id = ledger?.sessionId ?? "";
  const wanted = call ?? (ledger === undefined ? null : openingCall(ledger));
  const found = wanted === null ? -1 : view.calls.findIndex((one) => one.call === wanted);
  const index = dragged ?? (found < 0 ? view.peakIndex : found);
  const overlay = useMemo(() => ({ ...overlayOf(view, { ledger, whatIf: undefined }), max }), [view, ledger, max]);
  const openEvent = useCallback((seq: number) => router.push(eventHref(id, seq)), [router, id]);
  const cursor: LoadCursor = {
    view,
    index,
    call: view.calls[index]?.call ?? 0,
    goToCall: onCall,
    openEvent,
    session: id,
  };
  if (!ledger) return null;
  return (
    <>
      <div className="mt-2">
        <LoadChart
          view={view}
          state={{ cursor: index, range: null, zoom: null, toPeak: false }}
          only={null}
          overlay={overlay}
          onChange={(patch, final) => {
            if (patch.cursor === undefined) return;
            setDragged(final ? null : patch.cursor);
            const to = view.calls[patch.cursor];
            if (final && to) onCall(to.call);
          }}
        />
      </div>
      <p className="mt-1 mb-1 text-12 text-ink-3">Call {cursor.call}</p>
      <Reconciliation view={view} index={index} />
      <div className="verdict-small mt-3">
        <Verdict ledger={ledger} cursor={cursor} />
      </div>
      <ol className="mt-2 text-12">
        {rankCulprits(ledger.culprits, "cost")
          .slice(0, CULPRITS)
          .map((culprit) => (
            <li key={keyOf(culprit)} className="flex h-6 items-center gap-2 border-b border-line">
              <span className="min-w-0 flex-1 truncate" title={culprit.fix}>
                <SafeText text={culprit.label} />
              </span>
              <span className="num text-ink-3">
                {formatTokens(culprit.tokens, true)} × {formatTokens(culprit.callsResident)}
              </span>
              <span className="num w-14 font-medium" title="Could have been avoided">
                {estimatedUsd(culprit.avoidableUsd, culprit.isPartial) ?? <Absent why={NO_PRICE} />}
              </span>
            </li>
          ))}
        {ledger.culprits.length === 0 && <li className="text-ink-3">No culprit.</li>}
      </ol>
    </>
  );
}
