"use client";
// From a tool's result in the transcript: what it is likely to be compared with, the obvious ones first.
import { useQuery } from "@tanstack/react-query";
import { GitCompare } from "lucide-react";
import { useRouter } from "next/navigation";
import { useMemo, useState } from "react";
import { briefLabel } from "#lib/kernel/log/tool-summary.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import type { EventView } from "#lib/wire/events-schema.ts";
import { useSession } from "../shared/session-context.tsx";
import { toolsQuery } from "../shared/session-queries.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { Menu } from "../ui/menu.tsx";
import type { MenuItem } from "../ui/menu-item.ts";
import { comparePath, sideRef } from "./compare-side.ts";
import { likelyResults, type LikelyResult } from "./likely-results.ts";

/** A menu shows so many; the search of the compare page finds artifacts beyond them. */
const MOST = 10;

const WHY = { call: "same call", file: "same file", command: "same command" } as const;

export function CompareEvent({ event }: { event: EventView }) {
  const { id } = useSession();
  const router = useRouter();
  // Asked for when a hand comes near, or the key is pressed.
  const [isNear, setNear] = useState(false);
  const tools = useQuery({ ...toolsQuery(id), enabled: isNear });
  const likely = useMemo(
    () => likelyResults(tools.data?.interactions ?? [], event.seq).slice(0, MOST),
    [tools.data, event.seq],
  );
  const own = sideRef(id, event);
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      {
        keys: "d",
        label: "Compare with…",
        group: "Inspector",
        run: () => document.querySelector<HTMLElement>("[data-compare-event] button")?.click(),
      },
    ],
    [],
  );
  useShortcuts(shortcuts);
  const items: MenuItem[] = [
    ...likely.map((one) => ({
      id: String(one.row.resultSeq),
      label: `${one.isLater ? "Later" : "Earlier"}, ${WHY[one.why]}: event ${one.row.callSeq ?? one.row.resultSeq}`,
      hint: one.why === "call" ? undefined : shownText(briefLabel(one.row.label)).slice(0, 40),
      onPick: () => router.push(pathOf(id, own, one)),
    })),
    ...(tools.isLoading ? [{ id: "loading", label: "Loading likely results …", onPick: () => {} }] : []),
    { id: "search", label: "Another output …", onPick: () => router.push(comparePath(own)) },
  ];
  const near = () => setNear(true);
  return (
    <span data-compare-event="" onPointerEnter={near} onFocus={near} onClickCapture={near}>
      <Menu
        label="Compare with"
        triggerClass="link inline-flex items-center gap-1"
        trigger={
          <>
            <GitCompare size={12} aria-hidden="true" />
            Compare with…
          </>
        }
        items={items}
      />
    </span>
  );
}

/** The older one stands on the left. */
function pathOf(session: string, own: string, { row, isLater }: LikelyResult): string {
  const other = sideRef(session, { artifact: row.artifact, seq: row.resultSeq });
  return isLater ? comparePath(own, other) : comparePath(other, own);
}
