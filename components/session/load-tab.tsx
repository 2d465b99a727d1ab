"use client";
// Why the context blew up: the verdict, the sum at the cursor, who is to blame, and what another policy would have made of it.
import "../load/load.css";
import { useQuery } from "@tanstack/react-query";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { Reconciliation } from "../chart/chart-legend.tsx";
import { CacheBreakNote } from "../chart/notes-at.tsx";
import type { LoadView } from "../shared/load-view.ts";
import { Clearings } from "../load/clearings.tsx";
import { Culprits } from "../load/culprits.tsx";
import { useLoadPlace, type LoadPlace } from "../shared/load-place.ts";
import { PanelSwitch } from "../load/panel-switch.tsx";
import { Treemap } from "../load/treemap.tsx";
import { useBlowUpKeys } from "../load/use-blow-up-keys.ts";
import { BaseNote, LedgerNote, Verdict } from "../load/verdict.tsx";
import { Waterfall } from "../load/waterfall.tsx";
import { WhatIf } from "../load/what-if.tsx";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { ledgerQuery } from "../shared/session-queries.ts";
import { useLoadState } from "../shared/url-state.ts";

type LoadTabProps = { view: LoadView; onOpen: (seq: number) => void };

export function LoadTab({ view, onOpen }: LoadTabProps) {
  const place = useLoadPlace(view, onOpen);
  const ledger = useQuery(ledgerQuery(place.session));
  useBlowUpKeys(ledger.data, place);
  // All of it comes at once: a verdict that came into a page which is being read would push what stands below it.
  if (ledger.isPending) return <LoadTabWait />;
  return (
    <div className="load-tab">
      <div className="load-main">
        {ledger.error && !ledger.data ? (
          <Failure code={failureOf(ledger.error).code} title="The ledger could not be worked out">
            {failureOf(ledger.error).message}
          </Failure>
        ) : ledger.data ? (
          <Verdict ledger={ledger.data} place={place} />
        ) : null}
        <div className="mt-4">
          <Reconciliation view={view} index={place.index} />
        </div>
        <div className="text-12">
          <CacheBreakNote
            found={ledger.data?.calls.find((call) => call.call === place.call)?.cacheBreak ?? undefined}
          />
        </div>
        <Lost tokens={view.load.lost} />
        {ledger.data && <Clearings ledger={ledger.data} place={place} />}
        {ledger.data && <BaseNote ledger={ledger.data} place={place} />}
        {ledger.data && <LedgerNote ledger={ledger.data} place={place} />}
        <div className="mt-3 lg:hidden">
          <PanelSwitch />
        </div>
        {ledger.data && <Panel ledger={ledger.data} place={place} />}
      </div>
      <aside className="load-side" aria-label="What if">
        <WhatIf view={view} ledger={ledger.data} />
      </aside>
    </div>
  );
}

/** Bars where the verdict, the sum and the table will stand. */
export function LoadTabWait() {
  return (
    <div className="px-6 py-4">
      <Loading rows={12} height={28} label="Working out the ledger" />
    </div>
  );
}

function Panel({ ledger, place }: { ledger: LedgerAnswer; place: LoadPlace }) {
  const [{ panel }] = useLoadState();
  if (panel === "waterfall") return <Waterfall ledger={ledger} place={place} />;
  if (panel === "treemap") return <Treemap ledger={ledger} place={place} />;
  return <Culprits ledger={ledger} place={place} />;
}

function Lost({ tokens }: { tokens: number }) {
  if (tokens === 0) return null;
  return (
    <p className="mt-1 text-12 text-ink-2">
      The session's totals name {formatTokens(tokens)} tokens that no call carries: their records were lost.
    </p>
  );
}
