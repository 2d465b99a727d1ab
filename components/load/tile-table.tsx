"use client";
// The treemap's numbers as a table: for a screen reader, and for an eye that wants the exact figures.
import { CATEGORY_NAMES } from "#lib/wire/common-schema.ts";
import { useState } from "react";
import type { LedgerItemRow } from "#lib/wire/ledger-schema.ts";
import { Dialog } from "../ui/dialog.tsx";
import { formatCount } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { Swatch } from "../ui/swatch.tsx";
import { Weight } from "./weight.tsx";

/** Of 20,000 items a dialog shows the heaviest; the rest together are said. */
const ROWS = 300;

type TileTableProps = { items: readonly LedgerItemRow[]; call: number; openEvent: (seq: number) => void };

export function TileTable({ items, call, openEvent }: TileTableProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="flex-none text-12 text-accent hover:underline"
        onClick={() => setOpen(true)}
        aria-haspopup="dialog"
      >
        Items as a table
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title={`The context of call ${call}`} width={760}>
        <p className="mb-2 text-12 text-ink-3">
          {items.length > ROWS
            ? `The heaviest ${ROWS} of ${formatCount(items.length, "item")}.`
            : `${formatCount(items.length, "item")}.`}
        </p>
        <table className="w-full table-fixed text-12">
          <thead>
            <tr className="border-b border-line-strong text-ink-3">
              <th scope="col" className="text-left font-medium">
                Item
              </th>
              <th scope="col" className="w-32 px-2 text-left font-medium">
                Category
              </th>
              <th scope="col" className="num w-20 px-2 font-medium">
                Since call
              </th>
              <th scope="col" className="num w-24 pr-2 font-medium">
                Tokens
              </th>
            </tr>
          </thead>
          <tbody>
            {items.slice(0, ROWS).map((item, i) => (
              // oxlint-disable-next-line react/no-array-index-key -- what is not in the file has no other name
              <tr key={i} className="h-6 border-b border-line">
                <th scope="row" className="truncate text-left font-normal">
                  {item.seq === null ? (
                    <SafeText text={item.label} />
                  ) : (
                    <button
                      type="button"
                      className="max-w-full truncate hover:underline"
                      onClick={() => item.seq !== null && openEvent(item.seq)}
                    >
                      <SafeText text={item.label} />
                    </button>
                  )}
                </th>
                <td className="px-2 whitespace-nowrap">
                  <span className="flex items-center gap-2">
                    <Swatch category={item.kind} />
                    {CATEGORY_NAMES[item.kind]}
                  </span>
                </td>
                <td className="num px-2">{item.enteredAt}</td>
                <td className="num pr-2">
                  <Weight item={item} origin={item.origin} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Dialog>
    </>
  );
}
