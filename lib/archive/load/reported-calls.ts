// What an agent counts itself, call by call, beside the usage of its file: what it reported of the call over OpenTelemetry, else the
// growth of the sum that it writes after each call.
// Read from the archive's copy of the file when somebody asks: 704 of the 705 calls of collected sessions agree.
import { columns, query, select } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
import { otlp } from "#lib/formats/otlp.ts";
import { NO_USAGE, promptTokens, USAGE_FIELDS, type RunningTotals, type Usage } from "#lib/kernel/draft.ts";
import { usageUsd } from "#lib/kernel/load/rates.ts";
import type { ReportedCall, ReportedCallsAnswer } from "#lib/wire/reported-calls-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { findSession, sessionIdOf } from "../base/find-session.ts";
import { pricesFor } from "../base/model-overrides.ts";
import { rowRange, seqOfRow } from "../base/row-keys.ts";
import { callsOf, remembered, type CallRow } from "../base/session-rows.ts";
import { rawRanges } from "../import/raw-writer.ts";
import { recordIn } from "../import/record-in.ts";
import { agentReport } from "../import/telemetry-sessions.ts";
import { addUsage, minusUsage } from "../import/session-counters.ts";
import { telemetryCalls, unfiledRequests } from "./telemetry-calls.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** Differences below this share are rounding. */
const SHARE = 0.01;

/** The calls of a session for which its agent gives a figure of its own. Calls that were copied are not among them. */
export function reportedCalls(archive: Archive, name: string): ReportedCallsAnswer {
  const pk = findSession(archive, name);
  return remembered(archive, "reported-calls", pk, () => findReported(archive, pk));
}

function findReported(archive: Archive, pk: number): ReportedCallsAnswer {
  const sessionId = sessionIdOf(archive, pk)!;
  const session = select(
    archive.sqlite,
    "sessions",
    ["native_id", "format", "source_pk", "parent_pk", "cwd"],
    "WHERE pk = ?",
  ).get(pk)!;
  const rows = callsOf(archive, pk);
  const prices = pricesFor(archive, session.cwd);
  const listUsd = ({ model, ts }: CallRow, reported: Usage): number | null => {
    const rates = model === null ? null : prices.rates(model, reported, ts);
    return rates === null ? null : usageUsd(reported, rates);
  };
  // Where telemetry is all there is, it is not held against itself.
  const isAlone = session.format === otlp.id;
  const calls = [
    ...(isAlone ? [] : fromTelemetry(archive, pk, session.native_id, rows)),
    ...fromFile(archive, pk, session, rows),
  ]
    .map(({ seq, of, reported, from, usd }): ReportedCall => {
      const usage = total(of.map(usageOf));
      const last = of.at(-1)!;
      const differs = isApart(promptTokens(usage), promptTokens(reported)) || isApart(usage.output, reported.output);
      return {
        call: last.call,
        calls: of.length,
        seq,
        usage,
        reported,
        from,
        usd,
        listUsd: listUsd(last, reported),
        differs,
      };
    })
    .toSorted((a, b) => a.call - b.call);
  // What telemetry says of a call was worked out beside the file; the sum in the file is what is left for the others.
  const told = new Set(calls.flatMap(({ call, from }) => (from === "telemetry" ? call : [])));
  const shown = calls.filter(({ call, calls: of, from }) => from === "telemetry" || !anyOf(told, call, of));
  return {
    sessionId,
    calls: shown,
    differences: shown.filter(({ differs }) => differs).map(differenceWords),
    why: shown.length === 0 ? whyNone(session.format) : null,
    telemetry: telemetryOf(archive, session.native_id),
  };
}

const whyNone = (format: string): string =>
  format === otlp.id
    ? "This session is what telemetry reported: its agent's file is not here."
    : runningTotals(format) === undefined
      ? "This session's agent reports no figures per call."
      : "This session's file holds no totals of its agent.";

const runningTotals = (format: string) => FORMATS.find(({ id }) => id === format)?.totals;

const anyOf = (told: ReadonlySet<number>, last: number, count: number): boolean =>
  Array.from({ length: count }, (_, i) => last - i).some((call) => told.has(call));

type Told = Growth & Pick<ReportedCall, "from" | "usd">;

