"use client";
// The record of an event as its session file has it; with a tool call, that of its result below it.
import { useQuery } from "@tanstack/react-query";
import type { EventView } from "#lib/wire/events-schema.ts";
import { rawEventPath } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { reach } from "../ui/api.ts";
import { RequestFailure } from "../ui/failure.tsx";
import { formatBytes } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { CapLine } from "./event-parts.tsx";

/** A record is asked for up to this; the download has all of it. */
const FETCH_BYTES = 64 * 1024;
const SHOWN_LINES = 200;

type RawRecordProps = { event: EventView; result: EventView | null };

export function RawRecord({ event, result }: RawRecordProps) {
  const isOther = result !== null && result.raw.byteStart !== event.raw.byteStart;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Record event={event} />
      {isOther && <Record event={result} />}
    </div>
  );
}

function Record({ event }: { event: EventView }) {
  const { id } = useSession();
  const path = rawEventPath(id, event.seq);
  const size = event.raw.byteEnd - event.raw.byteStart;
  const record = useQuery({
    queryKey: ["session", id, "raw", event.seq],
    queryFn: async ({ signal }) => {
      const headers = size > FETCH_BYTES ? { range: `bytes=0-${FETCH_BYTES - 1}` } : undefined;
      return prettyJson(await (await reach(path, { signal, headers })).text());
    },
    gcTime: 20_000,
  });
  if (record.error) {
    return <RequestFailure error={record.error} title="The record could not be read" />;
  }
  const lines = (record.data ?? "").split("\n");
  const isCut = size > FETCH_BYTES || lines.length > SHOWN_LINES;
  return (
    <div>
      <p className="truncate text-12 text-ink-3" title={shownText(event.raw.file)}>
        <SafeText text={event.raw.file.split(/[\\/]/u).at(-1) ?? ""} />, bytes{" "}
        {event.raw.byteStart.toLocaleString("en-US")} to {event.raw.byteEnd.toLocaleString("en-US")}
      </p>
      <div className="block-rule">
        <pre
          className="output max-h-[60vh] overflow-auto"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
          tabIndex={0}
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a <pre> has no role that may have a name
          role="group"
          aria-label={`Record of event ${event.seq}`}
        >
          <SafeText text={lines.slice(0, SHOWN_LINES).join("\n")} badge />
        </pre>
      </div>
      <CapLine
        says={
          !isCut
            ? null
            : size > FETCH_BYTES
              ? `First ${formatBytes(FETCH_BYTES)} of ${formatBytes(size)} shown.`
              : `First ${SHOWN_LINES} of ${lines.length} lines shown.`
        }
      >
        <a className="link" href={path} download>
          Download
        </a>
      </CapLine>
    </div>
  );
}

/** Indented, when it is whole JSON; as it is otherwise. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
