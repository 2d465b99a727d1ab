"use client";
// The cells of a culprit that are more than a number.
import type { CulpritRow } from "#lib/wire/ledger-schema.ts";
import { formatTokens, formatUsd } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { ItemName } from "./item-name.tsx";
import { eventHref, onPlainClick, type LoadPlace } from "../shared/load-place.ts";

/** Things that are used or not; a lost cache is neither. */
const USABLE: readonly CulpritRow["detector"][] = ["oversized-output", "stale-result", "re-read", "fan-out"];

export function LastUsed({ culprit: { detector, lastUsed } }: { culprit: CulpritRow }) {
  if (lastUsed !== null) return `call ${formatTokens(lastUsed)}`;
  return USABLE.includes(detector) ? "never" : <Absent />;
}

export function Name({ culprit, place }: { culprit: CulpritRow; place: LoadPlace }) {
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

/** As in the chart's lane of cache breaks: it is no part of a prompt. */
function Diamond() {
  return (
    <svg width={10} height={10} aria-hidden="true">
      <path d="M5 1l4 4l-4 4l-4 -4z" fill="none" stroke="var(--ink-2)" strokeWidth={1.2} />
    </svg>
  );
}

export function Avoidable({ culprit }: { culprit: CulpritRow }) {
  const { avoidableUsd, lifetimeUsd, avoidableTokens } = culprit;
  if (avoidableUsd === null)
    return (
      <span title={`No price is known for this model; ${formatTokens(avoidableTokens)} tokens could have been avoided`}>
        <span className="font-normal text-ink-3">~</span>
        {formatTokens(avoidableTokens, true)} tok
      </span>
    );
  return (
    <span title="Estimated, at the prices in Settings">
      {formatUsd(avoidableUsd)}
      {lifetimeUsd !== null && <span className="font-normal text-ink-3"> of {formatUsd(lifetimeUsd)}</span>}
    </span>
  );
}
