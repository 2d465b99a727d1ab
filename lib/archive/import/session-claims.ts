// Which file a session's name belongs to. Two files may claim one name: a copy taken earlier, or two that went apart. The
// answer is a function of the set of files: in whatever order they came, the same sessions stand in the archive.
import { columns, command, query, scalar, select } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import type { Archive } from "../base/archive-type.ts";
import { publicSessionId, rowRange } from "../base/row-keys.ts";
import { registerAgain } from "../base/artifact-row.ts";
import type { Batch } from "../base/batch.ts";
import { clearSessions } from "./clear-source.ts";
import { isContained } from "./contained-file.ts";
import { moveMemory } from "./keep-memory.ts";
import { IS_OWN_LOG } from "./progress-sessions.ts";

type Claimant = { pk: number; path: string; format: string | null; head: string; keyed: number };

/** The name that a source gets until its claim is settled: nothing else can have it. */
const provisionalId = (nativeId: string, sourcePk: number): string => `${nativeId}~claim${sourcePk}`;

/** The name of a file's session until its end: another source may have sessions under it, its own or those of sub-agents inside it. */
export const firstName = (archive: Archive, nativeId: string, sourcePk: number): string =>
  isHeld(archive, nativeId, sourcePk) || claimants(archive, nativeId).some(({ pk }) => pk !== sourcePk)
    ? provisionalId(nativeId, sourcePk)
    : nativeId;

/** The name of a sub-agent's run inside a file until the file's end, where the agent has a file of its own. */
export const firstLaneName = (archive: Archive, plain: string, sourcePk: number): string =>
  isHeld(archive, plain, sourcePk) ? provisionalId(plain, sourcePk) : plain;

/** True when a session of another source has this name now. */
const isHeld = ({ sqlite }: Archive, nativeId: string, sourcePk: number): boolean =>
  command(sqlite, "SELECT 1 FROM sessions WHERE native_id = ? AND source_pk <> ?").get(nativeId, sourcePk) !==
  undefined;

/** Settles a name after one of its sources was read. Returns the sessions whose names changed. */
export function settleClaims(archive: Archive, batch: Batch, nativeId: string, sourcePk: number): number[] {
  const { sqlite } = archive;
  const all = claimants(archive, nativeId);
  const self = all.find((other) => other.pk === sourcePk);
  if (self !== undefined && all.length > 1) {
    const own = recordKeys(archive, self.pk);
    for (const other of all) {
      if (other.pk === self.pk) continue;
      const selfIsOlder =
        isCopyOf(self, other, own, recordKeys(archive, other.pk)) ?? isCutOutOf(archive, self.pk, other.pk);
      if (selfIsOlder === null) continue;
      const [copy, kept] = selfIsOlder ? [self, other] : [other, self];
      const told = distanceOf(copy) > distanceOf(kept) ? secondHandOf(copy) : null;
      const reason = told === null ? olderReason(kept.path) : REASONS[told](kept.path);
      // Plans and items beside a copy stand beside the session that has its records.
      moveMemory(archive, copy.pk, kept.pk);
      clearSessions(archive, copy.pk);
      command(sqlite, "UPDATE sources SET status = 'older copy', older_of = ?, reason = ? WHERE pk = ?").run(
        kept.pk,
        reason,
        copy.pk,
      );
      command(sqlite, "UPDATE sources SET older_of = ?, reason = ? WHERE older_of = ?").run(
        kept.pk,
        olderReason(kept.path),
        copy.pk,
      );
      if (selfIsOlder) break;
    }
  }
  return [...nameSessions(archive, batch, nativeId), ...nameLanes(archive, batch, sourcePk)];
}

/** Sub-agents inside a file that could not have their names when they were found. */
function nameLanes(archive: Archive, batch: Batch, sourcePk: number): number[] {
  const rows = query(
    archive.sqlite,
    { ...columns("sessions", "pk", "id"), nativeId: "sessions.native_id", head: "text" },
    `SELECT s.pk, s.id, s.native_id AS nativeId, coalesce(f.head, '') AS head FROM sessions s JOIN sources f ON f.pk = s.source_pk
       WHERE s.source_pk = ? AND s.lane <> '' AND s.native_id LIKE '%~claim' || s.source_pk`,
  ).all(sourcePk);
  for (const row of rows) {
    const plain = row.nativeId.slice(0, row.nativeId.lastIndexOf("~"));
    renameSession(archive, batch, row, laneName(archive, sourcePk, plain, row.head));
  }
  for (const { pk } of rows) registerAgain(archive, batch, pk);
  return rows.map(({ pk }) => pk);
}

/** A sub-agent's run inside a file gives way to the agent's own file, and to another that had the name before. */
const laneName = (archive: Archive, sourcePk: number, plain: string, head: string): string =>
  isHeld(archive, plain, sourcePk) ? `${plain}~${head.slice(0, 8)}` : plain;

/** Takes the name from a sub-agent's run inside another file: the agent's own file has it. */
function takeFromLanes(archive: Archive, batch: Batch, nativeId: string): number[] {
  const rows = query(
    archive.sqlite,
    { ...columns("sessions", "pk", "id"), head: "text" },
    `SELECT s.pk, s.id, coalesce(f.head, '') AS head FROM sessions s JOIN sources f ON f.pk = s.source_pk
       WHERE s.native_id = ? AND s.lane <> ''`,
  ).all(nativeId);
  for (const row of rows) renameSession(archive, batch, row, `${nativeId}~${row.head.slice(0, 8)}`);
  return rows.map(({ pk }) => pk);
}