function fromTelemetry(archive: Archive, pk: number, nativeId: string, rows: readonly CallRow[]): Told[] {
  const requests = telemetryCalls(archive, pk, nativeId);
  return rows.flatMap((row) => {
    const request = requests.get(row.call);
    if (request === undefined) return [];
    return [{ seq: row.firstSeq, of: [row], reported: request.usage, from: "telemetry", usd: request.usd }];
  });
}

type SessionOf = { readonly format: string; readonly source_pk: number | null; readonly parent_pk: number | null };

function fromFile(archive: Archive, pk: number, session: SessionOf, rows: readonly CallRow[]): Told[] {
  const totals = runningTotals(session.format);
  if (totals === undefined || session.source_pk === null) return [];
  const sums = sumsOf(archive, pk, session.source_pk, totals);
  return growths(sums, rows, session.parent_pk !== null).map((one) => ({ ...one, from: "file", usd: null }));
}

function telemetryOf(archive: Archive, nativeId: string): ReportedCallsAnswer["telemetry"] {
  const report = agentReport(archive, nativeId);
  if (report === null) return null;
  const { requests, records, bytes, lastMs } = report;
  const lastAt = new Date(lastMs).toISOString();
  return { requests: requests.length, records, bytes, lastAt, unfiled: unfiledRequests(archive, nativeId) };
}

type Sum = { readonly seq: number; readonly total: Usage };

function sumsOf(archive: Archive, pk: number, source: number, { subtype, totalOf }: RunningTotals): Sum[] {
  const rows = query(
    archive.sqlite,
    columns("events", "id", "byte_start", "byte_end"),
    `SELECT id, byte_start, byte_end FROM events WHERE id BETWEEN ? AND ? AND type = 'meta'
     AND json_extract(body, '$.subtype') = ? ORDER BY id`,
  ).all(...rowRange(pk), subtype);
  const read = rawRanges(archive, source);
  return rows.flatMap((row) => {
    const sum = totalOf(recordIn(read(row.byte_start, row.byte_end)));
    return sum === null ? [] : [{ seq: seqOfRow(row.id), total: sum }];
  });
}

type Growth = { readonly seq: number; readonly of: readonly CallRow[]; readonly reported: Usage };

/** Each growth with the calls since the one before. A sum that begins with a parent's, or starts again, says nothing of one call. */
function growths(sums: readonly Sum[], calls: readonly CallRow[], isChild: boolean): Growth[] {
  const found: Growth[] = [];
  let before: Usage | null = isChild ? null : NO_USAGE;
  let next = 0;
  for (const { seq, total: sum } of sums) {
    const grown = before === null ? null : minusUsage(sum, before);
    if (grown !== null && USAGE_FIELDS.every((field) => grown[field] === 0)) continue;
    const from = next;
    while (next < calls.length && calls[next]!.firstSeq < seq) next++;
    const of = calls.slice(from, next).filter(({ hasUsage }) => hasUsage === 1);
    before = sum;
    const isSaid = grown !== null && USAGE_FIELDS.every((field) => field === "inputUncached" || grown[field] >= 0);
    if (isSaid && of.length > 0 && of.every(({ inherited }) => inherited === 0))
      found.push({ seq, of, reported: grown });
  }
  return found;
}

const usageOf = ({ uncached: inputUncached, ...row }: CallRow): Usage => ({
  inputUncached,
  cacheRead: row.cacheRead,
  cacheWrite: row.cacheWrite,
  cacheWrite1h: row.cacheWrite1h,
  output: row.output,
  reasoning: row.reasoning,
  webSearches: row.webSearches,
});

function total(parts: readonly Usage[]): Usage {
  const sum = { ...NO_USAGE };
  for (const part of parts) addUsage(sum, part);
  return sum;
}

const isApart = (a: number, b: number): boolean => Math.abs(a - b) > SHARE * Math.max(a, b);

const tokens = (usage: Usage): number => promptTokens(usage) + usage.output;

function differenceWords({ call, calls, usage, reported }: ReportedCall): string {
  const which = calls === 1 ? `call ${call}` : `calls ${call - calls + 1} to ${call}`;
  return `At ${which} the agent counts ${exactly(tokens(reported))} tokens; the file has ${exactly(tokens(usage))}.`;
}
