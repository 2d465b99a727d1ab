"use client";
// Text of a message or a note. What a list answer cut is fetched when it is opened, and every cap is said.
import { useQuery } from "@tanstack/react-query";
import { eventText } from "#lib/kernel/event.ts";
import type { EventView } from "#lib/wire/events-schema.ts";
import { rawEventPath, wholeEventQuery } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { formatBytes } from "../ui/format.ts";
import { SafeText } from "../ui/safe-text.tsx";
import { Markdown } from "./markdown.tsx";
import { CapLine } from "./event-parts.tsx";

/** Markdown of this size takes about 60 ms to draw; past it the rest is in the raw record. */
const MOST_CHARS = 65_536;

type LongTextProps = { event: EventView; text: string; open: boolean; toggle: () => void; plain?: boolean };

export function LongText({ event, text, open, toggle, plain = false }: LongTextProps) {
  const { id } = useSession();
  const whole = useQuery({ ...wholeEventQuery(id, event.seq), enabled: open && event.textCut });
  const cutFrom = whole.data ? eventText(whole.data.body).indexOf(text.slice(0, 200)) : -1;
  const full = open && whole.data ? eventText(whole.data.body).slice(Math.max(cutFrom, 0)) : text;
  const shown = full.slice(0, MOST_CHARS);
  return (
    <div data-partial={open && whole.isLoading ? "" : undefined}>
      {plain ? (
        <pre className="output whitespace-pre-wrap">
          <SafeText text={shown} badge />
        </pre>
      ) : (
        <Markdown text={shown} />
      )}
      {event.textCut && (
        <CapLine
          says={
            open && whole.data
              ? full.length > MOST_CHARS
                ? `First ${formatBytes(MOST_CHARS)} of ${formatBytes(event.bytes)} shown.`
                : "All of it shown."
              : `The beginning of ${formatBytes(event.bytes)} shown.`
          }
          open={open}
          toggle={toggle}
        >
          <a className="link" href={rawEventPath(id, event.seq)} download>
            Download
          </a>
        </CapLine>
      )}
    </div>
  );
}
