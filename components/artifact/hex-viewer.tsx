"use client";
// Bytes as they are, 16 a row, fetched by Range where the reader looks.
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { parseAsInteger, useQueryState } from "nuqs";
import { memo, useMemo, useRef, useState, type RefObject } from "react";
import type { ArtifactView } from "#lib/wire/artifacts-schema.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { HEX_BYTES, hexQuery } from "../shared/artifact-queries.ts";
import { hexRow, offsetDigits, readOffset, ROW_BYTES, type HexRun } from "../shared/hex.ts";
import { VirtualLines, type LinesHandle } from "../lines/virtual-lines.tsx";

const KINDS = { text: "text-ink", control: "text-syn-num", high: "text-syn-key", zero: "text-ink-3" };

export function HexViewer({ artifact }: { artifact: ArtifactView }) {
  const [offset, setOffset] = useQueryState("offset", parseAsInteger);
  const [serial, setSerial] = useState(0);
  const lines = useRef<LinesHandle>(null);
  const field = useRef<HTMLInputElement>(null);
  const rows = Math.ceil(artifact.sizeBytes / ROW_BYTES);
  const chosen = offset === null ? null : Math.max(0, Math.min(artifact.sizeBytes - 1, offset));
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: "g g", label: "First byte", group: "Hex", run: () => lines.current?.goTo("first") },
      { keys: "G", label: "Last byte", group: "Hex", run: () => lines.current?.goTo("last") },
      { keys: ":", label: "Go to an offset", group: "Hex", run: () => field.current?.select() },
    ],
    [],
  );
  useShortcuts(shortcuts);
  return (
    <>
      <VirtualLines
        count={rows}
        label="Bytes of the artifact"
        start={chosen === null ? null : Math.floor(chosen / ROW_BYTES)}
        serial={serial}
        handle={lines}
      >
        {(from, to) => <HexRows artifact={artifact} from={from} to={to} chosen={chosen} />}
      </VirtualLines>
      <div className="flex min-h-9 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-6 py-1 text-12 text-ink-3 max-md:px-4">
        <span>{formatCount(artifact.sizeBytes, "byte")}, 16 a row</span>
        <span className="flex gap-2 max-md:hidden">
          <span className={KINDS.text}>text</span>
          <span className={KINDS.control}>control</span>
          <span className={KINDS.high}>80 to ff</span>
          <span className={KINDS.zero}>00</span>
        </span>
        <span className="flex-1" />
        {chosen !== null && (
          <span className="mono text-ink-2">
            {chosen.toLocaleString("en-US")} = 0x{chosen.toString(16)}
          </span>
        )}
        <GoToOffset
          field={field}
          onGoTo={(next) => {
            setSerial((was) => was + 1);
            void setOffset(Math.min(artifact.sizeBytes - 1, next));
          }}
        />
      </div>
    </>
  );
}

type GoToOffsetProps = { field: RefObject<HTMLInputElement | null>; onGoTo: (offset: number) => void };

function GoToOffset({ field, onGoTo }: GoToOffsetProps) {
  const [typed, setTyped] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const offset = readOffset(typed);
        if (offset !== null) onGoTo(offset);
      }}
    >
      <label className="flex items-center gap-1.5">
        Offset
        <input
          ref={field}
          aria-label="Go to offset"
          aria-invalid={typed !== "" && readOffset(typed) === null}
          title="Go to a byte (:), by its decimal number or as 0x1f"
          placeholder="4096 or 0x1000"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          className="mono h-6 w-34 rounded-1 border border-line-strong bg-raised px-1.5 text-12 text-ink hover:border-control"
        />
      </label>
    </form>
  );
}

type HexRowsProps = { artifact: ArtifactView; from: number; to: number; chosen: number | null };

function HexRows({ artifact, from, to, chosen }: HexRowsProps) {
  const first = Math.floor((from * ROW_BYTES) / HEX_BYTES);
  const last = Math.floor((Math.max(from, to - 1) * ROW_BYTES) / HEX_BYTES);
  const { pages, error } = useQueries({
    queries: Array.from({ length: last - first + 1 }, (_, i) => hexQuery(artifact.pointer, artifact.digest, first + i)),
    combine: gather,
  });
  if (error)
    return (
      <div className="p-6">
        <RequestFailure error={error} title="These bytes could not be read" />
      </div>
    );
  const digits = offsetDigits(artifact.sizeBytes);
  return Array.from({ length: Math.max(0, to - from) }, (_, i) => {
    const offset = (from + i) * ROW_BYTES;
    return (
      <Row
        key={offset}
        offset={offset}
        digits={digits}
        page={pages[Math.floor(offset / HEX_BYTES) - first]}
        isChosen={chosen !== null && chosen >= offset && chosen < offset + ROW_BYTES}
      />
    );
  });
}

type RowProps = { offset: number; digits: number; page: Uint8Array | undefined; isChosen: boolean };

const Row = memo(function Row({ offset, digits, page, isChosen }: RowProps) {
  const { hex, text } = hexRow(page?.subarray(offset % HEX_BYTES, (offset % HEX_BYTES) + ROW_BYTES));
  return (
    <div className="artifact-line" data-chosen={isChosen || undefined}>
      <span className="flex-none pr-4 pl-6 text-ink-3 max-md:pr-3 max-md:pl-4">
        {offset.toString(16).padStart(digits, "0")}
      </span>
      <code className="w-[50ch] flex-none">
        <Runs runs={hex} />
      </code>
      <code>
        <Runs runs={text} />
      </code>
    </div>
  );
});

function Runs({ runs }: { runs: readonly HexRun[] }) {
  return runs.map(({ kind, text }, i) => (
    // oxlint-disable-next-line react/no-array-index-key -- the bytes of one row never move
    <span key={i} className={KINDS[kind]}>
      {text}
    </span>
  ));
}

function gather(results: UseQueryResult<Uint8Array>[]) {
  return {
    pages: results.map((result) => result.data),
    error: results.find((result) => result.error)?.error ?? null,
  };
}
