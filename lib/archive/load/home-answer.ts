// What the first page answers. Each part has its home elsewhere: the report of usage, and the list of findings.
import { query, scalar } from "#db/statement.ts";
import { localDay } from "#lib/kernel/load/usage-periods.ts";
import { homeAnswer, type HomeAnswer, type HomeRequest } from "#lib/wire/home-schema.ts";
import type { BudgetRow } from "#lib/wire/budgets-schema.ts";
import { findingsQuery, type FindingsAnswer, type FindingsRequest } from "#lib/wire/findings-schema.ts";
import { usageQuery, type UsageAnswer } from "#lib/wire/usage-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { listBudgets } from "./list-budgets.ts";
import { listFindings } from "./list-findings.ts";
import { usageReport, type TableRequest } from "./usage-report.ts";

const DAYS = 7;
const FINDINGS = 4;

/** What the first page is made of: an archive has it, and a fleet's database. */
export type HomeSource = {
  readonly now: number;
  usage(request: TableRequest): Promise<UsageAnswer>;
  findings(request: FindingsRequest): Promise<FindingsAnswer>;
  /** The end of the last session with a call. */
  lastCall(): Promise<number | null>;
  /** What cures would have saved of the calls in this time. What a person muted is left out. */
  avoidable(from: number, to: number): Promise<{ readonly usd: number | null; readonly unpriced: number | null }>;
  budgets(): Promise<readonly BudgetRow[]>;
};

export const readHome = (archive: Archive, request: HomeRequest): Promise<HomeAnswer> =>
  homeOf(
    {
      now: archive.host.now(),
      usage: (table) => usageReport(archive, table),
      findings: (asked) => listFindings(archive, asked),
      lastCall: async () => lastCall(archive),
      avoidable: async (from, to) => avoidableIn(archive, from, to),
      budgets: async () => listBudgets(archive, archive.host.now()),
    },
    request,
  );

export async function homeOf(source: HomeSource, { by }: HomeRequest): Promise<HomeAnswer> {
  let until = localDay(source.now);
  let usage = await weekTo(source, until, by);
  const isOld = usage.totals.calls === 0;
  if (isOld) {
    const last = await source.lastCall();
    if (last !== null) {
      until = localDay(last);
      usage = await weekTo(source, until, by);
    }
  }
  const since = dayBefore(until, DAYS - 1);
  const [before, listed, avoidable, budgets] = await Promise.all([
    // Its sum alone is shown: a fleet has sums of days, and by folder reads each session.
    weekTo(source, dayBefore(until, DAYS)),
    source.findings(findingsQuery.parse({ limit: FINDINGS })),
    source.avoidable(startOf(since), startOf(dayBefore(until, -1))),
    source.budgets(),
  ]);
  const spent = dollarsOf(usage);
  // Fields that it does not name are left out: the answer is sent with the page.
  return homeAnswer.parse({
    ...{ since, until, isOld, spent },
    days: usage.daily ?? [],
    calls: usage.totals.calls,
    before: dollarsOf(before),
    avoidable: { usd: Math.min(avoidable.usd ?? 0, spent.usd), isPartial: (avoidable.unpriced ?? 0) > 0 },
    budgets: budgets.filter(({ state }) => state !== "under"),
    findings: listed.findings,
    findingsTotal: listed.total,
    cameBack: listed.counts.back,
    waiting: listed.waiting,
  } satisfies HomeAnswer);
}

const weekTo = (source: HomeSource, until: string, by?: HomeRequest["by"]): Promise<UsageAnswer> =>
  source.usage(usageQuery.parse({ period: "daily", by, since: dayBefore(until, DAYS - 1), until }) as TableRequest);

const dollarsOf = ({ totals: { totalCost: usd, isPartial } }: UsageAnswer): HomeAnswer["spent"] => ({ usd, isPartial });

/** Local midnight of a day. */
const startOf = (day: string): number => new Date(`${day}T00:00:00`).getTime();

const dayBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);

const lastCall = ({ sqlite }: Archive): number | null =>
  scalar(sqlite, "integer?", "SELECT max(ended_at) FROM sessions WHERE earlier IS NULL AND calls > 0").get() ?? null;

const avoidableIn = ({ sqlite }: Archive, from: number, to: number) =>
  query(
    sqlite,
    { usd: "real?", unpriced: "integer?" },
    `SELECT sum(CASE WHEN f.saved IS NULL OR (f.saved_from >= @from AND f.at < @to) THEN f.usd ELSE
         (SELECT sum(q.value ->> 1) FROM json_each(f.saved) q WHERE q.value ->> 0 >= @from AND q.value ->> 0 < @to) END) AS usd,
       sum(f.usd IS NULL OR f.partial) AS unpriced
     FROM session_findings f JOIN sessions s ON s.pk = f.session_pk LEFT JOIN finding_marks k ON k.fingerprint = f.fingerprint
     WHERE f.at >= @from AND f.saved_from < @to AND s.earlier IS NULL AND k.muted_at IS NULL`,
  ).get({ from, to })!;
