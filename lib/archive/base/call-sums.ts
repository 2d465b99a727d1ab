// What model calls come to, by model: the one sum that a session's cost and the models of Settings are made of.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import { isOfPlan, OF_PLANS } from "#lib/kernel/load/plan-models.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import type { Archive } from "./archive-type.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** The calls of one model, inherited or not. */
const MODEL_CALLS_COLUMNS = {
  pk: "model_calls.session_pk",
  ...columns("model_calls", "inherited", "model"),
  calls: "integer",
  silent: "integer",
  priced: "integer",
  unpriced: "integer",
  promptless: "integer",
  usd: "integer?",
  placeholders: "integer",
  written1h: "integer",
} as const satisfies Columns;
export type ModelCalls = RowOf<typeof MODEL_CALLS_COLUMNS>;

/** The calls of many sessions, in one query: a list of a hundred rows asks once. */
export function callsByModel(archive: Archive, pks: readonly number[]): ReadonlyMap<number, readonly ModelCalls[]> {
  const rows = query(
    archive.sqlite,
    MODEL_CALLS_COLUMNS,
    `SELECT session_pk AS pk, inherited, model, count(*) AS calls, sum(has_usage = 0) AS silent, count(usd) AS priced,
       sum(has_usage = 1 AND usd IS NULL AND input_uncached + cache_read + cache_write + output > 0) AS unpriced,
       sum(usd IS NOT NULL AND output > 0 AND input_uncached + cache_read + cache_write = 0) AS promptless,
       sum(usd) AS usd, sum(has_usage = 1 AND output_lower_bound = 1) AS placeholders, sum(cache_write_1h) AS written1h
     FROM model_calls WHERE session_pk IN (SELECT value FROM json_each(?)) GROUP BY session_pk, inherited, model`,
  ).all(JSON.stringify(pks));
  return Map.groupBy(rows, ({ pk }) => pk);
}

/** Whether the own calls among these have all their dollars; lost calls aside. */
export const isAllPriced = (rows: readonly ModelCalls[]): boolean =>
  spendOf(
    rows.filter(({ inherited }) => inherited === 0),
    0,
  ).atLeast.length === 0;

/** What calls come to, and why that is less than they cost. `lost`: tokens that no call of theirs reports. */
export function spendOf(rows: readonly ModelCalls[], lost: number): Pick<Cost, "usd" | "calls" | "atLeast"> {
  const sum = (of: (row: ModelCalls) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const calls = sum((row) => row.calls);
  const [placeholders, unpriced, silent, promptless] = [
    sum((row) => row.placeholders),
    sum((row) => row.unpriced),
    sum((row) => row.silent),
    sum((row) => row.promptless),
  ];
  const of = `of ${exactly(calls)} ${calls === 1 ? "call" : "calls"}`;
  const models = [...new Set(rows.filter((row) => row.unpriced > 0).map(({ model }) => model ?? "no model named"))];
  const ofPlans = models.filter(isOfPlan);
  return {
    // Without a price there is no sum; calls of no tokens cost nothing.
    usd: unpriced + silent > 0 && rows.every(({ usd }) => usd === null) ? null : sum(({ usd }) => usd ?? 0),
    calls,
    atLeast: [
      ...(unpriced > 0
        ? [`${exactly(unpriced)} ${of} ${unpriced === 1 ? "has" : "have"} no price (${models.join(", ")}).`]
        : []),
      ...(ofPlans.length > 0 ? [`${OF_PLANS}: ${ofPlans.join(", ")}.`] : []),
      ...(placeholders > 0
        ? [`The output of ${exactly(placeholders)} ${of} is only the count at the start of the stream.`]
        : []),
      ...(silent > 0 ? [`${exactly(silent)} ${of} ${silent === 1 ? "reports" : "report"} no usage.`] : []),
      // An answer has a prompt, whatever its agent counts: Copilot's older files have the output alone.
      ...(promptless > 0 ? [`The prompt of ${exactly(promptless)} ${of} is not reported.`] : []),
      ...(lost > 0 ? [`${exactly(lost)} tokens that no single call reports have no price.`] : []),
    ],
  };
}
