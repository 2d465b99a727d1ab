// Model calls of a session beside what their agent reported of them over OpenTelemetry: by the id of the request where both have
// it (Claude Code), else by the time (Codex).
import { columns, query, scalar } from "#db/statement.ts";
import { NO_USAGE, USAGE_FIELDS, type Usage } from "#lib/kernel/draft.ts";
import type { ReportedRequest } from "#lib/formats/otlp/agent-report.ts";
import type { Archive } from "../base/archive-type.ts";
import { usageOfRow } from "../base/usage-of-row.ts";
import { addUsage } from "../import/session-counters.ts";
import { agentReport } from "../import/telemetry-sessions.ts";

/** The file's line of a call and the agent's report of it were written within this time (milliseconds). */
const NEAR_MS = 5000;

/** By the number of the call. Calls that were copied here were reported in the session that made them. */
export function telemetryCalls(archive: Archive, pk: number, nativeId: string): ReadonlyMap<number, ReportedRequest> {
  const report = agentReport(archive, nativeId);
  if (report === null) return new Map();
  const calls = query(
    archive.sqlite,
    columns("model_calls", ...CALL),
    "FROM model_calls WHERE session_pk = ? AND inherited = 0 AND has_usage = 1 ORDER BY call",
  ).all(pk);
  const found = new Map<number, ReportedRequest>();
  const byId = new Map(report.requests.flatMap((request) => (request.id === null ? [] : [[request.id, request]])));
  for (const { call, key } of calls) {
    const request = byId.get(key) ?? byId.get(key.slice(key.lastIndexOf(":") + 1));
    if (request !== undefined) found.set(call, request);
  }
  const open = calls.filter(({ call, ts }) => !found.has(call) && ts !== null);
  const nameless = report.requests.filter(({ id, ts }) => id === null && ts !== null);
  // Those that say the same first: of two calls within one second each finds its own.
  for (const isSame of [true, false])
    for (const request of nameless) {
      const near = open
        .filter((row) => !found.has(row.call) && Math.abs(row.ts! - request.ts!) <= NEAR_MS)
        .filter((row) => !isSame || USAGE_FIELDS.every((field) => usageOfRow(row)[field] === request.usage[field]))
        .toSorted((a, b) => Math.abs(a.ts! - request.ts!) - Math.abs(b.ts! - request.ts!));
      if (near[0] !== undefined && ![...found.values()].includes(request)) found.set(near[0].call, request);
    }
  return found;
}

const CALL = [
  "call",
  "key",
  "ts",
  "input_uncached",
  "cache_read",
  "cache_write",
  "cache_write_1h",
  "output",
  "reasoning",
  "web_searches",
] as const;

export type Unfiled = {
  readonly calls: number;
  readonly usage: Usage;
  readonly usd: number | null;
  readonly purposes: string[];
};

/** Requests that the agent reported and that no call of the session or of its sub-agents is about: a compaction's, a title's. */
export function unfiledRequests(archive: Archive, nativeId: string): Unfiled | null {
  const report = agentReport(archive, nativeId);
  if (report === null || nativeId.includes("/")) return null;
  const family = scalar(
    archive.sqlite,
    "sessions.pk",
    "FROM sessions WHERE native_id = @name OR substr(native_id, 1, length(@name) + 1) = @name || '/'",
  ).all({ name: nativeId });
  const filed = new Set(family.flatMap((pk) => [...telemetryCalls(archive, pk, nativeId).values()]));
  const rest = report.requests.filter((request) => !filed.has(request));
  if (rest.length === 0) return null;
  const usage = { ...NO_USAGE };
  for (const request of rest) addUsage(usage, request.usage);
  const usd = rest.reduce<number | null>((sum, one) => (sum === null || one.usd === null ? null : sum + one.usd), 0);
  const purposes = [...new Set(rest.flatMap(({ purpose }) => purpose ?? []))].toSorted();
  return { calls: rest.length, usage, usd, purposes };
}
