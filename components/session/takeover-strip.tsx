"use client";
// At a node of a fleet, while the node that holds a session does not answer: what is shown, and when another goes on.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Takeover } from "#lib/wire/sessions-schema.ts";
import { everyInFront } from "../ui/every.ts";
import { catchUp, versionOf } from "../ui/live.tsx";

const AGAIN_MS = 2000;
const TICK_MS = 1000;

export function TakeoverStrip({ id, takeover }: { id: string; takeover: Takeover }) {
  return (
    <div className="flex min-h-9 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-strong bg-sunk px-6 py-1 max-md:px-4">
      <output className="min-w-0">
        <b className="font-semibold">The node {takeover.node} does not answer.</b> It holds this session.{" "}
        <span className="text-ink-2">Shown: the packed part, from the bucket.</span>
      </output>
      <TimeLeft key={takeover.inMs} inMs={takeover.inMs} />
      <AskAgain id={id} />
    </div>
  );
}

function TimeLeft({ inMs }: { inMs: number }) {
  const [left, setLeft] = useState(inMs);
  useEffect(() => {
    const end = performance.now() + inMs;
    const timer = setInterval(() => setLeft(end - performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [inMs]);
  const seconds = Math.ceil(left / 1000);
  return (
    <span className="text-ink-2 tabular-nums">
      {seconds > 0 ? `Another node takes over in ${seconds} s` : "Another node takes over now"}; the page then goes on.
    </span>
  );
}

/** Asks for the session until it is whole; then for all that the page shows of it. */
export function AskAgain({ id }: { id: string }) {
  const queries = useQueryClient();
  useEffect(() => {
    const queryKey = ["session", id, "summary"];
    return everyInFront(() => {
      if (queries.isFetching({ queryKey, exact: true }) === 0)
        void catchUp(queries, id, versionOf(queries.getQueryData(queryKey)));
    }, AGAIN_MS);
  }, [queries, id]);
  return null;
}
