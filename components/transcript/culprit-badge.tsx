"use client";
// A culprit's row in the transcript says so, and leads to its row on Load; that one's name leads back.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { estimatedUsd } from "#lib/kernel/load/load-labels.ts";
import { shownText } from "#lib/kernel/hidden-text.ts";
import { culpritMarks, type CulpritMark } from "../shared/culprit-marks.ts";
import { culpritHref, onPlainClick } from "../shared/load-cursor.ts";
import { useSession } from "../shared/session-context.tsx";
import { culpritsQuery } from "../shared/session-queries.ts";
import { useLoadState, useTab } from "../shared/url-state.ts";
import { formatTokens } from "../ui/format.ts";

/** Asked for when there are rows to read: of 10,000 calls they take the server a second. */
export function useCulpritMarks(id: string, hasRows: boolean): ReadonlyMap<number, CulpritMark> {
  const { data } = useQuery(culpritsQuery(id, hasRows));
  return useMemo(() => culpritMarks(data?.culprits ?? []), [data]);
}

export function CulpritBadge({ mark }: { mark: CulpritMark | null }) {
  const { id } = useSession();
  const [, setTab] = useTab();
  const [, choose] = useLoadState();
  if (mark === null) return null;
  const { rank, key, culprit } = mark;
  const { avoidableUsd, isPartial, avoidableTokens, fix } = culprit;
  const saved = estimatedUsd(avoidableUsd, isPartial) ?? `~${formatTokens(avoidableTokens, true)} tokens`;
  return (
    <a
      className="link mt-2.5 block whitespace-nowrap"
      href={culpritHref(id, key)}
      title={`Culprit ${rank}: ${saved} avoidable. ${shownText(fix)}.`}
      onClick={onPlainClick(() => {
        void choose({ culprit: key, panel: "culprits" });
        void setTab("load");
      })}
    >
      culprit {rank}
      <span className="max-[900px]:hidden"> · {saved}</span>
      <span className="sr-only"> avoidable</span>
    </a>
  );
}
