"use client";
// One row of the transcript beside the list: rendered, raw, stored, as the model saw it, and how long it stayed. On a narrow
// screen it is a sheet over the list.
import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import Link from "next/link";
import { useId, useMemo, useRef, useState, type ReactNode } from "react";
import { briefLabel } from "#lib/kernel/log/tool-summary.ts";
import { EventBody } from "../events/event-body.tsx";
import { carryOnHref } from "../shared/carry-on-href.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { INSPECTOR_VIEWS, useInspector, type InspectorView } from "../shared/inspector-state.ts";
import { Marks, ResultMarks } from "../shared/marks.tsx";
import { useSession } from "../shared/session-context.tsx";
import { eventsPageQuery } from "../shared/session-queries.ts";
import { pageOf, type Rows } from "../shared/transcript-rows.ts";
import { useEventParam } from "../shared/url-state.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { buttonClass, IconButton } from "../ui/button.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { SafeText } from "../ui/safe-text.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { useMedia } from "../ui/use-media.ts";
import { inspectedRow, type InspectedRow, type RowEvents } from "./inspected-row.ts";
import { LifetimeView } from "./lifetime-view.tsx";
import { RawView } from "./raw-view.tsx";
import { Scroller } from "./scroller.tsx";
import { SeenView } from "./seen-view.tsx";
import { StoredView } from "./stored-view.tsx";
import { Trail } from "./trail.tsx";
import { PANEL_ID, useCloseInspector, VIEW_NAMES } from "./use-inspector-keys.ts";

/** As wide as the transcript is when its outline gives way. */
const NARROW = "(max-width: 900px)";

const VIEW_OPTIONS = INSPECTOR_VIEWS.map((value) => ({ value, label: VIEW_NAMES[value] }));

export function Inspector({ rows }: { rows: Rows }) {
  const onClose = useCloseInspector();
  const [chosen] = useEventParam();
  const row = useMemo(() => inspectedRow(rows, chosen), [rows, chosen]);
  const isNarrow = useMedia(NARROW);
  const title = useId();
  const sheet = useRef<HTMLDivElement>(null);
  const inside = <Content row={row} title={title} onClose={onClose} />;
  if (isNarrow)
    return (
      <Dialog.Root open onOpenChange={(next) => !next && onClose()}>
        <Dialog.Portal>
          <Dialog.Backdrop className="appear fixed inset-0 z-40 bg-scrim" />
          <Dialog.Popup
            ref={sheet}
            initialFocus={sheet}
            data-modal=""
            aria-labelledby={title}
            className="appear fixed inset-x-0 top-6 bottom-0 z-50 flex flex-col rounded-t-2 bg-bg shadow-float outline-none"
          >
            {inside}
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    );
  return (
    <aside
      id={PANEL_ID}
      tabIndex={-1}
      aria-labelledby={title}
      className="appear flex min-h-0 min-w-0 flex-col border-l border-line-strong outline-none"
    >
      {inside}
    </aside>
  );
}

type ContentProps = { row: InspectedRow | null; title: string; onClose: () => void };

function Content({ row, title, onClose }: ContentProps) {
  const { view, show } = useInspector();
  if (row === null)
    return (
      <>
        <Head title={title} row={null} onClose={onClose} />
        <p className="px-4 py-3 text-ink-3">No row is chosen. Press j, or click the number of a row.</p>
      </>
    );
  return (
    <>
      <Head title={title} row={row} onClose={onClose} />
      <Events row={row}>
        {(events) => (
          <>
            <Trail row={row} events={events} />
            <div className="flex-none border-b border-line px-4 py-1.5">
              <Segmented label="View of the event" value={view ?? "rendered"} options={VIEW_OPTIONS} onPick={show} />
            </div>
            <View key={row.seq} view={view ?? "rendered"} row={row} events={events} />
          </>
        )}
      </Events>
    </>
  );
}

