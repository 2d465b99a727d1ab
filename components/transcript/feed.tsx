"use client";
// The rows of a transcript. Only those on screen exist; heights are guessed from the outline and then measured.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useMemo, useRef, useState, useEffect } from "react";
import { useSession } from "../shared/session-context.tsx";
import { useEventParam } from "../shared/url-state.ts";
import { Button } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { formatCount, formatTokens } from "../ui/format.ts";
import { useFindMarks } from "./find-marks.ts";
import { useEventMarks } from "./event-marks.ts";
import { useCulpritMarks } from "./culprit-badge.tsx";
import { Row, RowContextOf, type RowContext } from "./row.tsx";
import { Minimap } from "./minimap.tsx";
import { pagesFor, positionOf, type Rows } from "../shared/transcript-rows.ts";
import { useFollow } from "./use-follow.ts";
import { useReportVisible } from "./use-report-visible.ts";
import { useScroller } from "./use-scroller.ts";
import { InspectContext } from "../events/inspect-context.ts";
import { useInspectorKeys } from "../inspector/use-inspector-keys.ts";
import { useErrorKeys } from "./use-error-keys.ts";
import { useFeedKeys } from "./use-feed-keys.ts";
import { useOpenRows } from "./use-open-rows.ts";
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import type { EventsAnswer, EventView } from "#lib/wire/events-schema.ts";
import { eventsPageQuery } from "../shared/session-queries.ts";

type FeedProps = {
  rows: Rows;
  raw: boolean;
  /** The text that is looked for, to be marked where it stands. */
  find: string;
  running: boolean;
  /** The event that find stands on: its folded text holds a hit. */
  opened: number | null;
};

export function Feed({ rows, raw, find, running, opened }: FeedProps) {
  const session = useSession();
  const [chosen] = useEventParam();
  const box = useRef<HTMLDivElement>(null);
  const tell = useReportVisible(rows);
  const { isOpen, toggle } = useOpenRows(rows);
  // oxlint-disable-next-line react/incompatible-library -- the React Compiler is not used, so nothing is memoized wrongly
  const virtual = useVirtualizer({
    count: rows.shown.length,
    getScrollElement: () => box.current,
    estimateSize: useCallback((at: number) => rows.heights[at] ?? 37, [rows]),
    getItemKey: useCallback((at: number) => rows.outline.seq[rows.shown[at] as number] ?? at, [rows]),
    overscan: 6,
    onChange: tell,
  });

  const { unpin, center } = useScroller({ box, rows, virtual, chosen });
  const follow = useFollow({
    box,
    running,
    count: rows.shown.length,
    virtual,
    startsAtEnd: running && chosen === null,
  });
  useFeedKeys(rows);
  const note = useErrorKeys(rows);
  const inspect = useInspectorKeys(rows);

  const items = virtual.getVirtualItems();
  const pages = pagesFor(rows, items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  const bodies = useBodies(session.id, pages, virtual.isScrolling);
  const culprits = useCulpritMarks(session.id, bodies.bySeq.size > 0);
  const marks = useEventMarks(session.id);
  const context = useMemo<RowContext>(
    () => ({ rows, raw, toggle, select: inspect, culprits, marks }),
    [rows, raw, toggle, inspect, culprits, marks],
  );
  useFindMarks({ box, find, event: opened, unpin });
  const chosenAt = chosen === null ? -1 : positionOf(rows, chosen);

  return (
    <div className="relative flex min-h-0 min-w-0 flex-1">
      <div
        ref={box}
        // Rows above are measured as they come; the virtual list moves the scroll itself.
        className="h-full min-w-0 flex-1 overflow-x-hidden overflow-y-auto [overflow-anchor:none] focus-visible:-outline-offset-2"
        role="feed"
        aria-label="Transcript"
        aria-busy={bodies.bySeq.size === 0}
        onScroll={follow.onScroll}
      >
        {bodies.error && (
          <div className="p-3">
            <RequestFailure error={bodies.error} title="Some events could not be read" />
          </div>
        )}
        <InspectContext value={inspect}>
          <RowContextOf value={context}>
            <p className="hidden px-6 py-2 text-ink-2 print:block">
              Printed: {formatTokens(items.length)} of {formatCount(rows.shown.length, "row")}. Export… has all.
            </p>
            <div style={{ height: virtual.getTotalSize() }} className="relative print:h-auto!">
              <div
                style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}
                className="absolute inset-x-0 top-0 print:static print:transform-none!"
              >
                {items.map((item) => {
                  const i = rows.shown[item.index] as number;
                  const seq = rows.outline.seq[i] ?? 0;
                  const pair = rows.outline.pair[i] ?? 0;
                  const event = bodies.bySeq.get(seq) ?? null;
                  return (
                    <article
                      key={item.key}
                      ref={virtual.measureElement}
                      data-index={item.index}
                      data-seq={seq}
                      // A row that is measured or filled does not make the browser lay out the others.
                      className="[contain:layout_style]"
                      // Until its body comes a row has the height that was guessed: nothing is measured anew in a flight.
                      style={event === null ? { height: item.size, overflow: "hidden" } : undefined}
                      aria-posinset={item.index + 1}
                      aria-setsize={rows.shown.length}
                      aria-label={`Event ${seq}`}
                      aria-busy={event === null || undefined}
                      aria-current={item.index === chosenAt || undefined}
                    >
                      <Row
                        i={i}
                        event={event}
                        result={pair > 0 ? (bodies.bySeq.get(pair) ?? null) : null}
                        open={isOpen(seq) || opened === seq || (opened !== null && opened === pair)}
                        selected={item.index === chosenAt}
                      />
                    </article>
                  );
                })}
              </div>
            </div>
          </RowContextOf>
        </InspectContext>
      </div>
      <Minimap rows={rows} from={virtual.range?.startIndex ?? 0} to={virtual.range?.endIndex ?? 0} onGo={center} />
      <output className="absolute bottom-3 left-6 rounded-1 bg-ink px-2 py-1 text-12 text-invert empty:hidden">
        {note}
      </output>
      {running && !follow.isFollowing && (
        <Button small className="absolute right-6 bottom-3 shadow-float" onClick={follow.resume}>
          Follow the end
        </Button>
      )}
    </div>
  );
}

// Bodies of the rows on screen, fetched by page as rows come into view. While the feed flies past, only what is
// known already is shown: a page that is passed within 80 ms is not asked for.
const SETTLE_MS = 80;

type Bodies = { readonly bySeq: ReadonlyMap<number, EventView>; readonly error: Error | null };

function useBodies(id: string, pages: readonly number[], isScrolling: boolean): Bodies {
  const settled = useSettled(pages.join(","), isScrolling);
  const wanted = new Set(settled.split(",").map(Number));
  return useQueries({
    queries: pages.map((page) => ({ ...eventsPageQuery(id, page), enabled: wanted.has(page) })),
    combine: gather,
  });
}

function gather(results: UseQueryResult<EventsAnswer>[]): Bodies {
  const bySeq = new Map<number, EventView>();
  let error: Error | null = null;
  for (const result of results) {
    for (const event of result.data?.events ?? []) bySeq.set(event.seq, event);
    error ??= result.error;
  }
  return { bySeq, error };
}

/** The value once it has stood still for a moment; at once when nothing moves. */
function useSettled(value: string, isMoving: boolean): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), isMoving ? SETTLE_MS : 0);
    return () => clearTimeout(timer);
  }, [value, isMoving]);
  return settled;
}
