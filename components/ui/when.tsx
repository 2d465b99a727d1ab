"use client";
// Moments in the reader's time zone. The server does not know it, so both the server and the first
// render in the browser say UTC, and React replaces that before the first paint after hydration.
import { useSyncExternalStore } from "react";
import { formatAgo, formatWhen } from "./format.ts";
import { Absent } from "./num.tsx";

const TICK_MS = 30_000;
let now = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

/** The clock, moving every half minute; 0 on the server. */
function useNow(): number {
  return useSyncExternalStore(subscribe, readNow, () => 0);
}

function readNow(): number {
  if (now === 0) now = Date.now();
  return now;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const notify of listeners) notify();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    now = 0;
  };
}

/** The reader's time zone; UTC on the server. */
function useZone(): string {
  return useSyncExternalStore(
    () => () => {},
    () => Intl.DateTimeFormat().resolvedOptions().timeZone,
    () => "UTC",
  );
}

type WhenProps = {
  ts: string | null;
  /** day and time in one line, the two in two lines, only one of them, or how long ago. */
  show?: "line" | "two" | "day" | "time" | "ago";
};

export function When({ ts, show = "line" }: WhenProps) {
  const zone = useZone();
  const now = useNow();
  const when = ts === null ? null : formatWhen(ts, zone, now === 0 ? Date.parse(ts) : now);
  if (ts === null || when === null) return <Absent why="no time was recorded" />;
  return (
    <time dateTime={ts} title={when.full}>
      {show === "two" ? (
        <>
          <span className="block leading-[18px]">{when.day}</span>
          <span className="block text-12 text-ink-3">{when.time}</span>
        </>
      ) : show === "ago" ? (
        now === 0 ? (
          when.day
        ) : (
          formatAgo(ts, now)
        )
      ) : show === "line" ? (
        `${when.day}, ${when.time}`
      ) : (
        when[show]
      )}
    </time>
  );
}