/** The number, what it is, and the steps to its neighbours. */
function Head({ row, title, onClose }: ContentProps) {
  const seesAll = useSeesAll();
  const { id, goTo } = useSession();
  const step = (seq: number | null) => seq !== null && goTo(seq, { align: "auto" });
  return (
    <div className="@container flex min-h-10 flex-none flex-wrap items-center gap-2 border-b border-line py-1 pr-2 pl-4">
      <h2 id={title} className="flex min-w-24 flex-1 items-baseline gap-2">
        <b className="flex-none font-semibold">{row === null ? "Inspector" : `Event ${row.seq}`}</b>
        {row !== null && (
          <span className="min-w-0 truncate text-12 text-ink-2">
            <SafeText text={(briefLabel(row.label) || row.type.replaceAll("_", " ")).slice(0, 200)} />
          </span>
        )}
        {row !== null && row.pair !== null && <span className="flex-none text-12 text-ink-3">result {row.pair}</span>}
      </h2>
      {row !== null && (
        // Where the panel is narrow, on a phone and a laptop, they are a line of their own, under the title.
        <div className="contents @max-[540px]:order-1 @max-[540px]:-ml-2 @max-[540px]:flex @max-[540px]:basis-full @max-[540px]:items-center @max-[540px]:gap-2">
          <Marks id={id} seq={row.seq} />
          {row.pair !== null && <ResultMarks id={id} seq={row.pair} />}
          {seesAll && (
            <Link
              prefetch={false}
              href={carryOnHref(id, "fork", row.seq)}
              className={buttonClass("quiet", true)}
              title="Plan a new session file that ends with this event"
            >
              Fork here
            </Link>
          )}
          <CopyButton text={() => `${window.location.origin}/sessions/${id}?event=${row.seq}`}>Copy link</CopyButton>
          <IconButton label="Previous event" disabled={row.previous === null} onClick={() => step(row.previous)}>
            <ChevronUp size={14} aria-hidden="true" />
          </IconButton>
          <IconButton label="Next event" disabled={row.next === null} onClick={() => step(row.next)}>
            <ChevronDown size={14} aria-hidden="true" />
          </IconButton>
        </div>
      )}
      <IconButton label="Close inspector" onClick={onClose}>
        <X size={14} aria-hidden="true" />
      </IconButton>
    </div>
  );
}

/** The bodies that the list has asked for already. */
function Events({ row, children }: { row: InspectedRow; children: (events: RowEvents) => ReactNode }) {
  const { id } = useSession();
  const own = useQuery(eventsPageQuery(id, pageOf(row.seq)));
  const other = useQuery({ ...eventsPageQuery(id, pageOf(row.pair ?? row.seq)), enabled: row.pair !== null });
  const error = own.error ?? other.error;
  if (error)
    return (
      <div className="p-4">
        <RequestFailure error={error} title="The event could not be read" />
      </div>
    );
  const event = own.data?.events.find(({ seq }) => seq === row.seq);
  const result = row.pair === null ? null : other.data?.events.find(({ seq }) => seq === row.pair);
  if (event === undefined || result === undefined)
    return (
      <div className="p-4">
        <Loading rows={6} label="Loading the event" />
      </div>
    );
  return children({ event, result });
}

type ViewProps = { view: InspectorView; row: InspectedRow; events: RowEvents };

function View({ view, row, events }: ViewProps) {
  if (view === "raw") return <RawView events={events} />;
  if (view === "stored") return <StoredView events={events} />;
  if (view === "seen") return <SeenView row={row} />;
  if (view === "lifetime") return <LifetimeView row={row} />;
  return <Rendered events={events} />;
}

/** Opened as it comes; what folds may be folded. */
function Rendered({ events: { event, result } }: { events: RowEvents }) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Scroller label="Event, rendered">
      <EventBody event={event} result={result} open={isOpen} toggle={() => setOpen(!isOpen)} />
    </Scroller>
  );
}
