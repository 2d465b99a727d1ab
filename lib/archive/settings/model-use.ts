// Which models the sessions here called, how often, at what cost, and where their load lines come from. 10,000 sessions with
// a million calls take about half a second: looked through in parts, so that other pages are answered in between.
import { columns, query, type Columns, type RowOf } from "#db/statement.ts";
import { fitsPattern } from "#lib/kernel/star-pattern.ts";
import { fitsFolder, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import type { ModelLines } from "#lib/wire/settings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { LINE_ROW, loadLineOf, type LoadLine } from "../import/load-line.ts";
import { countersOf } from "../import/session-counters.ts";

export type ModelUse = {
  sessions: number;
  calls: number;
  usd: number | null;
  unpriced: number;
  placeholders: number;
  lines: ModelLines[];
};

const CALLS_ROW_COLUMNS = {
  pk: "model_calls.session_pk",
  model: "model_calls.model!",
  calls: "integer",
  usd: "integer?",
  unpriced: "integer",
  placeholders: "integer",
} as const satisfies Columns;
type CallsRow = RowOf<typeof CALLS_ROW_COLUMNS>;

/** Sessions looked at between two looks at what else is to be done. */
const AT_ONCE = 100;

/** By model, and for each override the sessions that it fits. Calls without a model are no model's. */
export async function modelUse(
  archive: Archive,
  overrides: readonly ModelOverride[],
): Promise<{ used: Map<string, ModelUse>; fits: number[] }> {
  const { sqlite } = archive;
  const used = new Map<string, ModelUse>();
  const fits = overrides.map(() => 0);
  const of = (model: string): ModelUse => {
    let use = used.get(model);
    if (use === undefined)
      used.set(model, (use = { sessions: 0, calls: 0, usd: null, unpriced: 0, placeholders: 0, lines: [] }));
    return use;
  };
  for (let from = 0; ;) {
    const sessions = query(
      sqlite,
      {
        ...LINE_ROW,
        ...columns("sessions", "pk", "tally"),
      },
      `FROM sessions WHERE pk > ? ORDER BY pk LIMIT ${AT_ONCE}`,
    ).all(from);
    const last = sessions.at(-1);
    if (last === undefined) break;
    const calls = query(
      sqlite,
      CALLS_ROW_COLUMNS,
      `SELECT session_pk AS pk, model, count(*) AS calls, sum(usd) AS usd, count(*) - count(usd) AS unpriced,
         sum(output_lower_bound) AS placeholders FROM model_calls
       WHERE session_pk BETWEEN ? AND ? AND model IS NOT NULL AND inherited = 0 AND has_usage = 1 GROUP BY session_pk, model`,
    ).all(from + 1, last.pk);
    for (const row of calls) addCalls(of(row.model), row);
    const called = Map.groupBy(calls, ({ pk }) => pk);
    for (const row of sessions) {
      if (row.model !== null && row.peakTokens !== null)
        addLine(of(row.model).lines, loadLineOf(archive, row, countersOf(row)));
      const models = [row.model, ...(called.get(row.pk) ?? []).map(({ model }) => model)];
      for (const [at, { match, project }] of overrides.entries())
        if (fitsFolder(project, row.cwd) && models.some((model) => model !== null && fitsPattern(match, model)))
          fits[at]! += 1;
    }
    from = last.pk;
    await new Promise((resume) => setImmediate(resume));
  }
  for (const use of used.values()) use.lines.sort((a, b) => b.sessions - a.sessions);
  return { used, fits };
}

function addCalls(use: ModelUse, row: CallsRow): void {
  use.sessions += 1;
  use.calls += row.calls;
  use.unpriced += row.unpriced;
  use.placeholders += row.placeholders;
  if (row.usd !== null) use.usd = (use.usd ?? 0) + row.usd;
}

function addLine(lines: ModelLines[], { by, tokens }: LoadLine): void {
  if (by === null || tokens === null) return;
  const known = lines.find((one) => one.by === by);
  if (known === undefined) lines.push({ by, sessions: 1, low: tokens, high: tokens });
  else {
    known.sessions += 1;
    known.low = Math.min(known.low, tokens);
    known.high = Math.max(known.high, tokens);
  }
}
