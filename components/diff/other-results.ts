"use client";
// What an output is likely to be compared with: what had its name before or after it, and what the same call, file or command
// gave at another time of its session.
import { useQuery } from "@tanstack/react-query";
import { historyQuery } from "../shared/artifact-queries.ts";
import { useSeesAll } from "../ui/access-context.ts";
import { toolsQuery } from "../shared/session-queries.ts";
import { sideRef, type CompareSide } from "./compare-side.ts";
import { likelyResults, type LikelyWhy } from "./likely-results.ts";

export type Other = {
  /** As the address of a comparison names it. */
  readonly ref: string;
  readonly why: "name" | LikelyWhy;
  /** When it had the name, or where in the session it came back. */
  readonly at: string;
  readonly isLater: boolean;
};

/** A menu shows so many; the search finds the rest. */
const MOST = 20;

/** What is compared: an artifact, or an output of the log alone. */
type Own = Pick<CompareSide, "pointer" | "sessionId" | "seq">;

export function useOthers(
  { pointer, sessionId, seq }: Own,
  isRequested: boolean,
): { others: readonly Other[]; isLoading: boolean } {
  const seesAll = useSeesAll();
  const history = useQuery({ ...historyQuery(pointer ?? ""), enabled: isRequested && pointer !== null && seesAll });
  const tools = useQuery({ ...toolsQuery(sessionId), enabled: isRequested && seq !== null });
  const names = history.data?.names ?? [];
  const own = names.find(({ isThis }) => isThis);
  const byName = names.flatMap((name): Other[] =>
    name.isThis || name.pointer === pointer
      ? []
      : [{ ref: name.pointer, why: "name", at: name.boundAt, isLater: name.boundAt > (own?.boundAt ?? "") }],
  );
  const likely = seq === null ? [] : likelyResults(tools.data?.interactions ?? [], seq);
  const byCall = likely.map(({ row, why, isLater }): Other => ({
    ref: sideRef(sessionId, { artifact: row.artifact, seq: row.resultSeq }),
    why,
    at: `event ${row.resultSeq}`,
    isLater,
  }));
  const seen = new Set<string | null>([pointer]);
  const others = [...byName, ...byCall].filter(({ ref }) => !seen.has(ref) && seen.add(ref));
  return { others: others.slice(0, MOST), isLoading: isRequested && (history.isLoading || tools.isLoading) };
}
