// A session's row as its summary: what `plimsoll show` prints and what the pages' tables are made of.
import { scalar, type Columns, type RowOf } from "#db/statement.ts";
import { captured } from "#lib/formats/captured.ts";
import { agentOfProgress } from "#lib/kernel/draft.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import { promptTokens } from "#lib/kernel/draft.ts";
import type { SessionSummary } from "#lib/wire/sessions-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { costOf } from "../load/spend.ts";
import { iso } from "../base/iso.ts";
import { labelOf } from "../import/format-label.ts";
import { archivedAs } from "../import/archived-transcripts.ts";
import { loadLineOf } from "../import/load-line.ts";
import { addUsage, countersOf, type SessionCounters } from "../import/session-counters.ts";
import { marksOfSession } from "../settings/marks.ts";

/** A session counts as running while its file was written in the last minute. */
export const RUNNING_MS = 60_000;

export const VIEW_COLUMNS = `s.*, p.id AS parent_id, f.path AS source_path, f.size AS source_size, f.status AS source_status, f.earlier_of, f.replaced_at,
  (SELECT count(*) FROM sessions c WHERE c.parent_pk = s.pk AND c.format <> '${captured.id}') AS children`;
export const VIEW_ROW = {
  "*": "sessions.*",
  parent_id: "sessions.id?",
  source_path: "sources.path?",
  source_size: "sources.size?",
  source_status: "sources.status?",
  earlier_of: "sources.earlier_of",
  replaced_at: "sources.replaced_at",
  children: "integer",
} as const satisfies Columns;
export type ViewRow = RowOf<typeof VIEW_ROW>;
export const VIEW_FROM =
  "FROM sessions s LEFT JOIN sessions p ON p.pk = s.parent_pk LEFT JOIN sources f ON f.pk = s.source_pk";

export function statusOf(archive: Archive, row: ViewRow): SessionSummary["status"] {
  if (row.source_status === "gone") return "gone";
  return row.earlier === null && row.written_at !== null && archive.host.now() - row.written_at < RUNNING_MS
    ? "running"
    : "idle";
}

/** The same of one session, where nothing else of it is needed. */
export function isRunning(archive: Archive, pk: number): boolean {
  const written = scalar(archive.sqlite, "sessions.written_at", "FROM sessions WHERE pk = ? AND earlier IS NULL").get(
    pk,
  );
  return written != null && archive.host.now() - written < RUNNING_MS;
}

/** `calls`: of a list, those of all its sessions. */
export function summaryOf(archive: Archive, row: ViewRow, calls?: Parameters<typeof costOf>[3]): SessionSummary {
  const counters = countersOf(row);
  const line = loadLineOf(archive, { ...row, agentVersion: row.agent_version, peakTokens: row.peak_tokens }, counters);
  const cost = costOf(archive, row, counters, calls);
  return {
    id: row.id,
    nativeId: row.native_id,
    format: row.format,
    agent: row.agent_name ?? labelOf(row.format),
    agentVersion: row.agent_version,
    model: row.model,
    title: row.title === "" ? "Untitled" : row.title,
    cwd: row.cwd,
    parentId: row.parent_id,
    parentToolCallSeq: row.parent_tool_call_seq,
    relation: row.relation,
    from: agentOfProgress(row.lane) === null ? null : "progress",
    startedAt: iso(row.started_at),
    endedAt: iso(row.ended_at),
    status: statusOf(archive, row),
    turns: row.turn,
    events: counters.events,
    records: row.records,
    modelCalls: counters.calls,
    usage: counters.usage,
    usageWithInherited: withLost(counters),
    lostCalls: counters.lost,
    lineage: [],
    earlierVersions: [],
    earlierOf: earlierOf(archive, row),
    usageQuality: usageQualityOf(row, counters),
    toolCalls: counters.toolCalls,
    hostedToolCalls: counters.hostedToolCalls,
    toolResults: counters.toolResults,
    callsWithoutResult: counters.pending,
    resultsWithoutCall: counters.resultsWithoutCall,
    toolErrors: counters.toolErrors,
    compactions: row.compactions,
    automaticCompactions: row.automatic,
    state: row.state,
    artifacts: row.artifacts,
    peak: {
      tokens: row.peak_tokens,
      origin: counters.counted > 0 ? "counted" : "reported",
      call: row.peak_call,
      window: line.window,
      loadLine: line.tokens,
      loadLineOrigin: line.origin,
    },
    last: { tokens: counters.lastTokens, call: counters.lastCall },
    cost,
    quality: qualityNotes(counters, row, cost),
    ...marksOfSession(archive, row.pk),
    demo: row.demo === 1,
    held: row.held === 1,
    archived: archivedAs(row.source_path),
    source:
      row.source_path === null
        ? null
        : { path: row.source_path, sizeBytes: row.source_size ?? 0, gone: row.source_status === "gone" },
    children: row.children,
    version: `${row.pk}.${row.version}`,
  };
}

