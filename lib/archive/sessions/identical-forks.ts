// Sub-agents of a session that did the same: the same events in the same order, by type, tool and text. Ids and times differ
// in every run, and records that are no conversation are passed over.
import { createHash } from "node:crypto";
import { columns, query } from "#db/statement.ts";
import type { ForkGroup, ForksAnswer } from "#lib/wire/forks-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { rowRange } from "../base/row-keys.ts";

type Child = { readonly pk: number; readonly id: string; readonly seq: number | null; readonly events: number };

/** Groups in the order of their first call; sub-agents without a call come last. */
export async function identicalForks(archive: Archive, name: string): Promise<ForksAnswer> {
  const children = childrenOf(archive, findSession(archive, name));
  // Nearly all differ in how many events they have: only those that do not are read.
  const alike = [...Map.groupBy(children, ({ events }) => events).values()].filter((some) => some.length > 1);
  const same = alike.flatMap((some) => [...Map.groupBy(some, ({ pk }) => contentOf(archive, pk)).values()]);
  const groups = same
    .filter((forks) => forks.length > 1)
    .map((forks): ForkGroup => ({
      forks: forks.toSorted(byCall).map(({ id, seq }) => ({ session: id, seq })),
      events: forks[0]!.events,
    }));
  return { groups: groups.toSorted((a, b) => byCall(a.forks[0]!, b.forks[0]!)) };
}

const byCall = (a: { readonly seq: number | null }, b: { readonly seq: number | null }): number =>
  (a.seq ?? Number.MAX_SAFE_INTEGER) - (b.seq ?? Number.MAX_SAFE_INTEGER);

function childrenOf(archive: Archive, pk: number): Child[] {
  const rows = query(
    archive.sqlite,
    { ...columns("sessions", "pk", "id"), seq: "sessions.parent_tool_call_seq", events: "integer" },
    `SELECT s.pk, s.id, s.parent_tool_call_seq AS seq,
       (SELECT count(*) FROM events e WHERE e.id BETWEEN s.pk * 4294967296 AND s.pk * 4294967296 + 4294967295 AND e.type <> 'meta') AS events
     FROM sessions s WHERE s.parent_pk = ? AND s.earlier IS NULL ORDER BY s.pk`,
  ).all(pk);
  return rows.filter(({ events }) => events > 0);
}

/** A digest of what was said and done. */
function contentOf(archive: Archive, pk: number): string {
  const rows = query(
    archive.sqlite,
    { ...columns("events", "type", "digest", "label", "bytes"), tool: "events.tool_name" },
    "SELECT type, digest, label, bytes, tool_name AS tool FROM events WHERE id BETWEEN ? AND ? AND type <> 'meta' ORDER BY id",
  ).all(...rowRange(pk));
  const hash = createHash("sha256");
  for (const { type, digest, label, bytes, tool } of rows)
    hash.update(JSON.stringify([type, tool, digest?.toString("hex") ?? [label, bytes]]));
  return hash.digest("hex");
}
