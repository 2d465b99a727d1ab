// Findings of all sessions, grouped by fingerprint at each question: 10,000 sessions have some 30,000 of them, in one index.
import { columns, command, query, scalar } from "#db/statement.ts";
import { fail } from "#lib/kernel/errors.ts";
import { readFingerprint } from "#lib/kernel/load/culprits/culprit-fingerprint.ts";
import { RULES_VERSION } from "#lib/kernel/load/rules-version.ts";
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
export const SEEN = 200;

/** Findings that share a fingerprint, and what a person did about them. */
export type GroupedFinding = {
  readonly fingerprint: string;
  readonly count: number;
  readonly sessions: number;
  readonly usd: number | null;
  readonly unpriced: number;
  readonly tokens: number;
  readonly first: number | null;
  readonly last: number | null;
  readonly muted: number | null;
  readonly done: number | null;
};

/** Of sessions as they are now: earlier versions of a file count for nothing. */
function grouped(
  archive: Archive,
  { project = null, since = null }: { project?: string | null; since?: number | null },
): GroupedFinding[] {
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
    `SELECT f.fingerprint, max(1, sum(f.times)) AS count, count(DISTINCT f.session_pk) AS sessions, sum(f.usd) AS usd,
       sum(f.usd IS NULL OR f.partial) AS unpriced, sum(f.tokens) AS tokens, min(f.first_at) AS first, max(f.seen_at) AS last,
       max(k.muted_at) AS muted, max(k.done_at) AS done
     FROM session_findings f JOIN sessions s ON s.pk = f.session_pk LEFT JOIN finding_marks k ON k.fingerprint = f.fingerprint
     WHERE s.earlier IS NULL AND (@project IS NULL OR s.cwd = @project) AND (@since IS NULL OR f.seen_at >= @since)
     GROUP BY f.fingerprint`,
  ).all({ project, since });
}

/** Done, and seen again since: it came back. */
const stateOf = ({ muted, done, last }: GroupedFinding): FindingState => {
  if (muted !== null) return "muted";
  if (done === null) return "open";
  return last !== null && last > done ? "back" : "done";
};

export async function listFindings(archive: Archive, request: FindingsRequest): Promise<FindingsAnswer> {
  const rows = grouped(archive, { project: request.project ?? null, since: sinceOf(request) });
  const { page, ...answer } = rankFindings(rows, request);
  const waiting = scalar(
    archive.sqlite,
    "integer",
    "SELECT count(*) FROM sessions WHERE earlier IS NULL AND calls > 0 AND (findings_version IS NULL OR rules_version < ?)",
  ).get(RULES_VERSION)!;
  return { ...answer, findings: page.map((one) => rowOf(archive, one)), waiting };
}

/** The first moment that counts. */
export const sinceOf = ({ since }: FindingsRequest): number | null =>
  since === undefined ? null : new Date(`${readDay(since)!}T00:00:00`).getTime();

export type RankedFinding = {
  readonly row: GroupedFinding;
  readonly found: NonNullable<ReturnType<typeof readFingerprint>>;
  readonly state: FindingState;
};

const rankedOf = (row: GroupedFinding): RankedFinding | null => {
  const found = readFingerprint(row.fingerprint);
  return found === null ? null : { row, found, state: stateOf(row) };
};

