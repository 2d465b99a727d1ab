// Findings of all sessions, grouped by fingerprint at each question: 10,000 sessions have some 30,000 of them, in one index.
import { columns, command, query, scalar } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import { readFingerprint } from "#lib/kernel/load/culprits/culprit-fingerprint.ts";
import { readDay } from "#lib/kernel/load/usage-periods.ts";
import type {
  FindingAnswer,
  FindingRow,
  FindingsAnswer,
  FindingsRequest,
  FindingState,
  FindingMarkRequest,
} from "#lib/wire/findings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { iso } from "../base/iso.ts";
import { defineWrite, write } from "../base/write.ts";

const WEEK_MS = 7 * 86_400_000;
const WEEKS = 8;
/** Sessions and events that one finding is shown in. */
const SEEN = 200;

type Grouped = ReturnType<typeof grouped>[number];

/** Of sessions as they are now: earlier versions of a file count for nothing. */
function grouped(
  archive: Archive,
  { project = null, since = null }: { project?: string | null; since?: number | null },
) {
  return query(
    archive.sqlite,
    {
      fingerprint: "session_findings.fingerprint",
      count: "integer",
      sessions: "integer",
      usd: "real?",
      unpriced: "integer",
      tokens: "integer",
      first: "integer?",
      last: "integer?",
      muted: "integer?",
      done: "integer?",
    },
    `SELECT f.fingerprint, count(*) AS count, count(DISTINCT f.session_pk) AS sessions, sum(f.usd) AS usd,
       sum(f.usd IS NULL) AS unpriced, sum(f.tokens) AS tokens, min(f.at) AS first, max(f.at) AS last,
       max(k.muted_at) AS muted, max(k.done_at) AS done
     FROM session_findings f JOIN sessions s ON s.pk = f.session_pk LEFT JOIN finding_marks k ON k.fingerprint = f.fingerprint
     WHERE s.earlier IS NULL AND (@project IS NULL OR s.cwd = @project) AND (@since IS NULL OR f.at >= @since)
     GROUP BY f.fingerprint`,
  ).all({ project, since });
}

/** Done, and seen again since: it came back. */
const stateOf = ({ muted, done, last }: Grouped): FindingState => {
  if (muted !== null) return "muted";
  if (done === null) return "open";
  return last !== null && last > done ? "back" : "done";
};

export async function listFindings(archive: Archive, request: FindingsRequest): Promise<FindingsAnswer> {
  const since = request.since === undefined ? null : new Date(`${readDay(request.since)!}T00:00:00`).getTime();
  const all = grouped(archive, { project: request.project ?? null, since }).flatMap((row) => {
    const found = readFingerprint(row.fingerprint);
    return found === null || (request.kind !== undefined && found.kind !== request.kind)
      ? []
      : [{ row, found, state: stateOf(row) }];
  });
  const counts = { open: 0, muted: 0, done: 0, back: 0 };
  for (const { state } of all) counts[state] += 1;
  const listed = all
    .filter(
      ({ state }) =>
        request.state === "all" || state === request.state || (request.state === "open" && state === "back"),
    )
    .toSorted(
      (a, b) =>
        (b.row.usd ?? 0) - (a.row.usd ?? 0) ||
        b.row.tokens - a.row.tokens ||
        (a.row.fingerprint < b.row.fingerprint ? -1 : 1),
    );
  return {
    findings: listed.slice(request.offset, request.offset + request.limit).map((one) => rowOf(archive, one)),
    total: listed.length,
    ...sumsOf(listed.map(({ row }) => row)),
    counts,
    waiting: scalar(
      archive.sqlite,
      "integer",
      "SELECT count(*) FROM sessions WHERE earlier IS NULL AND calls > 0 AND findings_version IS NULL",
    ).get()!,
  };
}

