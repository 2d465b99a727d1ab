"use client";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import type { Arrangement } from "./arrange.ts";
import { NOTHING_YET, TableClient, type TableSnapshot } from "./table-client.ts";
import type { TableSource } from "./table-words.ts";

const nothing = (): TableSnapshot => NOTHING_YET;

/** A worker for as long as the table is shown. `source` and `arrangement` must be stable (useMemo). */
export function useTable(source: TableSource, arrangement: Arrangement): [TableSnapshot, TableClient] {
  const client = useMemo(() => new TableClient(source), [source]);
  const snapshot = useSyncExternalStore(client.subscribe, client.snapshot, nothing);
  useEffect(() => client.arrange(arrangement), [client, arrangement]);
  // A result is followed by the next at every key: the one before stays until there are rows, so that nothing flickers.
  const [kept, setKept] = useState(NOTHING_YET);
  const isThere = snapshot.failure !== null || snapshot.window.rows.length > 0 || snapshot.progress?.isDone === true;
  if (source.kind === "text" && isThere && kept !== snapshot) setKept(snapshot);
  return [source.kind === "text" && !isThere ? kept : snapshot, client];
}