/** The findings that are asked for, the most expensive first, and what all of them come to. */
export function rankFindings(
  rows: readonly GroupedFinding[],
  request: FindingsRequest,
): { readonly page: RankedFinding[] } & Omit<FindingsAnswer, "findings" | "waiting"> {
  const all = rows.flatMap((row) => {
    const one = rankedOf(row);
    return one === null || (request.kind !== undefined && one.found.kind !== request.kind) ? [] : [one];
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
    page: listed.slice(request.offset, request.offset + request.limit),
    total: listed.length,
    ...sumsOf(listed.map(({ row }) => row)),
    counts,
  };
}

const sumsOf = (rows: readonly GroupedFinding[]): { usd: number | null; isPartial: boolean } => ({
  usd: rows.some(({ usd }) => usd !== null) ? rows.reduce((sum, { usd }) => sum + (usd ?? 0), 0) : null,
  isPartial: rows.some(({ unpriced }) => unpriced > 0),
});

/** From when on the times of a finding are shown. */
export const firstWeek = (now: number): number => now - WEEKS * WEEK_MS;

/** How often a session had it, and when last. */
export type SeenTimes = { readonly at: number; readonly times: number };

/** A row of the list. `fix`: as the newest session says it; `times`: when it was seen since the first week that is shown. */
export function findingRowOf(
  { row, found, state }: RankedFinding,
  { fix, times, now }: { readonly fix: string; readonly times: readonly SeenTimes[]; readonly now: number },
): FindingRow {
  const weeks = Array.from({ length: WEEKS }, () => 0);
  for (const { at, times: seen } of times) {
    const back = Math.floor((now - at) / WEEK_MS);
    if (back >= 0 && back < WEEKS) weeks[WEEKS - 1 - back]! += seen;
  }
  const { fingerprint: id, count, sessions, tokens, first, last } = row;
  return {
    ...{ id, ...found, fix, count, sessions, tokens, weeks, state },
    ...sumsOf([row]),
    firstSeen: iso(first),
    lastSeen: iso(last),
  };
}

function rowOf(archive: Archive, ranked: RankedFinding): FindingRow {
  const { sqlite } = archive;
  const { fingerprint } = ranked.row;
  const fix = scalar(
    sqlite,
    "session_findings.fix",
    "FROM session_findings WHERE fingerprint = ? ORDER BY seen_at DESC, session_pk DESC LIMIT 1",
  ).get(fingerprint)!;
  const now = archive.host.now();
  const times = query(
    sqlite,
    { at: "session_findings.seen_at!", times: "session_findings.times" },
    `SELECT f.seen_at AS at, f.times FROM session_findings f JOIN sessions s ON s.pk = f.session_pk
     WHERE f.fingerprint = ? AND f.seen_at > ? AND s.earlier IS NULL`,
  ).all(fingerprint, firstWeek(now));
  return findingRowOf(ranked, { fix, times, now });
}

/** One finding, and where it was seen. */
export async function showFinding(archive: Archive, id: string): Promise<FindingAnswer> {
  const finding = oneFinding(grouped(archive, {}), id, "this archive");
  const seen = query(
    archive.sqlite,
    {
      ...columns("session_findings", "seq", "label", "fix", "tokens", "usd"),
      at: "session_findings.seen_at",
      ...columns("sessions", "id", "title", "cwd"),
    },
    `SELECT f.seq, f.label, f.fix, f.seen_at AS at, f.tokens, f.usd, s.id, s.title, s.cwd
     FROM session_findings f JOIN sessions s ON s.pk = f.session_pk
     WHERE f.fingerprint = ? AND s.earlier IS NULL ORDER BY f.seen_at DESC, f.session_pk DESC LIMIT ${SEEN}`,
  ).all(id);
  return { finding: rowOf(archive, finding), seen: seen.map(seenOf) };
}

/** Of all that there are; fails where it is none of them. */
export function oneFinding(rows: readonly GroupedFinding[], id: string, where: string): RankedFinding {
  const row = rows.find(({ fingerprint }) => fingerprint === id);
  const finding = row === undefined ? null : rankedOf(row);
  return finding ?? fail("not_found", `No finding "${id}" in ${where}. plimsoll findings --json lists their ids.`);
}

type Seen = FindingAnswer["seen"][number];
export type SeenRow = Omit<Seen, "sessionId" | "projectPath" | "at"> & {
  readonly id: string;
  readonly cwd: string | null;
  readonly at: number | null;
};

export const seenOf = ({ id: sessionId, title, cwd: projectPath, at, ...rest }: SeenRow): Seen => ({
  ...{ sessionId, title, projectPath, ...rest },
  at: iso(at),
});

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
