"use client";
// A table of what strangers wrote: read, sorted and filtered in a worker; only what is on screen is drawn.
import { useCallback, useMemo, useState, type ReactNode, useEffect, useSyncExternalStore } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Progress as ProgressBar } from "../ui/gauge.tsx";
import { Loading } from "../ui/loading.tsx";
import type { Arrangement } from "./arrange.ts";
import type { Choices, Choose } from "./column-choices.ts";
import { DataGrid } from "./data-grid.tsx";
import { RowDetail } from "./row-detail.tsx";
import { TableBar } from "./table-bar.tsx";
import type { Field, Progress, TableAsks, TableSource } from "./table-words.ts";
import "./table.css";
import { NOTHING_YET, TableClient, type TableSnapshot } from "./table-client.ts";

type TableViewProps = {
  source: TableSource;
  choices: readonly [Choices, Choose];
  /** Name of the CSV that is downloaded, without its ending. */
  name: string;
  /** Where all of it can be had, when not all of it is shown. */
  download?: ReactNode;
  /** Said with the other notes. */
  note?: string | null;
  asks?: TableAsks | undefined;
  /** Below the fields of a row that was opened. */
  renderBelow?: ((row: number, fields: readonly Field[]) => ReactNode) | undefined;
};

export function TableView({
  source,
  choices: [choices, choose],
  name,
  download,
  note = null,
  asks,
  renderBelow,
}: TableViewProps) {
  const { sort, query, filters, hidden, row } = choices;
  const arrangement = useMemo<Arrangement>(
    () => ({ sort, query: query.trim(), filters: filters.filter(({ text }) => text !== "") }),
    [sort, query, filters],
  );
  const [table, client] = useTable(source, arrangement);
  const columns = table.progress?.columns;
  const shown = useMemo(() => {
    const away = new Set(hidden);
    return (columns ?? []).map((_, at) => at).filter((at) => !away.has(at));
  }, [columns, hidden]);
  const [widths, setWidths] = useState<ReadonlyMap<number, number>>(new Map());
  const setWidth = useCallback((at: number, px: number) => setWidths((now) => new Map(now).set(at, px)), []);
  if (table.failure !== null)
    return (
      <div className="p-6">
        <Failure code="failed" title="This table could not be read">
          {table.failure}
        </Failure>
      </div>
    );
  if (table.progress === null)
    return (
      <div className="flex-1 px-6 py-2">
        <Loading rows={8} height={28} label="Loading the table" />
      </div>
    );
  const { progress } = table;
  const isEmpty = progress.isDone && progress.rows === 0;
  const isWaiting = !progress.isDone && progress.rows === 0;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      {!isEmpty && !isWaiting && (
        <TableBar table={table} choices={choices} choose={choose} onCsv={() => void saveCsv(client.csv(shown), name)} />
      )}
      {isWaiting ? (
        <div className="min-h-0 flex-1 overflow-hidden px-6 py-2">
          <Loading rows={8} height={28} label="Loading the table" />
        </div>
      ) : isEmpty ? (
        <p className="flex-1 px-6 py-4 text-ink-3">There are no rows in it.</p>
      ) : (
        <DataGrid
          table={table}
          client={client}
          shown={shown}
          choices={choices}
          choose={choose}
          widths={{ of: widths, set: setWidth }}
          asks={asks}
        />
      )}
      {row !== null && progress.isDone && row < progress.rows && (
        <RowDetail
          key={row}
          client={client}
          row={row}
          version={table.version}
          renderBelow={renderBelow}
          onClose={() => choose({ row: null })}
        />
      )}
      <Foot progress={progress} source={source} download={download} note={note} onStop={() => client.stop()} />
    </div>
  );
}

type FootProps = Pick<TableViewProps, "source" | "download"> & {
  progress: Progress;
  note: string | null;
  onStop: () => void;
};

function Foot({ progress, source, download, note, onStop }: FootProps) {
  const notes = [...progress.notes, ...(note === null ? [] : [note])];
  const isReading = !progress.isDone && source.kind === "url";
  return (
    <div className="flex flex-none flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-6 py-1.5 text-12 text-ink-3 max-md:px-4">
      {/* Only what came of the reading is said, not each row; of a jq run its own line says it. */}
      <output aria-live={isReading || source.kind === "text" ? "off" : "polite"}>
        {isReading
          ? `Reading: ${formatCount(progress.rows, "row")}, ${formatBytes(progress.bytes)} of ${formatBytes(source.bytes)}`
          : `${formatCount(progress.rows, "row")}, ${formatCount(progress.columns.length, "column")}. ${capWords(progress, source)}`}
      </output>
      {isReading && (
        <>
          <ProgressBar done={progress.bytes} of={source.bytes} label="Bytes read" width={120} />
          <Button small kind="quiet" onClick={onStop}>
            Cancel
          </Button>
        </>
      )}
      {notes.map((text) => (
        <span key={text}>{text}</span>
      ))}
      {(progress.cap !== null || progress.isStopped) && download}
    </div>
  );
}

function capWords({ cap, isStopped, rows, bytes }: Progress, source: TableSource): string {
  const of = source.kind === "url" ? ` of ${formatBytes(source.bytes)}` : "";
  if (isStopped) return `Stopped by you after ${formatBytes(bytes)}${of}.`;
  if (cap === "rows") return `The first ${LIMITS.tableRows.toLocaleString("en-US")} rows are shown, which is the most.`;
  if (cap === "cells")
    return `The first ${rows.toLocaleString("en-US")} rows are shown: 16 million cells are the most.`;
  if (cap === "bytes") return `The first ${formatBytes(LIMITS.tableBytes)}${of} are shown, which is the most.`;
  return "";
}

/** Hands a file to the person without a request. */
async function saveCsv(made: Promise<Blob>, name: string): Promise<void> {
  const url = URL.createObjectURL(await made);
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name.replaceAll(/[\\/\p{Cc}\p{Cf}]/gu, "_").slice(0, 80) || "table"}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const nothing = (): TableSnapshot => NOTHING_YET;

/** A worker for as long as the table is shown. `source` and `arrangement` must be stable (useMemo). */
function useTable(source: TableSource, arrangement: Arrangement): [TableSnapshot, TableClient] {
  const client = useMemo(() => new TableClient(source), [source]);
  const snapshot = useSyncExternalStore(client.subscribe, client.snapshot, nothing);
  useEffect(() => client.arrange(arrangement), [client, arrangement]);
  // A result is followed by the next at every key: the one before stays until there are rows, so that nothing flickers.
  const [kept, setKept] = useState(NOTHING_YET);
  const isThere = snapshot.failure !== null || snapshot.window.rows.length > 0 || snapshot.progress?.isDone === true;
  if (source.kind === "text" && isThere && kept !== snapshot) setKept(snapshot);
  return [source.kind === "text" && !isThere ? kept : snapshot, client];
}
