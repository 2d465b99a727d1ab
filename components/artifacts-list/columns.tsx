"use client";
import { Download } from "lucide-react";
import Link from "next/link";
import type { ArtifactOrigin, ArtifactRow, ArtifactsQuery } from "#lib/wire/artifacts-schema.ts";
import { artifactTitle } from "#lib/kernel/log/artifact-title.ts";
import { briefLabel } from "#lib/kernel/log/tool-summary.ts";
import { NO_PRICE } from "#lib/kernel/load/load-labels.ts";
import { Badge } from "../ui/badge.tsx";
import type { DataColumn } from "../ui/data-table.tsx";
import { formatBytes, formatCount, formatTokens, formatUsd } from "../ui/format.ts";
import { Absent, Num } from "../ui/num.tsx";
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
type Load = NonNullable<ArtifactRow["load"]>;

const NOT_COUNTED = "Its session is not counted yet";

const carriedWords = ({ calls, isOld }: Load): string =>
  `carried by ${formatCount(calls, "model call")}${isOld ? " when its session was last counted" : ""}`;

/** The artifacts table: what it is, where it came from, how large, and its bytes one click away. */
export const COLUMNS: readonly DataColumn<ArtifactRow, Sort>[] = [
  {
    id: "name",
    name: "Artifact",
    width: 0,
    sort: "name",
    cell: (row) => (
      // A digest that is cut says nothing: where it does not fit it wraps below the line, out of sight.
      <span className="flex h-6 flex-wrap content-start gap-x-2 overflow-hidden leading-6">
        <span className="flex h-6 max-w-full items-center gap-2">
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
          {row.load?.saw === "preview" && (
            <Badge title="The model saw a part: tokens, calls and cost are of that.">part seen</Badge>
          )}
        </span>
        <span className="mono leading-6! text-ink-3">{row.id}</span>
      </span>
    ),
  },
  {
    id: "type",
    name: "Type",
    width: 126,
    sort: "type",
    from: 900,
    cell: (row) => (
      <span className="text-ink-2">
        <SafeText text={row.contentType} />
      </span>
    ),
  },
  {
    id: "tool",
    name: "Tool",
    width: 104,
    sort: "tool",
    from: 800,
    cell: (row) => (row.toolName === null ? <Absent /> : <SafeText text={row.toolName} />),
  },
  {
    id: "origin",
    name: "Origin",
    width: 84,
    from: 1500,
    cell: (row) => <span className="text-ink-2">{ORIGIN_WORDS[row.origin]}</span>,
  },
  {
    id: "session",
    name: "Session",
    width: 190,
    from: 1020,
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
    // Seven digits with their commas, as in the next one.
    width: 86,
    number: true,
    from: 1120,
    cell: (row) => (row.lineCount === null ? <Absent why="Not text" /> : formatTokens(row.lineCount)),
  },
  {
    id: "tokens",
    name: "Tokens",
    width: 104,
    number: true,
    sort: "tokens",
    isFirstBelow: true,
    from: 620,
    cell: ({ load }) =>
      !load ? (
        <Absent why={NOT_COUNTED} />
      ) : load.tokens === null ? (
        <Absent why="Not text" />
      ) : (
        <Num value={load.tokens} origin={load.origin ?? "estimated"} />
      ),
  },
  {
    id: "calls",
    name: "Calls",
    width: 58,
    number: true,
    sort: "calls",
    isFirstBelow: true,
    from: 620,
    cell: ({ load, seq }) =>
      !load ? (
        <Absent why={NOT_COUNTED} />
      ) : seq === null ? (
        <Absent why="Stored on purpose: no model call carried it" />
      ) : (
        <span title={carriedWords(load)}>{formatTokens(load.calls)}</span>
      ),
  },
  {
    id: "cost",
    name: "Cost",
    width: 72,
    number: true,
    sort: "cost",
    isFirstBelow: true,
    from: 620,
    cell: ({ load, seq }) =>
      !load ? (
        <Absent why={NOT_COUNTED} />
      ) : load.usd === null ? (
        <Absent why={seq === null || load.calls === 0 ? "No model call carried it" : NO_PRICE} />
      ) : (
        <span title={`${formatUsd(load.usd)}, ${carriedWords(load)}`}>{formatUsd(load.usd)}</span>
      ),
  },
  {
    id: "created",
    name: "Created",
    width: 156,
    number: true,
    sort: "created",
    from: 1260,
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
    from: 1600,
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
