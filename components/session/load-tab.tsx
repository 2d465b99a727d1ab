"use client";
// Why the context blew up: the verdict, the sum at the cursor, who is to blame, and what another policy would have made of it.
import { useQuery } from "@tanstack/react-query";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { Reconciliation } from "../chart/chart-legend.tsx";
import { CacheBreakNote } from "../chart/notes-at.tsx";
import type { LoadView } from "../shared/load-view.ts";
import { AgentPolicies } from "../load/agent-policies.tsx";
import { Culprits } from "../load/culprits.tsx";
import { useLoadCursor, type LoadCursor, eventHref, onPlainClick } from "../shared/load-cursor.ts";
import { InferredParts } from "../load/inferred-parts.tsx";
import { PanelSwitch } from "../load/panel-switch.tsx";
import { ReportedSpend } from "../load/reported-spend.tsx";
import { Treemap } from "../load/treemap.tsx";
import { BaseNote, LedgerNote, Verdict } from "../load/verdict.tsx";
import { Waterfall } from "../load/waterfall.tsx";
import { usePlay, type Play } from "../load/use-play.ts";
import { WhatIf } from "../load/what-if.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { ledgerQuery } from "../shared/session-queries.ts";
import { useLoadState } from "../shared/url-state.ts";
import { useMemo } from "react";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { nextBlowUp } from "../shared/ledger-view.ts";

type LoadTabProps = { view: LoadView; onOpen: (seq: number) => void };

export function LoadTab({ view, onOpen }: LoadTabProps) {
  const cursor = useLoadCursor(view, onOpen);
  const ledger = useQuery(ledgerQuery(cursor.session));
  useBlowUpKeys(ledger.data, cursor);
  const play = usePlay(cursor);
  // All of it comes at once: a verdict that came into a page which is being read would push what stands below it.
  if (ledger.isPending) return <LoadTabWait />;
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_304px] cramped:flex-none cramped:overflow-visible max-[1100px]:block max-[1100px]:overflow-y-auto">
      <div className="min-w-0 overflow-y-auto px-6 pt-4 pb-6 max-[1100px]:overflow-visible">
        {ledger.error && !ledger.data ? (
          <RequestFailure error={ledger.error} title="The ledger could not be worked out" />
        ) : ledger.data ? (
          <Verdict ledger={ledger.data} cursor={cursor} />
        ) : null}
        <div className="mt-4">
          <Reconciliation view={view} index={cursor.index} />
        </div>
        <div className="text-12">
          <CacheBreakNote
            found={ledger.data?.calls.find((call) => call.call === cursor.call)?.cacheBreak ?? undefined}
          />
        </div>
        <Lost tokens={view.load.lost} />
        {ledger.data && <ReportedSpend cost={ledger.data.cost} />}
        {ledger.data && <Clearings ledger={ledger.data} cursor={cursor} />}
        {ledger.data && <BaseNote ledger={ledger.data} cursor={cursor} />}
        {ledger.data?.inferredParts && <InferredParts inferred={ledger.data.inferredParts} />}
        {ledger.data && <LedgerNote ledger={ledger.data} cursor={cursor} />}
        <div className="mt-3 lg:hidden">
          <PanelSwitch />
        </div>
        {ledger.data && <Panel ledger={ledger.data} cursor={cursor} play={play} />}
      </div>
      <aside
        className="overflow-y-auto border-l border-line pt-4 pr-6 pb-6 pl-5 max-[1100px]:overflow-visible max-[1100px]:border-t max-[1100px]:border-l-0 max-[1100px]:pl-6"
        aria-label="What if"
      >
        <WhatIf view={view} ledger={ledger.data} />
      </aside>
    </div>
  );
}

/** Bars where the verdict, the sum and the table will stand. */
export function LoadTabWait() {
  return (
    <div className="min-h-0 flex-1 overflow-hidden px-6 py-4 cramped:flex-none">
      <Loading rows={12} height={28} label="Working out the ledger" />
    </div>
  );
}

function Panel({ ledger, cursor, play }: { ledger: LedgerAnswer; cursor: LoadCursor; play: Play }) {
  const [{ panel }] = useLoadState();
  if (panel === "waterfall") return <Waterfall ledger={ledger} cursor={cursor} />;
  if (panel === "treemap") return <Treemap ledger={ledger} cursor={cursor} play={play} />;
  if (panel === "settings") return <AgentPolicies cursor={cursor} />;
  return <Culprits ledger={ledger} cursor={cursor} />;
}

function Lost({ tokens }: { tokens: number }) {
  if (tokens === 0) return null;
  return (
    <p className="mt-1 text-12 text-ink-2">
      The session's totals name {formatTokens(tokens)} tokens that no single call reports.
    </p>
  );
}

/** More are in `plimsoll load --json`. */
const SHOWN = 4;

function Clearings({ ledger, cursor }: { ledger: LedgerAnswer; cursor: LoadCursor }) {
  if (ledger.clearings.length === 0) return null;
  return (
    <ul className="mt-1 text-12 text-ink-2">
      {ledger.clearings.slice(0, SHOWN).map(({ seq, call, predicted, replayed, reported, agentSaid }) => (
        <li key={seq}>
          The agent{" "}
          <a
            className="link underline"
            href={eventHref(cursor.session, seq)}
            onClick={onPlainClick(() => cursor.openEvent(seq))}
          >
            cleared results itself
          </a>
          {call !== null && ` before call ${formatTokens(call)}`}: ~{formatTokens(predicted)} tokens by this ledger
          {replayed !== null && `, ~${formatTokens(replayed)} by the what-if replay`}
          {reported !== null && `, ${formatTokens(reported)} by what the provider reported`}
          {agentSaid !== null && `, ${formatTokens(agentSaid)} by the agent's own word`}.
        </li>
      ))}
    </ul>
  );
}

// `b` and `B` walk the calls in trouble, in order of their calls, round and round.
function useBlowUpKeys(ledger: LedgerAnswer | undefined, { call, goToCall }: LoadCursor): void {
  const shortcuts = useMemo<Shortcut[]>(() => {
    const go = (by: 1 | -1) => () => {
      const next = nextBlowUp(ledger?.blowUps ?? [], call, by);
      if (next !== null) goToCall(next);
    };
    return [
      { keys: "b", label: "Next blow-up", group: "Load", run: go(1) },
      { keys: "B", label: "Blow-up before", group: "Load", run: go(-1) },
    ];
  }, [ledger, call, goToCall]);
  useShortcuts(shortcuts);
}
