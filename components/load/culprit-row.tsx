"use client";
import type { CulpritRow, LedgerItemRow } from "#lib/wire/ledger.ts";
import { formatTokens, formatUsd } from "../ui/format.ts";
import { Absent, Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { MIDDLE, WIDE } from "./columns.ts";
import { culpritOrigin, withoutTool } from "./ledger-view.ts";
import { eventHref, onPlainClick, type LoadPlace } from "./load-place.ts";
import { Weight } from "./weight.tsx";

type CulpritCellsProps = {
  culprit: CulpritRow;
  rank: number;
  bySeq: ReadonlyMap<number, LedgerItemRow>;
  isOpen: boolean;
  place: LoadPlace;
  onPick: () => void;
};

/** One culprit. The row moves the cursor to where it came in; its name opens the event. */
export function CulpritCells({ culprit, rank, bySeq, isOpen, place, onPick }: CulpritCellsProps) {
  const origin = culpritOrigin(culprit, bySeq);
  const product = origin === "reported" ? "reported" : origin;
  return (
    <tr
      className={`h-7 cursor-pointer border-b border-line ${isOpen ? "bg-select" : "hover:bg-sunk"}`}
      aria-selected={isOpen}
      onClick={onPick}
    >
      <td className="pl-2 text-12 text-ink-3">{rank}</td>
      <td className="px-2">
        <Name culprit={culprit} place={place} />
      </td>
      <td className={`num px-2 ${MIDDLE}`}>
        <button
          type="button"
          className="hover:underline"
          title={`Put the cursor on call ${culprit.fromCall}`}
          aria-expanded={isOpen}
          onClick={(event) => {
            event.stopPropagation();
            onPick();
          }}
        >
          {formatTokens(culprit.fromCall)}
        </button>
      </td>
      <td className="num px-2">
        <Weight item={culprit} origin={origin} />
      </td>
      <td className={`num px-2 ${MIDDLE}`}>{formatTokens(culprit.callsResident)}×</td>
      <td className={`num px-2 ${WIDE}`}>
        <Num value={culprit.lifetimeTokens} origin={product} short />
      </td>
      <td className="num px-2 font-medium">
        <Avoidable culprit={culprit} />
      </td>
      <td className={`num px-2 text-ink-2 ${WIDE}`}>
        {culprit.lastUsed === null ? "never" : `call ${formatTokens(culprit.lastUsed)}`}
      </td>
      <td className={`truncate px-2 text-ink-2 ${MIDDLE}`} title={culprit.fix}>
        <SafeText text={culprit.fix} />
      </td>
      <td className="num px-2">
        {culprit.offPeak === 0 ? (
          <Absent why="It was not in the fullest prompt" />
        ) : (
          <Num value={culprit.offPeak} origin="estimated" short />
        )}
      </td>
    </tr>
  );
}

function Name({ culprit, place }: { culprit: CulpritRow; place: LoadPlace }) {
  const words = (
    <>
      <Swatch category={culprit.kind} />
      {culprit.tool !== null && (
        <span className="flex-none text-ink-2">
          <SafeText text={culprit.tool} />
        </span>
      )}
      <span className={`min-w-0 truncate ${culprit.tool === null ? "" : "mono"}`}>
        <SafeText text={withoutTool(culprit.label, culprit.tool)} />
      </span>
    </>
  );
  const { seq } = culprit;
  if (seq === null) return <span className="flex max-w-full items-center gap-2">{words}</span>;
  return (
    <a
      href={eventHref(place.session, seq)}
      title={culprit.label}
      className="flex max-w-full items-center gap-2 hover:underline"
      onClick={(event) => {
        event.stopPropagation();
        onPlainClick(() => place.openEvent(seq))(event);
      }}
    >
      {words}
    </a>
  );
}

function Avoidable({ culprit }: { culprit: CulpritRow }) {
  const { avoidableUsd, lifetimeUsd, avoidableTokens } = culprit;
  if (avoidableUsd === null)
    return <Absent why={`No price is known; ${formatTokens(avoidableTokens)} tokens could have been avoided`} />;
  const all = lifetimeUsd === null ? "" : ` of ${formatUsd(lifetimeUsd)} that it cost`;
  return (
    <span title={`${formatUsd(avoidableUsd)}${all} could have been avoided, estimated at list prices`}>
      {formatUsd(avoidableUsd)}
    </span>
  );
}
