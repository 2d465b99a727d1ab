"use client";
// What is no text: where it begins to differ, with the bytes there on both sides.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { LIMITS } from "#lib/kernel/limits.ts";
import { hexRow, offsetDigits, ROW_BYTES } from "../shared/hex.ts";
import { reach } from "../ui/api.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import type { CompareSide } from "./compare-side.ts";
import { byteRows, firstDifference, type ByteRow } from "./byte-rows.ts";

type Sides = readonly [CompareSide, CompareSide];

export function ByteCompare({ sides }: { sides: Sides }) {
  const [left, right] = sides;
  const compared = useQuery({
    queryKey: ["byte-compare", left.identity, right.identity],
    queryFn: async ({ signal }) => {
      const [a, b] = await Promise.all(sides.map((side) => bytesOf(side, signal)));
      const at = firstDifference(a!, b!);
      return { at, rows: at === null ? [] : byteRows(a!, b!, at) };
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  if (compared.error)
    return (
      <div className="border-t border-line px-6 py-4">
        <RequestFailure error={compared.error} title="Their bytes could not be compared" />
      </div>
    );
  if (!compared.data)
    return (
      <div className="border-t border-line px-6 py-4">
        <Loading rows={4} label="Comparing the bytes" />
      </div>
    );
  const { at, rows } = compared.data;
  const digits = offsetDigits(Math.max(left.sizeBytes, right.sizeBytes));
  return (
    <div className="min-h-0 flex-1 overflow-auto border-t border-line px-6 py-3 max-md:px-4">
      <p className="text-ink-2">
        {left.isText || right.isText ? "One side is not text" : "Neither side is text"}. They differ:{" "}
        {formatBytes(left.sizeBytes)} and {formatBytes(right.sizeBytes)}.
      </p>
      <p className="mt-1 font-medium">
        {at === null ? (
          `Their first ${formatBytes(LIMITS.diffBytes)} are the same.`
        ) : (
          <>
            They differ first at byte {formatTokens(at)}:{" "}
            {sides.map(({ href }, side) => (
              <Link
                key={side === 0 ? "left" : "right"}
                className="link mr-3 font-normal"
                href={`${href}?view=hex&offset=${at}`}
              >
                Open {side === 0 ? "left" : "right"}
              </Link>
            ))}
          </>
        )}
      </p>
      {rows.length > 0 && (
        <table
          className="mono mt-3 border-separate border-spacing-0 text-12"
          aria-label="Bytes around the first difference"
        >
          <thead className="text-ink-3">
            <tr className="[&>th]:pr-6 [&>th]:pb-1 [&>th]:text-left [&>th]:font-medium">
              <th scope="col">Offset</th>
              <th scope="col">Left</th>
              <th scope="col">Right</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.offset} className="[&>td]:pr-6 [&>td]:whitespace-pre">
                <td className="text-ink-3">{row.offset.toString(16).padStart(digits, "0")}</td>
                <Bytes row={row} side="left" />
                <Bytes row={row} side="right" />
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** A row of one side; where the sides differ its bytes stand out. */
function Bytes({ row, side }: { row: ByteRow; side: "left" | "right" }) {
  const bytes = row[side];
  return (
    <td>
      {Array.from({ length: ROW_BYTES }, (_, i) => {
        const byte = bytes[i];
        const differs = row.differs.includes(i);
        const tone = !differs
          ? "text-ink-2"
          : side === "left"
            ? "bg-diff-del font-semibold"
            : "bg-diff-add font-semibold";
        return (
          // oxlint-disable-next-line react/no-array-index-key -- bytes never move
          <span key={i} className={byte === undefined ? "" : tone}>
            {byte === undefined ? "   " : hexRow(Uint8Array.of(byte)).hex[0]!.text}
          </span>
        );
      })}
    </td>
  );
}

async function bytesOf({ rawHref, sizeBytes }: CompareSide, signal: AbortSignal): Promise<Uint8Array> {
  const headers: Record<string, string> =
    sizeBytes > LIMITS.diffBytes ? { range: `bytes=0-${LIMITS.diffBytes - 1}` } : {};
  return new Uint8Array(await (await reach(rawHref, { headers, signal })).arrayBuffer());
}
