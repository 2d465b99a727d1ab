"use client";
// One finding: what to do, and the sessions and events where it was seen.
import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import Link from "next/link";
import { useEffect, useMemo, useRef } from "react";
import { estimatedUsd } from "#lib/kernel/load/load-labels.ts";
import { findingAnswer, findingPath, type FindingRow } from "#lib/wire/findings-schema.ts";
import { api } from "../ui/api.ts";
import { IconButton } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount } from "../ui/format.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { When } from "../ui/when.tsx";
import { MarkButtons, type FindingMark } from "./mark-buttons.tsx";
import { groupName } from "./usage-series.ts";

/** `onClose` must be stable (useCallback). */
type DetailProps = { id: string; onClose: () => void; onMark: (row: FindingRow, to: FindingMark) => void };

/** Its buttons stand here too: a narrow table has no room for them. */
export function FindingDetail({ id, onClose, onMark }: DetailProps) {
  const { data, error } = useQuery({
    queryKey: ["sessions", "finding", id],
    queryFn: ({ signal }) => api(`/api/findings/${findingPath(id)}`, findingAnswer, { signal }),
  });
  const panel = useRef<HTMLElement>(null);
  // The focus goes into it from the row that opens it, and back to that as it closes.
  useEffect(() => {
    const opener = document.activeElement;
    if (!(opener instanceof HTMLElement) || opener === document.body) return;
    panel.current?.focus({ preventScroll: true });
    // On a low page it begins below what is seen.
    panel.current?.scrollIntoView({ block: "nearest" });
    return () => {
      if (document.activeElement === document.body) opener.focus({ preventScroll: true });
    };
  }, []);
  useShortcuts(
    useMemo<Shortcut[]>(() => [{ keys: "Escape", label: "Close finding", group: "Findings", run: onClose }], [onClose]),
  );
  return (
    <aside
      ref={panel}
      tabIndex={-1}
      aria-label="Finding"
      className="flex outline-none min-h-0 w-100 flex-none flex-col border-l border-line max-lg:w-auto max-lg:flex-1 max-lg:border-t max-lg:border-l-0"
    >
      <div className="flex flex-none items-start gap-2 border-b border-line px-4 pt-2 pb-2">
        <h2 className="min-w-0 flex-1 pt-1 font-semibold break-words">
          {data === undefined ? "Finding" : <SafeText text={data.finding.subject} />}
        </h2>
        {data !== undefined && <MarkButtons row={data.finding} onMark={(to) => onMark(data.finding, to)} />}
        <IconButton label="Close" onClick={onClose}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      </div>
      {/* A region that scrolls takes the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className="min-h-0 flex-1 overflow-auto px-4 py-2" tabIndex={0} aria-label="Where it was seen">
        {error !== null && <RequestFailure error={error} title="The finding could not be read" />}
        {data === undefined && error === null && <Loading rows={6} label="Loading the finding" />}
        {data !== undefined && (
          <>
            <p className="mb-3 text-ink-2">
              <b className="font-semibold text-ink">
                <SafeText text={data.finding.fix} />.
              </b>{" "}
              Seen {formatCount(data.finding.count, "time")} in {formatCount(data.finding.sessions, "session")}.
            </p>
            <ul>
              {data.seen.map(({ sessionId, title, projectPath, seq, label, at, usd }, i) => (
                <li key={`${sessionId} ${seq} ${i}`} className="border-t border-line py-1.5">
                  <span className="flex items-baseline gap-3">
                    <Link
                      prefetch={false}
                      href={`/sessions/${sessionId}${seq === null ? "?tab=load" : `?event=${seq}`}`}
                      className="min-w-0 flex-1 truncate font-medium hover:underline"
                    >
                      <SafeText text={title || "Untitled session"} />
                    </Link>
                    <span className="flex-none tabular-nums">{estimatedUsd(usd, false) ?? "–"}</span>
                  </span>
                  <span className="flex items-baseline gap-3 text-12 text-ink-3">
                    <span className="min-w-0 flex-1 truncate">
                      <SafeText text={label} />
                    </span>
                    {projectPath !== null && (
                      <span className="min-w-0 truncate">
                        <SafeText text={groupName(projectPath, "project")} />
                      </span>
                    )}
                    <span className="flex-none">
                      <When ts={at} show="day" />
                    </span>
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </section>
    </aside>
  );
}
