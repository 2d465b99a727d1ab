// Sessions and the telemetry that tells of them: which session a name has, what its agent reported, and what is written about it.
import { readFileSync, statSync } from "node:fs";
import { columns, command, query } from "#db/statement.ts";
import { otlp } from "#lib/formats/otlp.ts";
import {
  reportedRequests,
  reportedTotals,
  totalsOfRequests,
  type ReportedRequest,
  type ReportedTotals,
} from "#lib/formats/otlp/agent-report.ts";
import { readOtlp } from "#lib/formats/otlp/otlp-lines.ts";
import { REPORTING_AGENTS } from "#lib/formats/otlp/telemetry-owner.ts";
import type { Archive } from "../base/archive-type.ts";
import type { Batch } from "../base/batch.ts";
import { cached } from "../base/per-archive.ts";
import { sessionIdOf } from "../base/find-session.ts";
import { defineWrite } from "../base/write.ts";
import { rawBytes } from "./raw-writer.ts";
import { removeSource } from "./remove-source.ts";
import { telemetryFile } from "./telemetry-files.ts";

export type AgentReport = {
  /** Of each model call, where the agent sends log events or spans. */
  readonly requests: readonly ReportedRequest[];
  /** Of the session: of its calls, else of its metrics. */
  readonly totals: ReportedTotals | null;
  readonly records: number;
  readonly bytes: number;
  /** Milliseconds since 1970 when the last of it came. */
  readonly lastMs: number;
};

/** What the agent of a session reported over OpenTelemetry; null when nothing came. A sub-agent's is in its parent's. */
export function agentReport(archive: Archive, nativeId: string): AgentReport | null {
  const path = reportFile(archive, nativeId);
  if (path === null) return null;
  const found = statSync(path, { throwIfNoEntry: false });
  const stored = found === undefined ? storedReport(archive, nativeId) : undefined;
  if (found === undefined && stored === undefined) return null;
  const [size, lastMs] = found === undefined ? [stored!.size, stored!.mtime_ms] : [found.size, found.mtimeMs];
  const read = (): AgentReport => {
    const bytes = found === undefined ? Buffer.concat([...rawBytes(archive, stored!.pk, 0, size)]) : readFileSync(path);
    const { records } = readOtlp({ bytes, byteStart: 0, byteEnd: bytes.length });
    const requests = reportedRequests(records);
    const totals = totalsOfRequests(requests) ?? reportedTotals(records);
    return { requests, totals, records: records.length, bytes: size, lastMs };
  };
  return cached(archive, "agent-report", `${size} ${lastMs} ${stored?.pk ?? ""}`, read, {
    key: path,
    limit: REMEMBERED,
  });
}

/** What the agent wrote down of its requests in a database of its own, where it sent nothing. */
function storedReport(archive: Archive, nativeId: string) {
  const plain = nativeId.split("/")[0]!.split("~")[0]!;
  return query(
    archive.sqlite,
    columns("sources", "pk", "size", "mtime_ms"),
    "FROM sources WHERE native_id = ? AND format = ? AND earlier IS NULL ORDER BY size DESC LIMIT 1",
  ).get(plain, otlp.id);
}

const REMEMBERED = 200;

/** Where the telemetry of an agent's session is, or would be; null for sessions of other formats. */
export function reportFile(archive: Archive, nativeId: string): string | null {
  const plain = nativeId.split("/")[0]!.split("~")[0]!;
  const at = plain.indexOf(":");
  const format = REPORTING_AGENTS.find((agent) => agent === plain.slice(0, at));
  return format === undefined ? null : telemetryFile(archive, { format, id: plain.slice(at + 1), isNamed: true });
}

/** The id of the session of this name whose agent's own file is here; null where telemetry is all there is. */
export function sessionWithFile(archive: Archive, nativeId: string): string | null {
  const row = query(archive.sqlite, { pk: "sessions.pk" }, "FROM sessions WHERE native_id = ? AND format <> ?").get(
    nativeId,
    otlp.id,
  );
  return row === undefined ? null : (sessionIdOf(archive, row.pk) ?? null);
}

/** Telemetry came for a session whose file is here: its views are made anew. */
export const noteTelemetryWrite = defineWrite(
  "noteTelemetry",
  (archive: Archive, _batch: Batch, { sessionId }: { readonly sessionId: string }): void => {
    command(archive.sqlite, "UPDATE sessions SET version = version + 1 WHERE id = ?").run(sessionId);
  },
);

/** The conversation of a trace is known now, and has its records. */
export const dropTracesWrite = defineWrite(
  "dropTraces",
  (archive: Archive, batch: Batch, { paths }: { readonly paths: readonly string[] }): void => {
    for (const path of paths) removeSource(archive, batch, path);
  },
);
