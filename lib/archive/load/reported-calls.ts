// What an agent counts itself, call by call, beside the usage of its file: the growth of the sum that it writes after each call.
// Read from the archive's copy of the file when somebody asks: 704 of the 705 calls of collected sessions agree.
import { columns, query, select } from "#db/statement.ts";
import { FORMATS } from "#lib/formats/index.ts";
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
import { addUsage, minusUsage } from "../import/session-counters.ts";

/** Differences below this share are rounding. */
const SHARE = 0.01;

/** The calls of a session for which its agent gives a figure of its own. Calls that were copied are not among them. */
export function reportedCalls(archive: Archive, name: string): ReportedCallsAnswer {
  const pk = findSession(archive, name);
  return remembered(archive, "reported-calls", pk, () => findReported(archive, pk));
}

function findReported(archive: Archive, pk: number): ReportedCallsAnswer {
  const sessionId = sessionIdOf(archive, pk)!;
  const session = select(archive.sqlite, "sessions", ["format", "source_pk", "parent_pk", "cwd"], "WHERE pk = ?").get(
    pk,
  )!;
  const totals = FORMATS.find(({ id }) => id === session.format)?.totals;
  const none = { sessionId, calls: [], differences: [] };
  if (totals === undefined || session.source_pk === null)
    return { ...none, why: "This session's agent reports no figures per call." };
  const sums = sumsOf(archive, pk, session.source_pk, totals);
  const prices = pricesFor(archive, session.cwd);
  const calls = growths(sums, callsOf(archive, pk), session.parent_pk !== null).map(
    ({ seq, of, reported }): ReportedCall => {
      const usage = total(of.map(usageOf));
      const last = of.at(-1)!;
      const rates = last.model === null ? null : prices.rates(last.model, reported, last.ts);
      return {
        call: last.call,
        calls: of.length,
        seq,
        usage,
        reported,
        listUsd: rates === null ? null : usageUsd(reported, rates),
        differs: isApart(promptTokens(usage), promptTokens(reported)) || isApart(usage.output, reported.output),
      };
    },
  );
  const why = calls.length === 0 ? "This session's file holds no totals of its agent." : null;
  return { sessionId, calls, differences: calls.filter(({ differs }) => differs).map(differenceWords), why };
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

const count = (n: number): string => n.toLocaleString("en");
const tokens = (usage: Usage): number => promptTokens(usage) + usage.output;

function differenceWords({ call, calls, usage, reported }: ReportedCall): string {
  const which = calls === 1 ? `call ${call}` : `calls ${call - calls + 1} to ${call}`;
  return `At ${which} the agent counts ${count(tokens(reported))} tokens; the file has ${count(tokens(usage))}.`;
}
