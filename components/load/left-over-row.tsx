"use client";
import { formatTokens, formatUsd } from "../ui/format.ts";
import { Absent, Num } from "../ui/num.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { MIDDLE, WIDE } from "./columns.ts";
import type { LeftOver } from "./ledger-view.ts";
import type { LoadPlace } from "./load-place.ts";

type LeftOverRowProps = { left: LeftOver; first: boolean; place: LoadPlace };

/** What stands in no file: unranked, because nobody can be named for it. */
export function LeftOverRow({ left, first, place }: LeftOverRowProps) {
  return (
    <tr className={`h-7 ${first ? "border-t border-line-strong" : "border-t border-line"}`}>
      <td>
        <span className="sr-only">unranked</span>
      </td>
      <td className="px-2">
        <span className="flex items-center gap-2">
          <Swatch category={left.kind === "prefix" && !left.again ? "prefix" : "unattributed"} />
          <span className="min-w-0 truncate" title={left.label}>
            {left.label}
          </span>
        </span>
      </td>
      <td className={`num px-2 ${MIDDLE}`}>
        <button
          type="button"
          className="hover:underline"
          title={`Put the cursor on call ${left.fromCall}`}
          onClick={() => place.goToCall(left.fromCall)}
        >
          {formatTokens(left.fromCall)}
        </button>
      </td>
      <td className="num px-2" title="The most of it in one prompt">
        <Num value={left.tokens} origin="reported" />
      </td>
      <td className={`num px-2 ${MIDDLE}`}>{formatTokens(left.calls)}×</td>
      <td className={`num px-2 ${WIDE}`}>
        <Num value={left.lifetimeTokens} origin="reported" short />
      </td>
      <td className="num px-2" title="What it cost in all">
        {left.lifetimeUsd === null ? <Absent why="No price is known" /> : formatUsd(left.lifetimeUsd)}
      </td>
      <td className={`num px-2 ${WIDE}`}>
        <Absent />
      </td>
      <td className={`truncate px-2 text-ink-3 ${MIDDLE}`} title={left.hint}>
        {left.hint}
      </td>
      <td className="num px-2">
        <Absent />
      </td>
    </tr>
  );
}
