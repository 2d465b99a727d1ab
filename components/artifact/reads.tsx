"use client";
// Who read an artifact back.
import Link from "next/link";
import type { ArtifactReads } from "#lib/wire/artifact-history-schema.ts";
import { Badge } from "../ui/badge.tsx";
import { formatBytes, formatCount, formatPercent } from "../ui/format.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { Num } from "../ui/num.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { AsideSection } from "./aside-section.tsx";
import { readLabel } from "../shared/read-label.ts";

const HOLDERS: Readonly<Record<string, string>> = { browser: "a browser", token: "a token" };

/** `browser:2f4d8fcc6920d766` in words; a name of another kind is its own. */
const readerOf = (who: string): string => HOLDERS[/^(\w+):/u.exec(who)?.[1] ?? ""] ?? who;

type ReadsProps = { reads: ArtifactReads; sessionId: string; sizeBytes: number };

export function Reads({ reads, sessionId, sizeBytes }: ReadsProps) {
  const { total, bytes, errors, rows, calls } = reads;
  return (
    <AsideSection title="Read back" hint={total === 0 ? "" : formatCount(total, "time")}>
      {total === 0 && calls.length === 0 && <p>Never read back.</p>}
      {total > 0 && (
        <p>
          {formatBytes(bytes)} came back, {formatPercent(sizeBytes === 0 ? 0 : bytes / sizeBytes)} of what is stored
          {errors > 0 && `; ${formatCount(errors, "read")} ended in an error`}.
        </p>
      )}
      {calls.length > 0 && (
        <>
          <h3 className="mt-2 text-ink-3">Later calls of the session</h3>
          <ul aria-label="Later calls that read it">
            {calls.map((call) => (
              <li key={call.seq} className="flex items-baseline gap-2 border-b border-line py-1 last:border-b-0">
                <Link className="link flex-none tabular-nums" href={`/sessions/${sessionId}?event=${call.seq}`}>
                  {call.seq}
                </Link>
                <span className="flex-none text-ink">
                  <SafeText text={call.toolName} />
                </span>
                <span className="mono min-w-0 flex-1 truncate" title={shownText(call.input)}>
                  <SafeText text={readLabel(call.input)} />
                </span>
                {call.tokens !== null && (
                  <span className="num flex-none">
                    <Num value={call.tokens} origin={call.origin ?? "estimated"} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {rows.length > 0 && (
        <>
          <h3 className="mt-2 text-ink-3">Recorded, newest first</h3>
          <ul aria-label="Reads" className="max-h-72 overflow-y-auto">
            {rows.map((read, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- reads are only added, and two may be alike
              <li key={at} className="border-b border-line py-1 last:border-b-0">
                <div className="flex items-baseline gap-2">
                  <span className="flex-none text-ink">
                    <SafeText text={read.tool} />
                  </span>
                  <span className="mono min-w-0 flex-1 truncate" title={shownText(read.request)}>
                    <SafeText text={readLabel(read.request)} />
                  </span>
                  {read.isError && <Badge tone="error">error</Badge>}
                  <span className="flex-none tabular-nums">{formatBytes(read.bytes)}</span>
                </div>
                <div className="text-ink-3">
                  <span title={shownText(read.who)}>
                    <SafeText text={readerOf(read.who)} />
                  </span>
                  , <When ts={read.at} />
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
      {rows.length < total && (
        <p className="mt-1 text-ink-3">
          The newest {rows.length} of {total.toLocaleString("en-US")} shown.
        </p>
      )}
    </AsideSection>
  );
}
