"use client";
// Completion asks jq a little after the last key, and each question ends the one before.
import { hashKey, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { Known } from "./language/register.ts";
import { probeQuery } from "./playground-queries.ts";
import type { Desk } from "./use-desk.ts";
import { optionsOf } from "./work.ts";

const TYPED_MS = 40;

export function useProbe({ store, inputs, canAsk }: Pick<Desk, "store" | "inputs" | "canAsk">): Known["ask"] {
  const queries = useQueryClient();
  return useCallback(
    async (program, isStopped) => {
      const options = optionsOf(store.get());
      const pasted = inputs.reduce((sum, input) => sum + ("text" in input ? input.text.length : 0), 0);
      const isAskable = canAsk && (inputs.length > 0 || options.nullInput) && pasted <= LIMITS.jqProbeInputBytes;
      if (!isAskable) return null;
      const query = probeQuery({ program, options, inputs: [...inputs] });
      const known = queries.getQueryData(query.queryKey);
      if (known !== undefined) return known;
      await new Promise((resolve) => setTimeout(resolve, TYPED_MS));
      if (isStopped()) return null;
      const hash = hashKey(query.queryKey);
      void queries.cancelQueries({
        queryKey: ["playground", "probe"],
        predicate: ({ queryHash }) => queryHash !== hash,
      });
      // A question that was ended, or that cannot be answered: the shape is asked in its place.
      return queries.fetchQuery(query).catch(() => null);
    },
    [queries, store, inputs, canAsk],
  );
}
