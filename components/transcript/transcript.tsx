"use client";
import { usePrefetchQuery, useQuery } from "@tanstack/react-query";
import { memo, useDeferredValue, useMemo } from "react";
import { isFiltering, rowFilter } from "#lib/kernel/log/row-filter.ts";
import { eventsPageQuery, outlineQuery } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { useEventParam, useRowFilter, useTranscriptState } from "../shared/url-state.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { Loading } from "../ui/loading.tsx";
import { fetched } from "../ui/fetched.tsx";
import { useInspector } from "../shared/inspector-state.ts";
import { Feed } from "./feed.tsx";
import { RowFilterBar } from "./row-filter-bar.tsx";
import { pageOf, rowsOf, unshownEvent } from "../shared/transcript-rows.ts";
import { useForkRows } from "./use-fork-rows.ts";
import { SideOutline } from "./side-outline.tsx";

const Inspector = fetched(
  () => import("../inspector/inspector.tsx").then((panel) => panel.Inspector),
  <div className="border-l border-line-strong max-[900px]:hidden" aria-hidden="true" />,
);

type TranscriptProps = {
  running: boolean;
  /** The event whose folded text holds the hit that is stood on. */
  opened: number | null;
};

export const Transcript = memo(function Transcript({ running, opened }: TranscriptProps) {
  const { id } = useSession();
  const [chosen] = useEventParam();
  const [{ raw, hidden, find }, setState] = useTranscriptState();
  const outline = useQuery(outlineQuery(id));
  const isInspecting = useInspector().view !== null;
  // Asked for beside the outline, not after it: the first rows on screen are most often on this page.
  usePrefetchQuery(eventsPageQuery(id, pageOf(chosen ?? 1)));
  const { filter, setFilter } = useRowFilter();
  // The chip answers at once, the rows right after it: a new layout of 10,000 rows takes up to 100 ms.
  const applied = useDeferredValue(filter);
  const passes = useMemo(
    () => (outline.data ? rowFilter(outline.data, applied, hidden) : null),
    [outline.data, applied, hidden],
  );
  const forks = useForkRows(outline.data, passes);
  // Only a row that is wanted and not shown changes the layout: stepping through shown rows keeps it.
  const wanted = useMemo(
    () =>
      outline.data && passes ? unshownEvent(outline.data, chosen, (i) => passes(i) && !forks.folded.has(i)) : null,
    [outline.data, chosen, passes, forks],
  );
  const filterKey = isFiltering(applied) ? JSON.stringify(applied) : "";
  const rows = useMemo(
    () => (outline.data && passes ? rowsOf(outline.data, { passes, wanted, filterKey, forks }) : null),
    [outline.data, passes, wanted, filterKey, forks],
  );
  if (outline.error) {
    return (
      <div className="p-6">
        <RequestFailure error={outline.error} title="The transcript could not be read" />
      </div>
    );
  }
  if (!rows)
    return (
      <div className="px-6 py-3">
        <Loading rows={12} height={37} label="Loading the transcript" />
      </div>
    );
  if (rows.outline.seq.length === 0)
    return <Empty title="No events">The session file was read, and holds no event that Plimsoll knows.</Empty>;
  return (
    <div
      data-inspecting={isInspecting || undefined}
      // The outline gives way where three columns would leave the list under 560 px.
      className="group/columns grid min-h-0 print:block flex-1 grid-cols-[280px_minmax(0,1fr)] max-[900px]:grid-cols-[minmax(0,1fr)] data-inspecting:grid-cols-[280px_minmax(0,1fr)_480px] data-inspecting:min-[1700px]:grid-cols-[280px_minmax(0,1fr)_600px] data-inspecting:max-[1320px]:grid-cols-[minmax(0,1fr)_minmax(0,440px)] data-inspecting:max-[900px]:grid-cols-[minmax(0,1fr)]"
    >
      <SideOutline rows={rows} showHidden={hidden} onShowHidden={(show) => void setState({ hidden: show })} />
      <div className="flex min-h-0 min-w-0 flex-col">
        <RowFilterBar outline={rows.outline} withHidden={hidden} filter={filter} onFilter={setFilter} />
        <NoSuchEvent chosen={chosen} last={rows.outline.seq.at(-1) ?? 0} />
        {rows.shown.length === 0 && filterKey === "" && rows.hiddenCount > 0 ? (
          <Empty
            title="No messages"
            actions={
              <Button small onClick={() => void setState({ hidden: true })}>
                Show {formatCount(rows.hiddenCount, "hidden record")}
              </Button>
            }
          >
            The file holds only records that are hidden at first.
          </Empty>
        ) : (
          <Feed rows={rows} raw={raw} find={find} running={running} opened={opened} />
        )}
      </div>
      {isInspecting && <Inspector rows={rows} />}
    </div>
  );
});

/** A link may name an event of another version of the file, or be mistyped. */
function NoSuchEvent({ chosen, last }: { chosen: number | null; last: number }) {
  if (chosen === null || (chosen >= 1 && chosen <= last)) return null;
  return (
    <output className="block flex-none border-b border-line px-6 py-2 text-ink-2 max-md:px-4">
      Event {formatTokens(chosen)} is not in this session. Its last event is {formatTokens(last)}.
    </output>
  );
}
