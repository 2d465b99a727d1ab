"use client";
// What an artifact is likely to be compared with: what had its name before or after it, and what the same call returned at
// another time of its session.
import { useQuery } from "@tanstack/react-query";
import type { ArtifactRow } from "#lib/wire/artifacts-schema.ts";
import type { InteractionRow } from "#lib/wire/events-schema.ts";
import { historyQuery } from "../shared/artifact-queries.ts";
import { toolsQuery } from "../shared/session-queries.ts";

export type Other = {
  readonly pointer: string;
  readonly why: "name" | "call";
  /** When it had the name, or where in the session it came back. */
  readonly at: string;
  readonly isLater: boolean;
};

/** A menu shows so many; the search finds the rest. */
const MOST = 20;

export function useOthers(
  artifact: ArtifactRow,
  isRequested: boolean,
): { others: readonly Other[]; isLoading: boolean } {
  const history = useQuery({ ...historyQuery(artifact.pointer), enabled: isRequested });
  const tools = useQuery({ ...toolsQuery(artifact.sessionId), enabled: isRequested && artifact.seq !== null });
  const names = history.data?.names ?? [];
  const own = names.find(({ isThis }) => isThis);
  const byName = names.flatMap((name): Other[] =>
    name.isThis || name.pointer === artifact.pointer
      ? []
      : [{ pointer: name.pointer, why: "name", at: name.boundAt, isLater: name.boundAt > (own?.boundAt ?? "") }],
  );
  const byCall = otherCalls(tools.data?.interactions ?? [], artifact);
  const seen = new Set<string>();
  const others = [...byName, ...byCall].filter(({ pointer }) => !seen.has(pointer) && seen.add(pointer));
  return { others: others.slice(0, MOST), isLoading: isRequested && (history.isLoading || tools.isLoading) };
}

/** Results of the same tool called with the same input. */
export function otherCalls(
  rows: readonly InteractionRow[],
  { pointer, seq }: Pick<ArtifactRow, "pointer" | "seq">,
): Other[] {
  const own = rows.find((row) => row.artifact === pointer || (seq !== null && row.resultSeq === seq));
  if (!own || own.repeats < 2) return [];
  return rows.flatMap((row): Other[] =>
    row !== own &&
    row.artifact !== null &&
    row.artifact !== pointer &&
    row.toolName === own.toolName &&
    row.label === own.label &&
    row.repeats === own.repeats
      ? [
          {
            pointer: row.artifact,
            why: "call",
            at: `event ${row.resultSeq ?? row.callSeq ?? 0}`,
            isLater: (row.resultSeq ?? 0) > (own.resultSeq ?? 0),
          },
        ]
      : [],
  );
}
