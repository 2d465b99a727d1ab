// What brought the most tokens into a session with its last calls. It takes the ledger, which a session of 20,000 events has in
// half a second: who asks after every message is answered from the one before, and the next is made meanwhile.
import { RECENT_CALLS } from "#lib/kernel/load/recent-growth.ts";
import type { SessionStatus } from "#lib/wire/status-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { perArchive } from "../base/per-archive.ts";
import { sessionVersion } from "../base/session-rows.ts";
import { ledgerOf } from "./load-facts.ts";

type Fastest = SessionStatus["fastest"];
type Kept = { readonly version: number | undefined; readonly fastest: Fastest };

/** As many sessions as somebody looks at in turns. */
const KEPT = 24;
const known = perArchive(() => new Map<number, Kept>());

/** As of the last call, or of one just before it: `call` says which. */
export function fastestGrowth(archive: Archive, pk: number): Fastest {
  const kept = known(archive);
  const found = kept.get(pk);
  if (found === undefined) return renew(archive, pk);
  if (found.version !== sessionVersion(archive, pk)) setImmediate(() => archive.sqlite.open && renew(archive, pk));
  return found.fastest;
}

function renew(archive: Archive, pk: number): Fastest {
  const kept = known(archive);
  const version = sessionVersion(archive, pk);
  if (version === undefined) {
    kept.delete(pk);
    return null;
  }
  if (kept.get(pk)?.version === version) return kept.get(pk)!.fastest;
  const fastest = fastestOf(archive, pk);
  kept.delete(pk);
  kept.set(pk, { version, fastest });
  if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  return fastest;
}

function fastestOf(archive: Archive, pk: number): Fastest {
  const { ledger } = ledgerOf(archive, pk);
  const { calls } = ledger;
  const last = calls.at(-1);
  if (last === undefined) return null;
  const first = Math.max(1, calls.length - RECENT_CALLS);
  const sums = new Map<string, number>();
  for (const { from, kind, seq, toolName, tokens } of ledger.items) {
    if (seq === null || from < first || calls[from]!.epoch !== last.epoch) continue;
    const label = kind === "result" && toolName !== null ? toolName : kind;
    sums.set(label, (sums.get(label) ?? 0) + tokens);
  }
  const [most] = [...sums].toSorted((a, b) => b[1] - a[1]);
  return most === undefined || most[1] <= 0
    ? null
    : { label: most[0], tokens: most[1], calls: calls.length - first, call: last.call };
}
