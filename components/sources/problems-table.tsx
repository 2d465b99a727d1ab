"use client";
import { useMemo } from "react";
import type { z } from "zod";
import { problemRow, problemsAnswer } from "#lib/wire/sources-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { DataTable, type DataColumn } from "../ui/data-table.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { usePages } from "../ui/use-pages.ts";
import { PathText } from "./path-text.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";

type Problem = z.infer<typeof problemRow>;

const columnsOf = (onFile: (path: string) => void): readonly DataColumn<Problem>[] => [
  {
    id: "file",
    name: "File",
    width: 0,
    cell: (row) => (
      <button
        type="button"
        onClick={() => onFile(row.path)}
        title={`Only the problems of ${shownText(row.path)}`}
        className="block max-w-full hover:underline"
      >
        <PathText path={row.path} />
      </button>
    ),
  },
  { id: "line", name: "Line", width: 72, number: true, cell: (row) => formatTokens(row.line) },
  {
    id: "bytes",
    name: "Bytes from, to",
    width: 176,
    number: true,
    from: 800,
    cell: (row) => (
      <span className="text-ink-2">
        {formatTokens(row.byteStart)}, {formatTokens(row.byteEnd)}
      </span>
    ),
  },
  {
    id: "reason",
    name: "What is the matter",
    width: 480,
    from: 560,
    cell: (row) => (
      <span title={shownText(row.reason)} className="pl-4">
        <SafeText text={row.reason} />
      </span>
    ),
  },
];

type ProblemsTableProps = { path: string | null; onFile: (path: string) => void };

/** What could not be understood, line by line. The bytes of each are kept as an event of their session. */
export function ProblemsTable({ path, onFile }: ProblemsTableProps) {
  const columns = useMemo(() => columnsOf(onFile), [onFile]);
  const pages = usePages<z.infer<typeof problemsAnswer>, Problem>({
    key: ["sources", "problems", path],
    ask: (part, signal) => api(withQuery("/api/sources/problems", { path, ...part }), problemsAnswer, { signal }),
    rowsOf: (answer) => answer.problems,
    totalOf: (answer) => answer.total,
  });
  if (pages.failure !== null) {
    return (
      <div className="px-6 py-2">
        <RequestFailure error={pages.failure} title="The problems could not be asked for" />
      </div>
    );
  }
  if (pages.answer === undefined) {
    return (
      <div className="px-6">
        <Loading rows={8} label="Loading problems" />
      </div>
    );
  }
  if (pages.total === 0) return <p className="px-6 py-3 text-ink-2">Every line of every file was understood.</p>;
  return <DataTable key={path} label="Problems" columns={columns} pages={pages} />;
}
