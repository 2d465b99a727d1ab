"use client";
// `b` and `B` walk the places in trouble, in order of their calls, round and round.
import { useMemo } from "react";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { useShortcuts, type Shortcut } from "../ui/keys.ts";
import { nextBlowUp } from "../shared/ledger-view.ts";
import type { LoadPlace } from "../shared/load-place.ts";

export function useBlowUpKeys(ledger: LedgerAnswer | undefined, { call, goToCall }: LoadPlace): void {
  const shortcuts = useMemo<Shortcut[]>(() => {
    const go = (by: 1 | -1) => () => {
      const next = nextBlowUp(ledger?.blowUps ?? [], call, by);
      if (next !== null) goToCall(next);
    };
    return [
      { keys: "b", label: "Next blow-up", group: "Load", run: go(1) },
      { keys: "B", label: "Blow-up before", group: "Load", run: go(-1) },
    ];
  }, [ledger, call, goToCall]);
  useShortcuts(shortcuts);
}