const sumsOf = (rows: readonly Grouped[]): { usd: number | null; isPartial: boolean } => ({
  usd: rows.some(({ usd }) => usd !== null) ? rows.reduce((sum, { usd }) => sum + (usd ?? 0), 0) : null,
  isPartial: rows.some(({ unpriced }) => unpriced > 0),
});

type Found = {
  readonly row: Grouped;
  readonly found: NonNullable<ReturnType<typeof readFingerprint>>;
  readonly state: FindingState;
};

function rowOf(archive: Archive, { row, found, state }: Found): FindingRow {
  const { sqlite } = archive;
  const fix = scalar(
    sqlite,
    "session_findings.fix",
    "FROM session_findings WHERE fingerprint = ? ORDER BY at DESC, session_pk DESC LIMIT 1",
  ).get(row.fingerprint)!;
  const weeks = Array.from({ length: WEEKS }, () => 0);
  const end = archive.host.now();
  const times = scalar(
    sqlite,
    "session_findings.at!",
    "SELECT f.at FROM session_findings f JOIN sessions s ON s.pk = f.session_pk WHERE f.fingerprint = ? AND f.at > ? AND s.earlier IS NULL",
  ).all(row.fingerprint, end - WEEKS * WEEK_MS);
  for (const at of times) {
    const back = Math.floor((end - at) / WEEK_MS);
    if (back >= 0 && back < WEEKS) weeks[WEEKS - 1 - back]! += 1;
  }
  const { fingerprint: id, count, sessions, tokens, first, last } = row;
  return {
    ...{ id, ...found, fix, count, sessions, tokens, weeks, state },
    ...sumsOf([row]),
    firstSeen: iso(first),
    lastSeen: iso(last),
  };
}

/** One finding, and where it was seen. */
export async function showFinding(archive: Archive, id: string): Promise<FindingAnswer> {
  const row = grouped(archive, {}).find(({ fingerprint }) => fingerprint === id);
  const found = readFingerprint(id);
  if (row === undefined || found === null)
    fail("not_found", `No finding "${id}" in this archive. plimsoll findings --json lists their ids.`);
  const seen = query(
    archive.sqlite,
    {
      ...columns("session_findings", "seq", "label", "fix", "at", "tokens", "usd"),
      ...columns("sessions", "id", "title", "cwd"),
    },
    `SELECT f.seq, f.label, f.fix, f.at, f.tokens, f.usd, s.id, s.title, s.cwd
     FROM session_findings f JOIN sessions s ON s.pk = f.session_pk
     WHERE f.fingerprint = ? AND s.earlier IS NULL ORDER BY f.at DESC, f.session_pk DESC LIMIT ${SEEN}`,
  ).all(id);
  return {
    finding: rowOf(archive, { row, found, state: stateOf(row) }),
    seen: seen.map(({ id: sessionId, title, cwd: projectPath, at, ...rest }) => ({
      ...{ sessionId, title, projectPath, ...rest },
      at: iso(at),
    })),
  };
}

/** The write of markFinding. */
function keepMark(
  { sqlite }: Archive,
  { now }: Batch,
  { id, mark }: FindingMarkRequest & { readonly id: string },
): null {
  if (mark === "open") command(sqlite, "DELETE FROM finding_marks WHERE fingerprint = ?").run(id);
  else
    command(
      sqlite,
      `INSERT INTO finding_marks (fingerprint, muted_at, done_at) VALUES (@id, @muted, @done)
       ON CONFLICT (fingerprint) DO UPDATE SET muted_at = excluded.muted_at, done_at = excluded.done_at`,
    ).run({ id, muted: mark === "muted" ? now : null, done: mark === "done" ? now : null });
  return null;
}

export const markFindingWrite = defineWrite("markFinding", keepMark);

/** Muted: never again among the open ones. Done: until it is seen again. */
export async function markFinding(archive: Archive, id: string, { mark }: FindingMarkRequest): Promise<FindingRow> {
  const { finding } = await showFinding(archive, id);
  await write(archive, markFindingWrite, { id: finding.id, mark });
  return (await showFinding(archive, id)).finding;
}
