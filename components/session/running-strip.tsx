"use client";
// Of a session that runs: how full it is, how fast it grows, how many calls it has left, and how long its cache is kept.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { sessionStatus } from "#lib/wire/status-schema.ts";
import { api, withQuery } from "../ui/api.ts";
import { LiveDot } from "../ui/badge.tsx";
import { formatPercent, formatTokens } from "../ui/format.ts";
import { Gauge } from "../ui/gauge.tsx";
import { Num } from "../ui/num.tsx";

const TICK_MS = 1000;

export function RunningStrip({ id }: { id: string }) {
  const { data: status } = useQuery({
    queryKey: ["session", id, "status"],
    queryFn: ({ signal }) => api(withQuery("/api/status", { session: id }), sessionStatus, { signal }),
  });
  if (status === undefined) return <div className="h-8 flex-none border-b border-line" />;
  const { load, growth, callsLeft, cache } = status;
  return (
    <section
      aria-label="Running now"
      className="flex min-h-8 flex-none flex-wrap items-center gap-x-5 gap-y-1 border-b border-line px-6 text-12 text-ink-2 tabular-nums max-md:px-4"
    >
      <span className="flex items-center gap-1.5 font-medium text-ink">
        <LiveDot small />
        Running
      </span>
      {load.tokens !== null && (
        <span className="flex items-center gap-2">
          {load.share !== null && (
            <Gauge share={load.share} label={`Context at ${formatPercent(load.share)} of the load line`} width={120} />
          )}
          <span>
            <b className="font-medium text-ink">
              <Num value={load.tokens} origin={load.origin} />
            </b>
            {load.line !== null && ` of ${formatTokens(load.line)}`}
          </span>
          {load.share !== null && <span>{formatPercent(load.share)}</span>}
        </span>
      )}
      {growth !== null && (
        <Figure name="Growth" title={`Mean of the last ${growth.calls} calls since a compaction`}>
          {growth.tokensPerCall > 0 ? "+" : ""}
          {formatTokens(Math.round(growth.tokensPerCall), true)} a call
        </Figure>
      )}
      {callsLeft !== null && (
        <Figure name="To the line" title="Calls until the load line at this growth">
          {callsLeft === 1 ? "1 call" : `${formatTokens(callsLeft)} calls`}
        </Figure>
      )}
      {cache !== null && <CacheLeft expiresAt={cache.expiresAt} />}
    </section>
  );
}

function Figure({ name, title, children }: { name: string; title: string; children: ReactNode }) {
  return (
    <span title={title}>
      <span className="text-ink-3">{name}</span> <b className="font-medium text-ink">{children}</b>
    </span>
  );
}

/** Counts down by itself: nothing happens in the session while its cache expires. */
function CacheLeft({ expiresAt }: { expiresAt: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((Date.parse(expiresAt) - now) / 1000));
  const words = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
  return (
    <Figure name="Cache" title="Until the provider drops what it cached">
      {seconds === 0 ? "expired" : words}
    </Figure>
  );
}
