// Which models the sessions here called, how often, at what cost, and where their load lines come from. 10,000 sessions with
// a million calls take about half a second: looked through in parts, so that other pages are answered in between.
import { columns, query } from "#db/statement.ts";
import { fitsPattern } from "#lib/kernel/star-pattern.ts";
import { fitsFolder, type ModelOverride } from "#lib/kernel/load/overrides.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import type { ModelLines } from "#lib/wire/settings-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { LINE_ROW, loadLineOf, type LoadLine } from "../import/load-line.ts";
import { callsByModel, spendOf, type ModelCalls } from "../base/call-sums.ts";
import { countersOf } from "../import/session-counters.ts";

export type ModelUse = Pick<Cost, "usd" | "calls" | "atLeast"> & {
  readonly sessions: number;
  readonly unpriced: number;
  readonly lines: ModelLines[];
};

type Found = { readonly calls: ModelCalls[]; readonly lines: ModelLines[] };

/** Sessions looked at between two looks at what else is to be done. */
const AT_ONCE = 100;

/** By model, and for each override the sessions that it fits. Calls without a model are no model's. */
export async function modelUse(
  archive: Archive,
  overrides: readonly ModelOverride[],
): Promise<{ used: Map<string, ModelUse>; fits: number[] }> {
  const { sqlite } = archive;
  const found = new Map<string, Found>();
  const fits = overrides.map(() => 0);
  const of = (model: string): Found => {
    const known = found.get(model) ?? { calls: [], lines: [] };
    found.set(model, known);
    return known;
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
    const pks = sessions.map(({ pk }) => pk);
    const calls = [...callsByModel(archive, pks).values()].flat().filter(({ inherited }) => inherited === 0);
    for (const row of calls) if (row.model !== null) of(row.model).calls.push(row);
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
  const used = [...found].map(([model, { calls, lines }]): [string, ModelUse] => [
    model,
    {
      sessions: calls.length,
      ...spendOf(calls, 0),
      unpriced: calls.reduce((sum, { unpriced }) => sum + unpriced, 0),
      lines: lines.toSorted((a, b) => b.sessions - a.sessions),
    },
  ]);
  return { used: new Map(used), fits };
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