/** True when the first is the copy, false when the other is, null when neither is. What was printed or sent gives way to the file. */
function isCopyOf(
  self: Claimant,
  other: Claimant,
  own: ReadonlySet<string>,
  theirs: ReadonlySet<string>,
): boolean | null {
  const [distance, otherDistance] = [distanceOf(self), distanceOf(other)];
  if (distance !== otherDistance) return distance > otherDistance;
  const within = isSubset(own, theirs);
  const contains = isSubset(theirs, own);
  if (!within && !contains) return null;
  return within && (!contains || other.path < self.path);
}

/** The same of a file that was cut out of the other. */
function isCutOutOf(archive: Archive, selfPk: number, otherPk: number): boolean | null {
  if (isContained(archive, selfPk, otherPk)) return true;
  return isContained(archive, otherPk, selfPk) ? false : null;
}

function secondHandOf({ format, path }: Claimant): keyof typeof REASONS | null {
  const told = FORMATS.find(({ id }) => id === format)?.secondHand ?? null;
  return typeof told === "function" ? told(path) : told;
}

/** How far a source is from the agent's own file, which is 0. */
const distanceOf = (source: Claimant): number =>
  ({ file: 0, excerpt: 1, stream: 2, telemetry: 3 })[secondHandOf(source) ?? "file"];

const REASONS = {
  telemetry: (path: string): string => `Telemetry of the session in ${path}, which shows what the agent reported.`,
  stream: (path: string): string => `What the agent printed of the session in ${path}, which is read.`,
  excerpt: (path: string): string => `A transcript of the session in ${path}, which has more.`,
};

const isSubset = (part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean =>
  part.size <= whole.size && [...part].every((key) => whole.has(key));

const olderReason = (path: string): string => `An older copy: all its records are in ${path}.`;

function claimants(archive: Archive, nativeId: string): Claimant[] {
  return query(
    archive.sqlite,
    { ...columns("sources", "pk", "path", "format"), head: "text", keyed: "integer" },
    `SELECT s.pk, s.path, s.format, coalesce(s.head, '') AS head, (SELECT coalesce(sum(keyed_records), 0) FROM sessions WHERE source_pk = s.pk AND ${IS_OWN_LOG}) AS keyed
       FROM sources s WHERE s.native_id = ? AND s.earlier IS NULL AND EXISTS (SELECT 1 FROM sessions WHERE source_pk = s.pk)`,
  ).all(nativeId);
}

function recordKeys(archive: Archive, sourcePk: number): Set<string> {
  const pks = scalar(archive.sqlite, "sessions.pk", `FROM sessions WHERE source_pk = ? AND ${IS_OWN_LOG}`).all(
    sourcePk,
  );
  const keys = new Set<string>();
  const rows = scalar(
    archive.sqlite,
    "events.record_key!",
    "FROM events WHERE id BETWEEN ? AND ? AND record_key IS NOT NULL",
  );
  for (const pk of pks) for (const key of rows.iterate(...rowRange(pk))) keys.add(key.toString("latin1"));
  return keys;
}

/**
 * The file with the most records keeps the plain name; the others add 8 hex of their first 4 KB. Returns the sessions
 * whose names changed.
 */
export function nameSessions(archive: Archive, batch: Batch, nativeId: string): number[] {
  const order = claimants(archive, nativeId).toSorted(
    (a, b) => b.keyed - a.keyed || (a.head < b.head ? -1 : a.head > b.head ? 1 : a.path < b.path ? -1 : 1),
  );
  const taken = new Set<string>();
  const wanted = order.map((source, i) => {
    let name = i === 0 ? nativeId : `${nativeId}~${source.head.slice(0, 8)}`;
    for (let n = 2; taken.has(name); n++) name = `${nativeId}~${source.head.slice(0, 8)}-${n}`;
    taken.add(name);
    return { source, name };
  });
  // First out of each other's way, then to their positions.
  const isPlaced = ({ source, name }: (typeof wanted)[number]): boolean =>
    command(archive.sqlite, "SELECT 1 FROM sessions WHERE source_pk = ? AND lane = '' AND native_id = ?").get(
      source.pk,
      name,
    ) !== undefined;
  const moving = wanted.filter((one) => !isPlaced(one));
  for (const { source } of moving) rename(archive, batch, source.pk, provisionalId(nativeId, source.pk));
  const lanes = wanted.length > 0 ? takeFromLanes(archive, batch, nativeId) : [];
  const renamed = moving.flatMap(({ source, name }) => rename(archive, batch, source.pk, name));
  // A registry is found by the session's id. What stands under the old id names rows that are not that session's.
  const moved = [...lanes, ...renamed];
  for (const pk of moved) registerAgain(archive, batch, pk);
  return moved;
}

function renameSession(archive: Archive, batch: Batch, { pk, id }: { pk: number; id: string }, name: string): void {
  batch.unregister(id);
  command(archive.sqlite, "UPDATE sessions SET id = ?, native_id = ? WHERE pk = ?").run(
    publicSessionId(name),
    name,
    pk,
  );
}

function rename(archive: Archive, batch: Batch, sourcePk: number, name: string): number[] {
  const rows = select(archive.sqlite, "sessions", ["pk", "id", "lane", "native_id"], "WHERE source_pk = ?").all(
    sourcePk,
  );
  const before = rows.find(({ lane }) => lane === "")?.native_id;
  command(
    archive.sqlite,
    "UPDATE sessions SET parent_native = ? WHERE source_pk = ? AND lane <> '' AND parent_native = ?",
  ).run(name, sourcePk, before);
  const head = scalar(archive.sqlite, "sources.head", "FROM sources WHERE pk = ?").get(sourcePk) ?? "";
  for (const row of rows) {
    const nativeId = row.lane === "" ? name : laneName(archive, sourcePk, `${name}/${row.lane}`, head);
    if (nativeId !== row.native_id) renameSession(archive, batch, row, nativeId);
  }
  return rows.map(({ pk }) => pk);
}
