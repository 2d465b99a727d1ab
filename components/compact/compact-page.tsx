"use client";
// Compact…: a dry run of what would be kept, summarised and dropped, as the sliders move; then it is applied, and can be undone.
// A page of its own, so that the session's does not carry it.
import "../load/load.css";
import "./compact.css";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useMemo } from "react";
import { memoryQuery } from "../shared/memory-queries.ts";
import { sessionQuery, useLoad } from "../shared/session-queries.ts";
import { SessionProvider, useSession } from "../shared/session-context.tsx";
import { failureOf } from "../ui/api.ts";
import { Failure } from "../ui/failure.tsx";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Loading } from "../ui/loading.tsx";
import { CompactHead } from "./compact-head.tsx";
import { useCompactState } from "./compact-state.ts";
import { useCompactPlace } from "./compact-place.ts";
import { Done } from "./done.tsx";
import { DryRunView } from "./dry-run.tsx";
import { SideBySide } from "./side-by-side.tsx";

export function CompactPage({ id }: { id: string }) {
  return (
    <SessionProvider key={id} id={id}>
      <CompactView />
    </SessionProvider>
  );
}

function CompactView() {
  const { id } = useSession();
  const router = useRouter();
  const [state] = useCompactState();
  const session = useQuery(sessionQuery(id));
  const memory = useQuery(memoryQuery(id));
  const { view } = useLoad(id);
  const back = `/sessions/${encodeURIComponent(id)}?tab=memory${state.at === null ? "" : `&event=${state.at}`}`;
  const shortcuts = useMemo<Shortcut[]>(
    () => [{ keys: "Escape", label: "Back to the session", group: "Compact", run: () => router.push(back) }],
    [router, back],
  );
  useShortcuts(shortcuts);
  const place = useCompactPlace(id, state.at, view);
  if (session.error)
    return (
      <div className="p-6">
        <Failure code={failureOf(session.error).code} title="This session cannot be shown">
          {failureOf(session.error).message}
        </Failure>
      </div>
    );
  return (
    <div className="compact-view">
      <CompactHead session={session.data} memory={memory.data} back={back} />
      {place === null ? (
        <div className="px-6 py-4">
          <Loading rows={8} label="Loading the session" />
        </div>
      ) : state.done !== null ? (
        <Done place={place} id={state.done} />
      ) : state.beside ? (
        <SideBySide place={place} />
      ) : (
        <DryRunView place={place} memory={memory.data} />
      )}
    </div>
  );
}
