"use client";
// What the rules as they are typed would take away now.
import Link from "next/link";
import type { ReactNode } from "react";
import type { RetentionPreview } from "#lib/wire/retention-schema.ts";
import { artifactPath } from "../shared/session-queries.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount, formatTokens } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";

type RetentionPreviewTablesProps = {
  preview: RetentionPreview | undefined;
  failure: Error | null;
  /** The rules are saved as they stand. */
  isSaved: boolean;
  hasRule: boolean;
};

export function RetentionPreviewTables({ preview, failure, isSaved, hasRule }: RetentionPreviewTablesProps) {
  return (
    <section aria-label="Preview" className="mt-6">
      <h2 className="text-15 font-semibold">Preview</h2>
      {failure !== null ? (
        <RequestFailure error={failure} title="The preview could not be loaded" />
      ) : (
        <p className="mt-0.5 text-ink-2" aria-live="polite">
          {preview === undefined ? "Counting…" : <Sum preview={preview} isSaved={isSaved} hasRule={hasRule} />}
        </p>
      )}
      {preview !== undefined && preview.artifacts > 0 && (
        <div className="mt-3 grid grid-cols-2 gap-x-8 gap-y-5 max-lg:grid-cols-1">
          <Table
            title="By session"
            rows={preview.bySession.map((row) => ({
              key: row.value,
              name: (
                <Link className="hover:underline" href={`/sessions/${row.value}`}>
                  <SafeText text={row.title} />
                </Link>
              ),
              middle: formatTokens(row.artifacts),
              end: formatBytes(row.bytes),
            }))}
            middle="Artifacts"
          />
          <Table
            title="By tool"
            rows={preview.byTool.map((row) => ({
              key: row.value,
              name: row.value === "" ? <span className="text-ink-3">no tool</span> : <SafeText text={row.value} />,
              middle: formatTokens(row.artifacts),
              end: formatBytes(row.bytes),
            }))}
            middle="Artifacts"
          />
          <Table title="The oldest" rows={preview.oldestRows.map(goingRow)} middle="Created" />
          <Table title="The largest" rows={preview.largestRows.map(goingRow)} middle="Created" />
        </div>
      )}
    </section>
  );
}

function Sum({ preview, isSaved, hasRule }: { preview: RetentionPreview; isSaved: boolean; hasRule: boolean }) {
  if (preview.artifacts === 0)
    return hasRule
      ? "Nothing: no artifact is over these limits now."
      : "No age or size limit: only artifacts with their own expiry.";
  return (
    <>
      <b className="font-semibold text-ink">
        {formatCount(preview.artifacts, "artifact")} of {formatCount(preview.sessions, "session")},{" "}
        {formatBytes(preview.bytes)}
      </b>{" "}
      on the disk, from <When ts={preview.oldest} show="day" /> to <When ts={preview.newest} show="day" />
      {isSaved ? ", with the next sweep." : ", once this is saved."}
    </>
  );
}

type Line = { key: string; name: ReactNode; middle: ReactNode; end: ReactNode };

const goingRow = (row: RetentionPreview["oldestRows"][number]): Line => ({
  key: row.pointer,
  name: (
    <Link className="hover:underline" href={artifactPath(row.pointer)}>
      <SafeText text={row.name ?? `Output of ${row.toolName ?? "a tool"}`} />
    </Link>
  ),
  middle: <When ts={row.createdAt} show="day" />,
  end: formatBytes(row.sizeBytes),
});

function Table({ title, rows, middle }: { title: string; rows: readonly Line[]; middle: string }) {
  return (
    <table className="w-full table-fixed self-start border-separate border-spacing-0">
      <thead>
        <tr className="[&>th]:h-7 [&>th]:border-b [&>th]:border-line-strong [&>th]:text-12 [&>th]:font-medium [&>th]:text-ink-3">
          <th scope="col" className="text-left">
            {title}
          </th>
          <th scope="col" className="w-24 text-right">
            {middle}
          </th>
          <th scope="col" className="w-24 text-right">
            Size
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key} className="[&>td]:h-7 [&>td]:border-b [&>td]:border-line [&>td]:hover:bg-sunk">
            <td className="truncate">{row.name}</td>
            <td className="num text-ink-2">{row.middle}</td>
            <td className="num">{row.end}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
