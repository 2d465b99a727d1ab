// Limits of a plan, as far as session files state them: Codex writes with each call how much of its windows is used. The newest
// block of the newest sessions is read from the stored bytes; other agents' files say nothing of their plan.
import { zstdDecompressSync } from "node:zlib";
import type { Connection } from "#db/connection.ts";
import { query, scalar } from "#db/statement.ts";
import type { PlanLimit } from "#lib/wire/blocks-schema.ts";

/** Newest sessions that are looked at. */
const SESSIONS = 3;
const MINUTE_MS = 60_000;

type Value = Record<string, unknown>;
const objectOf = (value: unknown): Value => (typeof value === "object" && value !== null ? (value as Value) : {});
const numberOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

export function planLimits({ sqlite }: Connection, now: number): PlanLimit[] {
  const sessions = query(
    sqlite,
    { id: "sessions.id", source: "sessions.source_pk!" },
    `SELECT id, source_pk AS source FROM sessions WHERE format = 'codex' AND source_pk IS NOT NULL AND earlier IS NULL
     ORDER BY ended_at DESC LIMIT ${SESSIONS}`,
  ).all();
  const block = scalar(
    sqlite,
    "raw_blocks.zstd",
    "FROM raw_blocks WHERE source_pk = ? ORDER BY byte_start DESC LIMIT 1",
  );
  for (const { id, source } of sessions) {
    const bytes = block.get(source);
    const found = bytes === undefined ? [] : limitsIn(zstdDecompressSync(bytes).toString("utf8"), id, now);
    if (found.length > 0) return found;
  }
  return [];
}

/** The last record that states them. */
export function limitsIn(text: string, session: string, now: number): PlanLimit[] {
  for (const line of text.split("\n").toReversed()) {
    if (!line.includes('"rate_limits"')) continue;
    const record = parsed(line);
    const limits = objectOf(objectOf(record["payload"])["rate_limits"]);
    const statedAt = typeof record["timestamp"] === "string" ? record["timestamp"] : null;
    const plan = typeof limits["plan_type"] === "string" ? limits["plan_type"] : null;
    const found = ["primary", "secondary"].flatMap((name): PlanLimit[] => {
      const window = objectOf(limits[name]);
      const used = numberOf(window["used_percent"]);
      if (used === null) return [];
      const seconds = numberOf(window["resets_at"]);
      const resetsAt = seconds === null ? null : seconds * 1000;
      return [
        {
          agent: "Codex",
          plan,
          windowMinutes: numberOf(window["window_minutes"]),
          usedShare: used / 100,
          resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString(),
          isOver: resetsAt !== null && resetsAt <= now,
          minutesLeft: resetsAt === null || resetsAt <= now ? null : Math.round((resetsAt - now) / MINUTE_MS),
          statedAt,
          session,
        },
      ];
    });
    if (found.length > 0) return found;
  }
  return [];
}

/** The block may begin within a record. */
function parsed(line: string): Value {
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return {};
  }
}
