"use client";
// What the ledger and the policy in the URL lay over the session's chart.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { LoadView } from "../shared/load-view.ts";
import { overlayOf, type ChartOverlay } from "../chart/overlay.ts";
import { ledgerQuery, whatIfQuery } from "../shared/session-queries.ts";
import { useSession } from "../shared/session-context.tsx";
import { usePolicy } from "../shared/url-state.ts";
import { isNothing, policyOf } from "../shared/policy-state.ts";

/** What the policy in the URL would have made of this session; the answer before while the next one comes. */
export function useWhatIf() {
  const { id } = useSession();
  const [choice] = usePolicy();
  return useQuery(whatIfQuery(id, policyOf(choice), !isNothing(choice)));
}

export function useOverlay(view: LoadView): ChartOverlay {
  const { id } = useSession();
  const [choice] = usePolicy();
  const { data: ledger } = useQuery(ledgerQuery(id));
  const { data } = useWhatIf();
  const whatIf = isNothing(choice) ? undefined : data;
  return useMemo(() => overlayOf(view, { ledger, whatIf }), [view, ledger, whatIf]);
}
