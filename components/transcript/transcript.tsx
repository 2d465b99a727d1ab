"use client";
import { usePrefetchQuery, useQuery } from "@tanstack/react-query";
import { memo, useMemo } from "react";
import { eventsPageQuery, outlineQuery } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { useEventParam, useTranscriptState } from "../shared/url-state.ts";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { Feed } from "./feed.tsx";
import { hiddenEvent, pageOf, rowsOf } from "../shared/transcript-rows.ts";
import { SideOutline } from "./side-outline.tsx";

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
  // Asked for beside the outline, not after it: the first rows on screen are most often on this page.
  usePrefetchQuery(eventsPageQuery(id, pageOf(chosen ?? 1)));
  // Only a hidden row that is wanted changes the layout: stepping through shown rows keeps it.
  const wanted = useMemo(() => (outline.data ? hiddenEvent(outline.data, chosen) : null), [outline.data, chosen]);
  const rows = useMemo(
    () => (outline.data ? rowsOf(outline.data, hidden, wanted) : null),
    [outline.data, hidden, wanted],
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
    <div className="grid min-h-0 flex-1 grid-cols-[280px_minmax(0,1fr)] max-[900px]:grid-cols-[minmax(0,1fr)]">
      <SideOutline rows={rows} showHidden={hidden} onShowHidden={(show) => void setState({ hidden: show })} />
      <Feed rows={rows} raw={raw} find={find} running={running} opened={opened} />
    </div>
  );
});
