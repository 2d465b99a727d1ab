"use client";
import Link from "next/link";
import { useMemo } from "react";
import { sourcesAnswer, type SourceRow, type SourcesAnswer } from "#lib/wire/sources-schema.ts";
import { useIsNode } from "../ui/access-context.ts";
import { api, withQuery } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { DataTable, type DataColumn } from "../ui/data-table.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { usePages } from "../ui/use-pages.ts";
import { When } from "../ui/when.tsx";
import { RestoreButton } from "../shared/restore-button.tsx";
import { DeletionCell } from "./deletion-cell.tsx";
import { PathText } from "./path-text.tsx";
import type { SourceQuestion } from "./source-filters.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";

type FilesTableProps = {
  question: SourceQuestion;
  onProblems: (path: string) => void;
};

/** Every file that was found, and what came of it. */
export function FilesTable({ question, onProblems }: FilesTableProps) {
  const pages = usePages<SourcesAnswer, SourceRow>({
    key: ["sources", "files", question],
    ask: (part, signal) => api(withQuery("/api/sources", { ...question, ...part }), sourcesAnswer, { signal }),
    rowsOf: (answer) => answer.sources,
    totalOf: (answer) => answer.total,
  });
  const columns = useMemo(() => columnsOf(onProblems), [onProblems]);
  if (pages.failure !== null) {
    return (
      <div className="px-6 py-2">
        <RequestFailure
          error={pages.failure}
          title="The sources could not be asked for"
          action={<Button onClick={() => pages.retry()}>Try again</Button>}
        />
      </div>
    );
  }
  if (pages.answer === undefined) {
    return (
      <div className="px-6">
        <Loading rows={12} label="Loading sources" />
      </div>
    );
  }
  if (pages.total === 0) return <p className="px-6 py-3 text-ink-2">No file matches.</p>;
  return <DataTable key={JSON.stringify(question)} label="Files" columns={columns} pages={pages} isPlain />;
}

function columnsOf(onProblems: (path: string) => void): readonly DataColumn<SourceRow>[] {
  return [
    { id: "file", name: "File", width: 0, cell: (row) => <PathText path={row.label} /> },
    { id: "state", name: "State", width: 210, from: 700, cell: (row) => <FileState row={row} /> },
    { id: "session", name: "Session", width: 220, from: 1000, cell: (row) => <SessionLink row={row} /> },
    { id: "size", name: "Size", width: 76, number: true, cell: (row) => formatBytes(row.sizeBytes) },
    { id: "records", name: "Records", width: 76, number: true, from: 1240, cell: (row) => formatTokens(row.records) },
    { id: "events", name: "Events", width: 76, number: true, from: 900, cell: (row) => formatTokens(row.events) },
    {
      id: "problems",
      name: "Problems",
      width: 84,
      number: true,
      cell: (row) =>
        row.problems === 0 ? (
          <span className="text-ink-3">–</span>
        ) : (
          <button
            type="button"
            className="link"
            aria-label={`Show the ${row.problems} problems of this file`}
            onClick={() => onProblems(row.path)}
          >
            {formatTokens(row.problems)}
          </button>
        ),
    },
    {
      id: "read",
      name: "Read",
      width: 110,
      number: true,
      from: 820,
      cell: (row) => (
        <span className="text-ink-2">
          <When ts={row.importedAt} />
        </span>
      ),
    },
    {
      id: "deletion",
      name: "Deletion",
      width: 112,
      number: true,
      from: 900,
      cell: (row) => <DeletionCell row={row} />,
    },
    {
      id: "restore",
      name: "Restore",
      quiet: true,
      width: 72,
      number: true,
      from: 700,
      cell: (row) => <Restore row={row} />,
    },
    {
      id: "bytes",
      name: "Bytes that were read",
      quiet: true,
      width: 60,
      number: true,
      from: 1100,
      cell: (row) =>
        row.records > 0 && (
          <a className="link" href={withQuery("/api/sources/raw", { path: row.path })} title="The bytes that were read">
            Bytes
          </a>
        ),
    },
  ];
}

/** What is there needs no restoring; its session offers it all the same. */
function Restore({ row }: { row: SourceRow }) {
  const [first] = row.sessions;
  const isGone = row.status === "gone" || row.status === "earlier version";
  return first !== undefined && isGone && <RestoreButton id={first.id} isPlain />;
}

/** Telemetry of a session that has a file is no copy of it: it says what the agent reported. */
function badgeOf({ status, format, path }: SourceRow, isNode: boolean): string {
  if (status === "ok") return "partly read";
  // Its file is where it was sent from.
  if (status === "gone" && isNode && path.startsWith("bundle:")) return "from the fleet";
  if (status === "gone") return "deleted, kept here";
  return status === "older copy" && format === "otlp" ? "joined" : status;
}

/** What the file's own first record looked like, or else what its format is recognised by. */
const foundIn = (why: string): string => why.split(" Found: ").at(-1)!.replace(/\.$/, "");

function FileState({ row }: { row: SourceRow }) {
  const isNode = useIsNode();
  if (row.status === "ok" && row.reason === null)
    return (
      <span className="block truncate text-ink-2" title={row.why === null ? undefined : shownText(row.why)}>
        {row.formatLabel ?? row.format ?? "read"}
        {row.why !== null && (
          <span className="text-12 text-ink-3">
            {" · "}
            <SafeText text={foundIn(row.why)} />
          </span>
        )}
      </span>
    );
  const badge = row.status === "failed" ? <Badge tone="error">not read</Badge> : <Badge>{badgeOf(row, isNode)}</Badge>;
  return (
    <span className="flex items-center gap-2" title={row.reason === null ? undefined : shownText(row.reason)}>
      {badge}
      {row.reason !== null && (
        <span className="truncate text-12 text-ink-2">
          <SafeText text={row.reason} />
        </span>
      )}
    </span>
  );
}

function SessionLink({ row }: { row: SourceRow }) {
  const [first] = row.sessions;
  if (first === undefined) return <Absent why="No session came from it" />;
  return (
    <Link prefetch={false} href={`/sessions/${first.id}`} className="hover:underline">
      <SafeText text={first.title} />
      {row.sessions.length > 1 && <span className="text-ink-3"> and {row.sessions.length - 1} more</span>}
    </Link>
  );
}
