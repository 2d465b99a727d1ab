"use client";
import { Download } from "lucide-react";
import Link from "next/link";
import type { ArtifactOrigin, ArtifactRow, ArtifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { briefLabel } from "#lib/kernel/log/tool-summary.ts";
import { Badge } from "../ui/badge.tsx";
import type { DataColumn } from "../ui/data-table.tsx";
import { formatBytes, formatTokens } from "../ui/format.ts";
import { Absent } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";

/** No column is wider than so many. */
const NAME_CHARS = 300;

/** What its title does not say: the name that it is stored by, or its tool's input. */
function besideOf(row: ArtifactRow): string {
  const { label, name } = row;
  if (name !== null && artifactTitle(row) !== name) return name;
  const request = label == null ? "" : briefLabel(label);
  return name !== null && request.endsWith(name) ? "" : request;
}

/** A thumbnail is the image itself, made small: larger ones are not fetched for a list. */
const THUMBNAIL_BYTES = 1_000_000;
const PIXELS = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/u;

function Thumbnail({ row }: { row: ArtifactRow }) {
  if (row.state !== "live" || !PIXELS.test(row.contentType) || row.sizeBytes > THUMBNAIL_BYTES) return null;
  return (
    <img
      src={`/api/artifacts/${encodeURIComponent(row.pointer)}/raw?inline=1`}
      alt=""
      width={24}
      height={24}
      loading="lazy"
      decoding="async"
      className="size-6 flex-none self-center rounded-1 border border-line bg-sunk object-cover"
    />
  );
}

/** How an artifact came to be here, in a word. */
export const ORIGIN_WORDS: Record<ArtifactOrigin, string> = {
  imported: "imported",
  auto: "offloaded",
  manual: "stored",
  upload: "uploaded",
  migrated: "migrated",
};

type Sort = ArtifactsQuery["sort"];

/** The artifacts table: what it is, where it came from, how large, and its bytes one click away. */
export const COLUMNS: readonly DataColumn<ArtifactRow, Sort>[] = [
  {
    id: "name",
    name: "Artifact",
    width: 0,
    sort: "name",
    cell: (row) => (
      <span className="flex items-center gap-2">
        <Thumbnail row={row} />
        <Link
          prefetch={false}
          href={`/artifacts/${encodeURIComponent(row.pointer)}`}
          data-opens=""
          className="min-w-0 truncate font-medium hover:underline"
        >
          <SafeText text={artifactTitle(row).slice(0, NAME_CHARS)} />
        </Link>
        <span className="min-w-0 shrink-[9999] truncate text-ink-2">
          <SafeText text={besideOf(row)} />
        </span>
        {row.state !== "live" && <Badge tone="error">{row.state}</Badge>}
        {row.isError && <Badge tone="error">error</Badge>}
        <span className="mono min-w-0 shrink-[99999] truncate text-ink-3">{row.id}</span>
      </span>
    ),
  },
  {
    id: "type",
    name: "Type",
    width: 150,
    sort: "type",
    from: 800,
    cell: (row) => (
      <span className="text-ink-2">
        <SafeText text={row.contentType} />
      </span>
    ),
  },
  {
    id: "tool",
    name: "Tool",
    width: 130,
    sort: "tool",
    from: 700,
    cell: (row) => (row.toolName === null ? <Absent /> : <SafeText text={row.toolName} />),
  },
  {
    id: "origin",
    name: "Origin",
    width: 88,
    from: 1040,
    cell: (row) => <span className="text-ink-2">{ORIGIN_WORDS[row.origin]}</span>,
  },
  {
    id: "session",
    name: "Session",
    width: 230,
    from: 960,
    cell: (row) => (
      <Link
        prefetch={false}
        href={`/sessions/${row.sessionId}${row.seq === null ? "" : `?event=${row.seq}`}`}
        className="text-ink-2 hover:underline"
      >
        <SafeText text={row.sessionTitle ?? row.sessionId} />
      </Link>
    ),
  },
  { id: "size", name: "Size", width: 80, number: true, sort: "size", cell: (row) => formatBytes(row.sizeBytes) },
  {
    id: "lines",
    name: "Lines",
    width: 76,
    number: true,
    from: 640,
    cell: (row) => (row.lineCount === null ? <Absent why="Not text" /> : formatTokens(row.lineCount)),
  },
  {
    id: "created",
    name: "Created",
    width: 130,
    number: true,
    sort: "created",
    from: 860,
    cell: (row) => (
      <span className="text-ink-2">
        <When ts={row.createdAt} />
      </span>
    ),
  },
  {
    id: "expires",
    name: "Expires",
    width: 92,
    number: true,
    sort: "expires",
    from: 1200,
    cell: (row) =>
      row.expiresAt === null ? (
        <span className="text-ink-3">never</span>
      ) : (
        <span className="text-ink-2">
          <When ts={row.expiresAt} show="day" />
        </span>
      ),
  },
  {
    id: "download",
    name: "Download",
    quiet: true,
    width: 40,
    number: true,
    cell: (row) =>
      row.state === "live" && (
        <a
          href={`/api/artifacts/${encodeURIComponent(row.pointer)}/raw`}
          download
          aria-label={`Download ${shownText(row.name ?? row.id)}`}
          title={`Download ${formatBytes(row.sizeBytes)}`}
          className="inline-grid size-6 place-items-center rounded-1 text-ink-2 hover:bg-select hover:text-ink"
        >
          <Download size={13} aria-hidden="true" />
        </a>
      ),
  },
];
