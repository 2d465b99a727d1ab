"use client";
// Earlier versions of a session's file: when each was replaced, its bytes, and how it differs from what the file holds now.
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { versionsAnswer, type SessionVersion } from "#lib/wire/restore-schema.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { api, withQuery } from "../ui/api.ts";
import { Badge } from "../ui/badge.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes, formatCount } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";

type LayerProps = { readonly id: string; readonly onClose: () => void };

export function VersionsLayer({ id, onClose }: LayerProps) {
  const answer = useQuery({
    queryKey: ["session", id, "versions"],
    queryFn: ({ signal }) => api(`/api/sessions/${encodeURIComponent(id)}/versions`, versionsAnswer, { signal }),
  });
  return (
    <Dialog open onClose={onClose} title="Earlier versions of the file" width={760}>
      {answer.error !== null ? (
        <RequestFailure error={answer.error} title="The versions could not be compared" />
      ) : answer.data === undefined ? (
        <Loading rows={4} height={28} label="Comparing versions" />
      ) : (
        <ul>
          {answer.data.versions.map((version) => (
            <Version key={version.number} version={version} session={id} onClose={onClose} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

type VersionProps = { readonly version: SessionVersion; readonly session: string; readonly onClose: () => void };

function Version({ version, session, onClose }: VersionProps) {
  const seesAll = useSeesAll();
  const { number, id, replacedAt, records, sizeBytes, path, isRestorable, differences } = version;
  return (
    <li className="border-t border-line py-3 first:border-t-0 first:pt-1">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <Link prefetch={false} href={`/sessions/${id}`} className="link font-semibold">
          Version {number}
        </Link>
        <span className="text-12 text-ink-2">
          replaced <When ts={replacedAt} />
        </span>
        <span className="text-12 text-ink-2 tabular-nums">
          {formatCount(records, "record")}, {formatBytes(sizeBytes)}
        </span>
        {seesAll && (
          <a
            className="link ml-auto text-12"
            href={withQuery("/api/sources/raw", { path })}
            download
            title="The bytes that the file no longer holds"
          >
            Download bytes
          </a>
        )}
      </div>
      <p className="mt-0.5">{summaryOf(version)}</p>
      {!isRestorable && <p className="text-12 text-ink-2">Only the records that the file lost are stored.</p>}
      {differences.length > 0 && <Differences version={version} session={session} onClose={onClose} />}
    </li>
  );
}

function summaryOf({ removed, changed, added }: SessionVersion): string {
  const since = added === null ? "" : `, ${added.toLocaleString("en-US")} added since`;
  return `${formatCount(removed, "event")} removed, ${changed.toLocaleString("en-US")} changed${since}`;
}

/** A screen of them; the button shows the rest of those that are listed. */
const SHOWN = 8;
const TONES = { removed: "error", changed: "plain", added: "quiet" } as const;

function Differences({ version: { id, differences, removed, changed, added }, session, onClose }: VersionProps) {
  const [isWhole, setWhole] = useState(false);
  const all = removed + changed + (added ?? 0);
  const shown = isWhole ? differences : differences.slice(0, SHOWN);
  return (
    <>
      <ul className="mt-1.5 text-12" aria-label="Differences">
        {shown.map(({ kind, type, label, seq, seqNow }) => (
          <li key={`${kind} ${seq} ${seqNow}`} className="flex min-h-6 items-center gap-2">
            <span className="w-18 flex-none">
              <Badge tone={TONES[kind]}>{kind}</Badge>
            </span>
            <Link
              prefetch={false}
              href={seq === null ? `/sessions/${session}?event=${seqNow}` : `/sessions/${id}?event=${seq}`}
              className="link w-20 flex-none tabular-nums"
              onClick={onClose}
            >
              event {seq ?? seqNow}
            </Link>
            <span className="w-24 flex-none truncate text-ink-2 max-[560px]:hidden">{type.replaceAll("_", " ")}</span>
            <span className="min-w-0 flex-1 truncate">
              <SafeText text={label} />
            </span>
          </li>
        ))}
      </ul>
      {!isWhole && differences.length > SHOWN && (
        <button type="button" className="link text-12" onClick={() => setWhole(true)}>
          Show {differences.length - SHOWN} more
        </button>
      )}
      {isWhole && all > differences.length && (
        <p className="text-12 text-ink-3">
          First {differences.length} of {all.toLocaleString("en-US")} differences.
        </p>
      )}
    </>
  );
}
