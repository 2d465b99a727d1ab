"use client";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import type { Arrangement } from "./arrange.ts";
import { NOTHING_YET, TableClient, type TableSnapshot } from "./table-client.ts";
import type { TableSource } from "./table-words.ts";

const nothing = (): TableSnapshot => NOTHING_YET;

/** A worker for as long as the table is shown. `source` and `arrangement` must be stable (useMemo). */
export function useTable(source: TableSource, arrangement: Arrangement): [TableSnapshot, TableClient] {
  const client = useMemo(() => new TableClient(source), [source]);
  const snapshot = useSyncExternalStore(client.subscribe, client.snapshot, nothing);
  useEffect(() => client.arrange(arrangement), [client, arrangement]);
  return [snapshot, client];
}