/** The session that an earlier version belongs to: that of the same agent in what the file holds now. */
function earlierOf(archive: Archive, row: ViewRow): SessionSummary["earlierOf"] {
  if (row.earlier === null) return null;
  const id = scalar(
    archive.sqlite,
    "sessions.id",
    "FROM sessions WHERE source_pk = ? ORDER BY lane <> ?, lane LIMIT 1",
  ).get(row.earlier_of, row.lane);
  return { id: id ?? null, number: row.earlier, replacedAt: iso(row.replaced_at) };
}

function usageQualityOf(
  { calls }: ViewRow,
  { usage, lost, withoutUsage, lowerBound }: SessionCounters,
): SessionSummary["usageQuality"] {
  if (calls === withoutUsage && lost === null) return "none";
  // An answer has a prompt: older files of Copilot have the output alone.
  const isPromptless = usage.output > 0 && promptTokens(usage) === 0;
  if (lost !== null || withoutUsage > 0 || isPromptless) return "partial";
  return lowerBound > 0 ? "lower-bound" : "exact";
}

/** Session totals hold what the totals name, lost calls too: they meet the provider's sum. */
function withLost(counters: SessionCounters): SessionCounters["usage"] {
  const sum = { ...counters.usageWithInherited };
  if (counters.lost !== null) addUsage(sum, counters.lost);
  return sum;
}

export const SOURCE_GONE = "The source file is gone. Its imported content stays.";

function qualityNotes(counters: SessionCounters, row: ViewRow, cost: Cost): string[] {
  // A format cannot know whether the parent was imported too.
  const notes = counters.quality.filter((note) => row.parent_id === null || !note.startsWith("May contain inherited"));
  if (counters.lowerBound > 0)
    notes.push(
      `Output tokens of ${counters.lowerBound} of ${row.calls} model calls are a lower bound. So is the cost.`,
    );
  if (cost.unpriced > 0)
    notes.push(`The cost is a lower bound: ${cost.atLeast.find((why) => why.includes("no price")) ?? ""}`);
  const isUncounted = row.calls > 0 && counters.withoutUsage === row.calls;
  if (counters.lost !== null && isUncounted)
    notes.push("The agent reported totals alone: token numbers of single calls are counted or estimated.");
  else if (counters.lost !== null)
    notes.push(
      "Usage gap: the totals name tokens that no single call reports. Totals include them; the chart does not.",
    );
  if (counters.lost === null && isUncounted)
    notes.push("The agent reported no usage: token numbers are counted or estimated.");
  if (counters.pending > 0)
    notes.push(`${counters.pending} tool ${counters.pending === 1 ? "call has" : "calls have"} no result in the file.`);
  if (counters.resultsWithoutCall > 0)
    notes.push(
      `${counters.resultsWithoutCall} tool ${counters.resultsWithoutCall === 1 ? "result has" : "results have"} no call in the file.`,
    );
  if (row.source_status === "gone") notes.push(SOURCE_GONE);
  return notes;
}
