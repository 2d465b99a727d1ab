"use client";
// What outlives an epoch: where the context was cut, what was made of what left it, and what came back.
import { useQuery } from "@tanstack/react-query";
import { memo, useCallback, useState } from "react";
import type { MemoryAnswer, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import type { LoadView } from "../shared/load-view.ts";
import { useSession } from "../shared/session-context.tsx";
import { Empty } from "../ui/empty.tsx";
import { RequestFailure } from "../ui/failure.tsx";
import { Loading } from "../ui/loading.tsx";
import { CompactLink } from "../shared/compact-link.tsx";
import { AddItem } from "./add-item.tsx";
import { Items } from "./items.tsx";
import { useMemoryState } from "../shared/url-state.ts";
import type { AxisMark } from "./axis-marks.ts";
import { MemoryAxis } from "./memory-axis.tsx";
import { memoryQuery } from "../shared/memory-queries.ts";
import { Recalls } from "./recalls.tsx";
import { Timeline } from "./timeline.tsx";

type MemoryTabProps = {
  /** The session's load, whose axis memory stands on; null until it is there. */
  view: LoadView | null;
  turns: ReadonlyMap<number, string>;
  onOpen: (seq: number) => void;
};

export const MemoryTab = memo(function MemoryTab({ view, turns, onOpen }: MemoryTabProps) {
  const { id } = useSession();
  const memory = useQuery(memoryQuery(id));
  const [, choose] = useMemoryState();
  const [lit, setLit] = useState<readonly MemoryItemRow[]>([]);
  const pick = useCallback(
    ({ lane, items }: AxisMark) => {
      if (lane === "recall") return document.querySelector("[aria-label=Recalls]")?.scrollIntoView();
      void choose({ items: lane, from: items[0]?.compactionId ?? null, turn: null });
    },
    [choose],
  );
  if (memory.error && memory.data === undefined)
    return (
      <div className="p-6">
        <RequestFailure error={memory.error} title="The memory could not be read" />
      </div>
    );
  if (memory.data === undefined)
    return (
      <div className="px-6 py-3 max-md:px-4">
        <Loading rows={8} label="Loading the memory" />
      </div>
    );
  const { data } = memory;
  if (data.items.length === 0 && data.compactions.length === 0 && data.recalls.length === 0)
    return <NoMemory answer={data} />;
  return (
    <>
      {view !== null && <MemoryAxis view={view} answer={data} lit={lit} onLit={setLit} onPick={pick} />}
      <div className="grid min-h-0 flex-1 grid-cols-[384px_minmax(0,1fr)] max-[900px]:block max-[900px]:overflow-y-auto">
        <Timeline answer={data} onOpen={onOpen} />
        <div className="min-h-0 min-w-0 overflow-y-auto pb-6 max-[900px]:overflow-visible">
          <Items answer={data} turns={turns} onOpen={onOpen} onLit={setLit} />
          <Recalls answer={data} turns={turns} onOpen={onOpen} />
        </div>
      </div>
    </>
  );
});

function NoMemory({ answer }: { answer: MemoryAnswer }) {
  return (
    <div className="overflow-y-auto p-6">
      <Empty title="No memory yet" actions={<CompactLink kind="primary" />}>
        <p>
          A compaction replaces old turns by a summary and memory items:{" "}
          <b className="font-medium text-ink">episodic</b> for what happened,{" "}
          <b className="font-medium text-ink">semantic</b> for facts.
        </p>
        <p className="mt-1">
          {answer.held
            ? "Compact… shows a dry run first and can be undone."
            : "Compact… shows a dry run. The agent's file is never changed."}{" "}
          Or add an item yourself.
        </p>
      </Empty>
      <div className="mx-auto mt-2 flex max-w-150 flex-wrap justify-center">
        <AddItem />
      </div>
    </div>
  );
}
