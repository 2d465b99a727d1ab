"use client";
// The columns of the culprits' table: what each says of a culprit, and what of tokens that stand in no file.
import type { ReactNode } from "react";
import type { Origin } from "#lib/wire/common-schema.ts";
import type { CulpritRow } from "#lib/wire/ledger-schema.ts";
import { estimatedUsd, NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { formatTokens, formatUsd } from "../ui/format.ts";
import { Absent, Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Swatch } from "../ui/swatch.tsx";
import type { CulpritSort, LeftOver } from "../shared/ledger-view.ts";
import { type LoadCursor, eventHref, onPlainClick } from "../shared/load-cursor.ts";
import { Weight } from "./weight.tsx";
import { ItemName } from "./item-name.tsx";

/** Things that are used or not; a lost cache is neither. */
const USABLE: readonly CulpritRow["detector"][] = ["oversized-output", "stale-result", "re-read", "fan-out"];

function LastUsed({ culprit: { detector, lastUsed } }: { culprit: CulpritRow }) {
  if (lastUsed !== null) return `call ${formatTokens(lastUsed)}`;
  return USABLE.includes(detector) ? "never" : <Absent />;
}

function Name({ culprit, cursor }: { culprit: CulpritRow; cursor: LoadCursor }) {
  const words = (
    <>
      {culprit.detector === "cache-break" ? <Diamond /> : <Swatch category={culprit.kind} />}
      <ItemName label={culprit.label} tool={culprit.tool} />
    </>
  );
  const { seq } = culprit;
  if (seq === null) return <span className="flex max-w-full items-center gap-2">{words}</span>;
  return (
    <a
      href={eventHref(cursor.session, seq)}
      title={culprit.label}
      className="flex max-w-full items-center gap-2 hover:underline"
      onClick={(event) => {
        event.stopPropagation();
        onPlainClick(() => cursor.openEvent(seq))(event);
      }}
    >
      {words}
    </a>
  );
}

/** As in the chart's lane of cache breaks: it is no part of a prompt. */
function Diamond() {
  return (
    <svg width={10} height={10} aria-hidden="true">
      <path d="M5 1l4 4l-4 4l-4 -4z" fill="none" stroke="var(--ink-2)" strokeWidth={1.2} />
    </svg>
  );
}

function Avoidable({ culprit }: { culprit: CulpritRow }) {
  const { avoidableUsd, isPartial, lifetimeUsd, avoidableTokens } = culprit;
  const saved = estimatedUsd(avoidableUsd, isPartial);
  if (saved === null)
    return (
      <span title={`${NO_PRICE}; ${formatTokens(avoidableTokens)} tokens could have been avoided`}>
        <span className="font-normal text-ink-3">~</span>
        {formatTokens(avoidableTokens, true)} tok
      </span>
    );
  return (
    <span
      title={`Estimated, at the prices in Settings${lifetimeUsd === null ? "" : `; its total cost is ${formatUsd(lifetimeUsd)}`}`}
    >
      {saved}
      {lifetimeUsd !== null && <span className="font-normal text-ink-3"> of {formatUsd(lifetimeUsd)}</span>}
    </span>
  );
}

export type Ranked = {
  readonly culprit: CulpritRow;
  readonly rank: number;
  readonly origin: Origin;
  readonly isOpen: boolean;
  readonly onPick: () => void;
};

export type CulpritColumn = {
  readonly name: string;
  readonly title?: string;
  readonly className: string;
  /** Stands where the table is at least so many px wide, so that a culprit keeps 180 for its name. */
  readonly from: number;
  readonly sort?: CulpritSort;
  readonly cell: (ranked: Ranked, cursor: LoadCursor) => ReactNode;
  readonly rest: (left: LeftOver, cursor: LoadCursor) => ReactNode;
};

const absent = () => <Absent />;

export const CULPRIT_COLUMNS: readonly CulpritColumn[] = [
  {
    name: "Rank",
    className: "w-8 text-left text-12 text-ink-3",
    from: 0,
    cell: ({ rank }) => rank,
    rest: () => <span className="sr-only">unranked</span>,
  },
  {
    name: "Culprit",
    className: "text-left",
    from: 0,
    cell: ({ culprit }, cursor) => <Name culprit={culprit} cursor={cursor} />,
    rest: (left) => (
      <span className="flex items-center gap-2" title={left.label}>
        <Swatch category={left.kind === "prefix" && !left.again ? "prefix" : "unattributed"} />
        <span className="min-w-0 truncate">{left.label}</span>
      </span>
    ),
  },
  {
    name: "At call",
    title: "The first model call that was sent it",
    className: "w-15 num",
    from: 600,
    cell: ({ culprit, isOpen, onPick }) => <CallButton call={culprit.fromCall} isOpen={isOpen} onPick={onPick} />,
    rest: ({ fromCall }, cursor) => <CallButton call={fromCall} onPick={() => cursor.goToCall(fromCall)} />,
  },
  {
    name: "Tokens",
    title: "Tokens in one prompt",
    className: "w-21 num",
    from: 420,
    cell: ({ culprit, origin }) => <Weight item={culprit} origin={origin} />,
    rest: ({ tokens, origin }) => (
      <span title="The most of it in one prompt">
        <Num value={tokens} origin={origin} />
      </span>
    ),
  },
  {
    name: "Sent",
    title: "How many model calls were sent it",
    className: "w-15 num",
    from: 660,
    cell: ({ culprit }) => `${formatTokens(culprit.callsResident)}×`,
    rest: ({ calls }) => `${formatTokens(calls)}×`,
  },
  {
    name: "Lifetime",
    title: "Tokens × calls, until a compaction took it out",
    className: "w-19 num",
    from: 960,
    cell: ({ culprit, origin }) => <Num value={culprit.lifetimeTokens} origin={origin} short />,
    rest: ({ lifetimeTokens, origin }) => <Num value={lifetimeTokens} origin={origin} short />,
  },
  {
    name: "Avoidable cost",
    title: "Avoidable part of its total cost",
    className: "w-30 num",
    from: 0,
    sort: "cost",
    cell: ({ culprit }) => <Avoidable culprit={culprit} />,
    rest: ({ lifetimeUsd }) => (
      <span className="text-ink-3" title="Total cost">
        {lifetimeUsd === null ? <Absent why={NO_PRICE} /> : signedUsd(lifetimeUsd)}
      </span>
    ),
  },
  {
    name: "Last used",
    title: "Last call that quoted it",
    className: "w-21 num text-ink-2",
    from: 1040,
    cell: ({ culprit }) => <LastUsed culprit={culprit} />,
    rest: absent,
  },
  {
    name: "What to do",
    className: "w-50 truncate text-left text-ink-2 min-[1680px]:w-84",
    from: 880,
    cell: ({ culprit }) => (
      <span title={culprit.fix}>
        <SafeText text={culprit.fix} />
      </span>
    ),
    rest: ({ hint }) => <span className="text-ink-3">{hint}</span>,
  },
  {
    name: "Off peak",
    title: "Tokens off the fullest prompt, without it",
    className: "w-19 num",
    from: 520,
    sort: "peak",
    cell: ({ culprit }) =>
      culprit.offPeak === 0 ? (
        <Absent why="Without it the fullest prompt is as full" />
      ) : (
        <Num value={culprit.offPeak} origin="estimated" short />
      ),
    rest: absent,
  },
];

type CallButtonProps = { call: number; isOpen?: boolean; onPick: () => void };

function CallButton({ call, isOpen, onPick }: CallButtonProps) {
  return (
    <button
      type="button"
      className="hover:underline"
      title={`Go to call ${call}`}
      aria-expanded={isOpen}
      onClick={(event) => {
        event.stopPropagation();
        onPick();
      }}
    >
      {formatTokens(call)}
    </button>
  );
}

const signedUsd = (usd: number): string => (usd < 0 ? `−${formatUsd(-usd)}` : formatUsd(usd));
