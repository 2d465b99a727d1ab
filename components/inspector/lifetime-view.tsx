"use client";
// How long a row stayed in the context, and each call that carried it. All numbers are the ledger's.
import { useQuery } from "@tanstack/react-query";
import { useRef } from "react";
import type { CarrierRow, EventLifetime, LifetimePart } from "#lib/wire/event-lifetime-schema.ts";
import { NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { lifetimeQuery } from "../shared/event-queries.ts";
import { useLeaveTo } from "../shared/inspector-state.ts";
import { callHref, contextHref, eventHref, onPlainClick } from "../shared/load-cursor.ts";
import { useSession } from "../shared/session-context.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatPercent, formatTokens, formatUsd } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Absent, Num } from "../ui/num.tsx";
import { useRows } from "../ui/use-rows.ts";
import type { InspectedRow } from "./inspected-row.ts";
import { partName, spanWords } from "./lifetime-words.ts";

const ROW_PX = 26;

export function LifetimeView({ row }: { row: InspectedRow }) {
  const { id } = useSession();
  const lifetime = useQuery(lifetimeQuery(id, row.seq));
  if (lifetime.error)
    return (
      <div className="p-4">
        <RequestFailure error={lifetime.error} title="The lifetime could not be worked out" />
      </div>
    );
  if (!lifetime.data)
    return (
      <div className="p-4">
        <Loading rows={6} label="Loading the lifetime" />
      </div>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex-none px-4 py-3">
        <p className="font-medium" data-testid="lifetime">
          {spanWords(lifetime.data)}
        </p>
        <Left left={lifetime.data.left} />
        {lifetime.data.calls.length > 0 && <Parts lifetime={lifetime.data} />}
      </div>
      {lifetime.data.calls.length > 0 && <Carriers lifetime={lifetime.data} />}
    </div>
  );
}

/** Why it is in no later prompt. */
function Left({ left }: Pick<EventLifetime, "left">) {
  const { id, goTo } = useSession();
  if (left === null) return null;
  if (left.why === "unknown") return <p className="text-12 text-ink-3">The log does not say why it left.</p>;
  const { seq, how, tokensBefore, tokensAfter } = left;
  return (
    <p className="text-12 text-ink-2">
      {how === "rewound" ? "Taken back by the rewind at" : "Removed by the compaction at"}{" "}
      <a className="link underline" href={eventHref(id, seq)} onClick={onPlainClick(() => goTo(seq))}>
        event {seq}
      </a>
      {tokensBefore !== null &&
        tokensAfter !== null &&
        `, ${formatTokens(tokensBefore, true)} → ${formatTokens(tokensAfter, true)}`}
      .
    </p>
  );
}

const CELL = "h-6 pl-2 font-normal first:pl-0";

function Parts({ lifetime }: { lifetime: EventLifetime }) {
  const { parts, origin, lifetimeTokens, lifetimeUsd } = lifetime;
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  return (
    <table className="mt-2 w-full text-12" aria-label="What it weighs">
      <thead>
        <tr className="border-b border-line-strong text-ink-3">
          <th className={`${CELL} text-left`}>
            <span className="sr-only">Part</span>
          </th>
          <th className={`${CELL} num`}>Tokens</th>
          <th className={`${CELL} num`}>Sent</th>
          <th className={`${CELL} num`} title="Tokens × calls">
            Lifetime
          </th>
          <th className={`${CELL} num`} title="Input cost over all calls, at the prices in Settings">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {parts.map((part) => (
          <PartRow key={part.seq} part={part} />
        ))}
        {parts.length > 1 && (
          <tr className="border-t border-line font-medium">
            <th scope="row" className={`${CELL} text-left`}>
              Both
            </th>
            <td className={`${CELL} num`}>
              <Num value={tokens} origin={origin} />
            </td>
            <td className={`${CELL} num`}>–</td>
            <td className={`${CELL} num`}>
              <Num value={lifetimeTokens} origin={origin} short />
            </td>
            <td className={`${CELL} num`}>
              <Usd usd={lifetimeUsd} />
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function PartRow({ part }: { part: LifetimePart }) {
  return (
    <tr>
      <th scope="row" className={`${CELL} text-left`}>
        {partName(part.type)} <span className="text-ink-3">{part.seq}</span>
      </th>
      <td className={`${CELL} num`}>
        <Num value={part.tokens} origin={part.origin} textTokens={part.textTokens} />
      </td>
      <td className={`${CELL} num`}>{formatTokens(part.callsResident)}×</td>
      <td className={`${CELL} num`}>
        <Num value={part.lifetimeTokens} origin={part.origin} short />
      </td>
      <td className={`${CELL} num`}>
        <Usd usd={part.lifetimeUsd} />
      </td>
    </tr>
  );
}

const Usd = ({ usd }: { usd: number | null }) => (usd === null ? <Absent why={NO_PRICE} /> : <>{formatUsd(usd)}</>);

/** Columns of the list: call, prompt, tokens, cached, cost, context. */
const COLUMNS =
  "grid grid-cols-[64px_minmax(0,1fr)_minmax(0,1fr)_56px_64px_52px] items-center gap-x-2 px-4 text-12 max-sm:grid-cols-[56px_minmax(0,1fr)_minmax(0,1fr)_46px_52px_48px] max-sm:gap-x-1";

/** Every call that carried it, each a way to Load and to Context. */
function Carriers({ lifetime }: { lifetime: EventLifetime }) {
  const box = useRef<HTMLDivElement>(null);
  const { calls } = lifetime;
  const virtual = useRows({
    count: calls.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: (at) => calls[at]?.call ?? at,
    overscan: 10,
  });
  return (
    <>
      <div className={`${COLUMNS} h-6 flex-none border-y border-line bg-sunk text-ink-3`} aria-hidden="true">
        <span>Call</span>
        <span className="num" title="Tokens of the whole prompt">
          Prompt
        </span>
        <span className="num" title="Tokens of this row in it">
          This row
        </span>
        <span className="num" title="Part of this row that the provider read from its cache">
          Cached
        </span>
        <span className="num" title="Input cost of this row, at the prices in Settings">
          Cost
        </span>
        <span />
      </div>
      <div
        ref={box}
        className="min-h-0 flex-1 overflow-y-auto focus-visible:-outline-offset-2"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <section> would be one more landmark
        role="group"
        aria-label={`${formatCount(calls.length, "call")} carried it`}
      >
        <ol className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map((item) => (
            <li
              key={item.key}
              className={`${COLUMNS} absolute inset-x-0 border-b border-line hover:bg-sunk`}
              style={{ top: item.start, height: item.size }}
              aria-setsize={calls.length}
              aria-posinset={item.index + 1}
            >
              <Carrier row={calls[item.index]!} lifetime={lifetime} />
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}

function Carrier({ row, lifetime }: { row: CarrierRow; lifetime: EventLifetime }) {
  const { id } = useSession();
  const leaveTo = useLeaveTo();
  const { call, seq, prompt, isReported, tokens, cached, usd, inherited } = row;
  return (
    <>
      <a
        className="link"
        href={callHref(id, call)}
        title={`Open Load at call ${call}${inherited ? "; inherited, paid for in another session" : ""}`}
        onClick={onPlainClick(() => leaveTo("load", { seq, from: lifetime.seq }))}
      >
        call {formatTokens(call)}
      </a>
      <span className="num">
        <Num value={prompt} origin={isReported ? "reported" : "estimated"} />
      </span>
      <span className="num">
        <Num value={tokens} origin={lifetime.origin} />
      </span>
      <span className="num text-ink-2">{tokens === 0 ? <Absent /> : formatPercent(cached / tokens)}</span>
      <span className="num">
        <Usd usd={usd} />
      </span>
      <a
        className="link text-right"
        href={contextHref(id, seq)}
        title={`Open Context at call ${call}`}
        onClick={onPlainClick(() => leaveTo("context", { seq, from: lifetime.seq }))}
      >
        context<span className="sr-only"> at call {call}</span>
      </a>
    </>
  );
}
