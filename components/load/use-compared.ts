"use client";
import { useQuery } from "@tanstack/react-query";
import { ledgerQuery, sessionQuery, useLoad } from "../shared/session-queries.ts";

/** All that is asked of one side; nothing while none is chosen. */
export function useCompared(id: string | null) {
  const enabled = id !== null;
  const session = useQuery({ ...sessionQuery(id ?? ""), enabled });
  const ledger = useQuery({ ...ledgerQuery(id ?? ""), enabled });
  const load = useLoad(id ?? "", enabled);
  return { session, ledger, load };
}
export type ComparedAnswers = ReturnType<typeof useCompared>;
