"use client";
// From an event on: its context, its load, its culprit, its artifact, what it may be compared with. Each with a key.
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useMemo } from "react";
import { estimatedUsd } from "#lib/kernel/load/load-labels.ts";
import { CompareEvent } from "../diff/compare-event.tsx";
import { culpritMarks } from "../shared/culprit-marks.ts";
import { useBackParam, useLeaveTo } from "../shared/inspector-state.ts";
import { contextHref, culpritHref, loadHref, onPlainClick } from "../shared/load-cursor.ts";
import { useSession } from "../shared/session-context.tsx";
import { artifactPath, culpritsQuery } from "../shared/session-queries.ts";
import { useLoadState, useTab } from "../shared/url-state.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { useQuery } from "@tanstack/react-query";
import { outputOf, type InspectedRow, type RowEvents } from "./inspected-row.ts";

const GROUP = "Inspector";

export function Trail({ row, events }: { row: InspectedRow; events: RowEvents }) {
  const { id } = useSession();
  const router = useRouter();
  const leaveTo = useLeaveTo();
  const openCulprit = useOpenCulprit();
  const { data } = useQuery(culpritsQuery(id, true));
  const mark = useMemo(() => {
    const marks = culpritMarks(data?.culprits ?? []);
    return marks.get(row.seq) ?? (row.pair === null ? undefined : marks.get(row.pair)) ?? null;
  }, [data, row.seq, row.pair]);
  const output = outputOf(events);
  const pointer = output.stored?.pointer ?? null;
  const saved = mark === null ? null : estimatedUsd(mark.culprit.avoidableUsd, mark.culprit.isPartial);
  const shortcuts = useMemo<Shortcut[]>(() => {
    const go = (tab: "context" | "load") => () => leaveTo(tab, { seq: row.seq, from: row.seq });
    const toLoad = mark === null ? go("load") : () => openCulprit(mark.key, row.seq);
    return [
      { keys: "c", label: "Context here", group: GROUP, run: go("context") },
      { keys: "l", label: "Load here, or its culprit", group: GROUP, run: toLoad },
      ...(pointer === null
        ? []
        : [{ keys: "a", label: "Artifact page", group: GROUP, run: () => router.push(artifactPath(pointer)) }]),
    ];
  }, [leaveTo, openCulprit, row.seq, mark, pointer, router]);
  useShortcuts(shortcuts);
  return (
    <nav
      aria-label="From this event"
      className="flex flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 text-12"
    >
      <a
        className="link"
        href={contextHref(id, row.seq)}
        onClick={onPlainClick(() => leaveTo("context", { seq: row.seq, from: row.seq }))}
      >
        Context here
      </a>
      {mark === null ? (
        <a
          className="link"
          href={loadHref(id, row.seq)}
          onClick={onPlainClick(() => leaveTo("load", { seq: row.seq, from: row.seq }))}
        >
          Load here
        </a>
      ) : (
        <a
          className="link"
          href={culpritHref(id, mark.key)}
          onClick={onPlainClick(() => openCulprit(mark.key, row.seq))}
        >
          Culprit {mark.rank}
          {saved !== null && <> · {saved} avoidable</>}
        </a>
      )}
      {pointer !== null && (
        <Link className="link" href={artifactPath(pointer)}>
          Artifact page
        </Link>
      )}
      {output.type === "tool_result" && <CompareEvent event={output} />}
    </nav>
  );
}

/** Its row on Load, unfolded, with the way back. */
function useOpenCulprit(): (key: string, from: number) => void {
  const [, setTab] = useTab();
  const [, choose] = useLoadState();
  const [, setBack] = useBackParam();
  return useMemo(
    () => (key, from) => {
      void setBack(from);
      void choose({ culprit: key, panel: "culprits" });
      void setTab("load");
    },
    [setTab, choose, setBack],
  );
}
