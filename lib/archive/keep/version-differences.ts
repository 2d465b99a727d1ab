// How each earlier version of a session's file differs from what the file holds now: events that it alone has, events that are
// there now in other words, and events that came since.
import { columns, query, type RowOf } from "#db/statement.ts";
import { readBlocks } from "#lib/sources/blocks.ts";
import type { SessionVersion, VersionsAnswer } from "#lib/wire/restore-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession } from "../base/find-session.ts";
import { iso } from "../base/iso.ts";
import { seqOfRow } from "../base/row-keys.ts";
import { rawHandle } from "../import/raw-handle.ts";
import { digestOfRecord, recipeRecords } from "../import/version-recipe.ts";

const EVENT = columns("events", "id", "type", "label", "tool_call_id", "record_key", "keyed", "byte_start");
type EventRow = RowOf<typeof EVENT>;

/** Differences that are listed of a version; more are counted. */
const LISTED = 200;

export async function sessionVersions(archive: Archive, name: string): Promise<VersionsAnswer> {
  const { sqlite } = archive;
  const pk = findSession(archive, name);
  const session = query(
    sqlite,
    { id: "sessions.id", sourcePk: "sessions.source_pk", lane: "sessions.lane" },
    "SELECT id, source_pk AS sourcePk, lane FROM sessions WHERE pk = ?",
  ).get(pk)!;
  const versions = query(
    sqlite,
    {
      pk: "sessions.pk",
      id: "sessions.id",
      records: "sessions.records",
      number: "sources.earlier!",
      replacedAt: "sources.replaced_at",
      sourcePk: "sources.pk",
      isPart: "sources.is_part",
      path: "sources.path",
      sizeBytes: "sources.size",
    },
    `SELECT v.pk, v.id, v.records, f.earlier AS number, f.replaced_at AS replacedAt, f.pk AS sourcePk, f.is_part AS isPart, f.path, f.size AS sizeBytes
       FROM sources f JOIN sessions v ON v.source_pk = f.pk AND v.lane = ? WHERE f.earlier_of = ? ORDER BY f.earlier DESC`,
  ).all(session.lane, session.sourcePk);
  const answer: SessionVersion[] = [];
  for (const { pk: versionPk, sourcePk, replacedAt, isPart, ...version } of versions) {
    const recipe = recipeRecords(archive, sourcePk);
    const since = recipe === null ? null : await eventsSince(archive, pk, session.sourcePk!, new Set(recipe));
    answer.push({
      ...version,
      replacedAt: iso(replacedAt),
      isRestorable: isPart === 0 || recipe !== null,
      ...differencesOf(eventsOf(archive, versionPk), since),
    });
  }
  return { session: session.id, versions: answer };
}

const eventsOf = (archive: Archive, pk: number): EventRow[] =>
  query(
    archive.sqlite,
    EVENT,
    "SELECT id, type, label, tool_call_id, record_key, keyed, byte_start FROM events WHERE id BETWEEN ? * 4294967296 AND ? * 4294967296 + 4294967295 ORDER BY id",
  ).all(pk, pk);

/** Events of what the file holds now, of records that the version's file did not have. */
async function eventsSince(
  archive: Archive,
  pk: number,
  sourcePk: number,
  had: ReadonlySet<string>,
): Promise<EventRow[]> {
  const starts: { from: number; to: number }[] = [];
  for await (const block of readBlocks(rawHandle(archive, sourcePk), { from: 0, line: 1, final: true })) {
    for (const record of block.records)
      if (!had.has(digestOfRecord(record).toString("latin1")))
        starts.push({ from: record.byteStart, to: record.byteEnd });
    block.release?.();
  }
  const isIn = (at: number): boolean => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle]!.to <= at) low = middle + 1;
      else high = middle;
    }
    return low < starts.length && starts[low]!.from <= at;
  };
  return eventsOf(archive, pk).filter(({ byte_start: at }) => isIn(at));
}

/** What an event is beside its words: an id of its record, or of its tool call. */
function identityOf({ type, keyed, record_key: key, tool_call_id: toolCallId }: EventRow): string | null {
  if (keyed === 1 && key !== null) return `${type} ${key.toString("hex")}`;
  return toolCallId === null ? null : `${type} ${toolCallId}`;
}

function differencesOf(
  before: readonly EventRow[],
  since: readonly EventRow[] | null,
): Pick<SessionVersion, "removed" | "changed" | "added" | "differences"> {
  const now = new Map<string, EventRow>();
  for (const event of since ?? []) {
    const identity = identityOf(event);
    if (identity !== null && !now.has(identity)) now.set(identity, event);
  }
  const paired = new Set<number>();
  const differences: SessionVersion["differences"] = before.map((event) => {
    const identity = identityOf(event);
    const other = identity === null ? undefined : now.get(identity);
    if (other === undefined || paired.has(other.id)) return differenceOf("removed", event, null, event);
    paired.add(other.id);
    return differenceOf("changed", event, other, event);
  });
  const added = since?.filter(({ id }) => !paired.has(id)) ?? [];
  return {
    removed: before.length - paired.size,
    changed: paired.size,
    added: since === null ? null : added.length,
    differences: [...differences, ...added.map((event) => differenceOf("added", null, event, event))].slice(0, LISTED),
  };
}

const differenceOf = (
  kind: SessionVersion["differences"][number]["kind"],
  before: EventRow | null,
  now: EventRow | null,
  { type, label }: EventRow,
): SessionVersion["differences"][number] => ({
  kind,
  type,
  label,
  seq: before === null ? null : seqOfRow(before.id),
  seqNow: now === null ? null : seqOfRow(now.id),
});
