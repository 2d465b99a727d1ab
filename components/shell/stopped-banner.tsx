"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Button } from "../ui/button.tsx";
import { guardLinks, probe, useConnected } from "../ui/server-connection.ts";

/** The server was stopped: said once, on every page. What is on screen stays, and so does the page. */
export function StoppedBanner() {
  const connected = useConnected();
  const queries = useQueryClient();
  const [state, setState] = useState<"idle" | "asking" | "silent">("idle");
  // A link was pressed: the banner says why nothing happened.
  const [held, setHeld] = useState(0);
  useEffect(() => guardLinks(() => setHeld((count) => count + 1)), []);
  if (connected) return null;
  const retry = async () => {
    setState("asking");
    const isThere = await probe();
    setState(isThere ? "idle" : "silent");
    if (isThere) await queries.invalidateQueries();
  };
  return (
    <div
      role="alert"
      className="flex min-h-9 flex-none flex-wrap items-center gap-x-3 gap-y-1 border-b border-line-strong bg-sunk px-6 py-1 max-md:px-4"
    >
      <span className="min-w-0">
        <b className="font-semibold">Plimsoll does not answer.</b> Start it again with{" "}
        <code className="mono">npm start</code>; this page goes on then.
      </span>
      <Button
        small
        disabled={state === "asking"}
        title={state === "asking" ? "It is being asked" : undefined}
        onClick={() => void retry()}
      >
        Retry
      </Button>
      {state === "silent" && <span className="text-12 text-ink-2">Still no answer.</span>}
      {held > 0 && <span className="text-12 text-ink-2">Links open once it answers.</span>}
    </div>
  );
}
