// A session in one line. From rows alone, and without the price table: a command that an agent runs after every message has
// 60 ms, and Node takes 25 of them.
import { connect, type Connection } from "#db/connection.ts";
import { columns, query, scalar } from "#db/statement.ts";
import { cacheLifetimeMs } from "#lib/kernel/load/cache-breaks.ts";
import { callsLeft, growthOf } from "#lib/kernel/load/recent-growth.ts";
import type { SessionStatus } from "#lib/wire/status-schema.ts";
import { findSession, LATEST } from "../base/find-session.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { readSetting, WARN_SETTING } from "../base/setting-rows.ts";
import { strainedBudget } from "./list-budgets.ts";
import { UNSURE } from "./usage-rows.ts";

type Reader = Connection;

/** Calls whose gaps say how long a provider that caches unasked keeps its cache. */
const LOOKED_AT = 50;

/** All but what grew fastest, which takes the ledger. `now`: ms since 1970. */
export function sessionStatus(archive: Reader, pk: number, now: number): SessionStatus {
  const row = query(
    archive.sqlite,
    { ...columns("sessions", "id", "title", "model", "load_line", "cwd"), counted: "integer?", lost: "text?" },
    `SELECT id, title, model, load_line, cwd, json_extract(tally, '$.counted') AS counted,
       json_extract(tally, '$.lost') AS lost FROM sessions WHERE pk = ?`,
  ).get(pk)!;
  const calls = lastCalls(archive, pk);
  const last = calls.at(-1);
  const since = lastCompaction(archive, pk);
  const growth = growthOf(calls.filter(({ firstSeq }) => firstSeq > since));
  const { load_line: line } = row;
  const cost = costOfCalls(archive, "session_pk = @value", pk);
  return {
    id: row.id,
    title: row.title === "" ? "Untitled" : row.title,
    model: row.model,
    load: {
      tokens: last?.prompt ?? null,
      origin: (row.counted ?? 0) > 0 ? "counted" : "reported",
      line,
      share: last === undefined || line === null ? null : last.prompt / line,
      call: last?.call ?? null,
    },
    growth,
    callsLeft: last === undefined || line === null ? null : callsLeft(last.prompt, line, growth),
    fastest: null,
    cost: { ...cost, isLeast: cost.isLeast || row.lost !== null },
    day: costOfCalls(
      archive,
      "session_pk IN (SELECT pk FROM sessions WHERE earlier IS NULL AND ended_at >= @value) AND ts >= @value",
      midnight(now),
    ),
    cache: cacheOf(calls),
    budget: strainedBudget(archive, row.cwd, now),
    warnAt: readSetting(archive, WARN_SETTING) as number | null,
  };
}

type LastCall = ReturnType<typeof lastCalls>[number];

/** Calls that reported their usage, oldest first. */
function lastCalls(archive: Reader, pk: number) {
  const rows = query(
    archive.sqlite,
    {
      ...columns("model_calls", "call", "model", "ts"),
      firstSeq: "model_calls.first_seq",
      uncached: "model_calls.input_uncached",
      cacheRead: "model_calls.cache_read",
      cacheWrite: "model_calls.cache_write",
      cacheWrite1h: "model_calls.cache_write_1h",
    },
    `FROM model_calls WHERE session_pk = ? AND has_usage = 1 ORDER BY first_seq DESC, call DESC LIMIT ${LOOKED_AT}`,
  ).all(pk);
  return rows
    .map((row) => ({ ...row, prompt: row.uncached + row.cacheRead + row.cacheWrite }))
    .filter(({ prompt }) => prompt > 0)
    .toReversed();
}

function lastCompaction(archive: Reader, pk: number): number {
  const id = scalar(
    archive.sqlite,
    "events.id",
    "FROM events WHERE id BETWEEN ? AND ? AND type = 'compaction' ORDER BY id DESC LIMIT 1",
  ).get(...rowRange(pk));
  return id === undefined ? 0 : seqOfRow(id);
}

function costOfCalls(archive: Reader, where: string, value: number): SessionStatus["cost"] {
  const { usd, missing } = query(
    archive.sqlite,
    { usd: "real?", missing: "integer?" },
    `SELECT sum(usd) AS usd, sum(${UNSURE}) AS missing FROM model_calls m WHERE inherited = 0 AND ${where}`,
  ).get({ value })!;
  return { usd, isLeast: (missing ?? 0) > 0 };
}

const midnight = (now: number): number => new Date(now).setHours(0, 0, 0, 0);

/** The last call used the cache, which is kept for so long after it. */
function cacheOf(calls: readonly LastCall[]): SessionStatus["cache"] {
  const last = calls.at(-1);
  if (last === undefined || last.ts === null || last.cacheRead + last.cacheWrite === 0) return null;
  const used = calls.map((call) => ({ ...call, hasUsage: true, sum: call.prompt, epoch: 0 }));
  const lifetime = cacheLifetimeMs([...used, used.at(-1)!], used.length);
  return { expiresAt: new Date(last.ts + lifetime).toISOString() };
}

/** The row key of the session that is meant: by name, or the one that was active last. Fails with `not_found`. */
export function statusSession(archive: Reader, name: string | undefined): number {
  return findSession(archive, name ?? LATEST);
}

/** Opens the archive in a folder for this one question; nothing of it is written. */
export function statusOfFolder(dir: string, name: string | undefined, now: number): SessionStatus {
  const connection = connect(dir, "read");
  try {
    return sessionStatus(connection, statusSession(connection, name), now);
  } finally {
    connection.sqlite.close();
  }
}
