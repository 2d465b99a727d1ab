// Usage of all sessions by period. It sums the rows of `model_calls`, as a session's own cost does, so that the two cannot
// differ: inherited calls count where they began, earlier versions of a file not at all. No table of sums is kept.
import { select } from "#db/statement.ts";
import type { Connection } from "#db/connection.ts";
import { fail } from "#lib/kernel/errors.ts";
import { serverOf } from "#lib/kernel/load/servers.ts";
import { periodOf, type TablePeriod } from "#lib/kernel/load/usage-periods.ts";
import { dayName } from "#lib/kernel/load/zone-days.ts";
import { FLEET_GROUPS, isFleetGroup, type FleetGroup } from "#lib/wire/usage-schema.ts";
import type { UsageAnswer, UsageRequest, UsageRow } from "#lib/wire/usage-schema.ts";
import { labelOf } from "../import/format-label.ts";
import { usageFacets } from "./usage-facets.ts";
import { cuts, localDays, usageByDay, usageByTools } from "./usage-rows.ts";
import type { CallsRow, CutRow, KeyedRow, Span, ToolsRow, UsageKey } from "./usage-rows.ts";
import { foldOthers, GROUPS, SESSIONS, sumsOf, type Building, type GroupRow } from "./usage-groups.ts";
import { addTo, emptySums, finished, joinPart, splitPart } from "./usage-sums.ts";

const UNDATED = "undated";
export const NO_MODEL = "no model named";
const KEYS = { daily: "date", weekly: "week", monthly: "month", sessions: "sessionId" } as const;

/** A request for a table: blocks are another answer. */
export type TableRequest = UsageRequest & { readonly period: TablePeriod };

export const usageReport = async (archive: Connection, request: TableRequest): Promise<UsageAnswer> =>
  sumUsage(archive, request);

/** `hasCuts`: false leaves compactions out, where dollars alone are asked for. */
export function sumUsage(archive: Connection, request: TableRequest, hasCuts = true): UsageAnswer {
  const { by } = request;
  if (isFleetGroup(by))
    fail("unsupported", `Usage by ${by} is of a fleet: ask one of its nodes. This archive is of one machine.`);
  const { span, timezone, hasTools, isCut, ...wanted } = rowsWanted(request, hasCuts);
  const keys = wanted.keys.filter((key) => !isFleetGroup(key));
  const day = localDays(archive, timezone);
  return reportOf(request, {
    calls: hasTools ? usageByTools(archive, span, { day, keys }) : usageByDay(archive, span, { day, keys }),
    cuts: isCut ? cuts(archive, span, day) : null,
    reported: request.period === "sessions" ? reportedCosts(archive) : null,
    facets: request.facets === undefined ? null : usageFacets(archive),
  });
}

/** What a report needs to be read for it. Whoever has the calls, an archive or a fleet's database, is asked for the same. */
export type RowsWanted = {
  readonly span: Span;
  readonly timezone: string;
  /** What rows are told apart by, beside day and model. */
  readonly keys: readonly (UsageKey | FleetGroup)[];
  /** Calls with their tools. */
  readonly hasTools: boolean;
  readonly isCut: boolean;
};

export type UsageRows = {
  readonly calls: Iterable<CallsRow & { readonly tools?: string | null }>;
  /** Null where compactions are not counted. */
  readonly cuts: Iterable<CutRow> | null;
  /** Dollars that agents count themselves, by session. */
  readonly reported: ReadonlyMap<string, number | null> | null;
  readonly facets: NonNullable<UsageAnswer["facets"]> | null;
  /** What each group comes to, where the rows are folded as `top` asks; of sessions none. */
  readonly groups?: readonly GroupRow[];
};

export function rowsWanted(request: TableRequest, hasCuts = true): RowsWanted {
  const { since, until, by } = request;
  if (since !== undefined && until !== undefined && since > until)
    fail("invalid", `The first day, ${since}, is after the last, ${until}. Exchange them.`);
  const hasTools = by === "tool" || by === "mcp-server";
  return {
    span: spanOf(request),
    timezone: timezoneOf(request),
    keys: keysOf(request),
    hasTools,
    isCut: hasCuts && !hasTools,
  };
}

/** The report, of rows that hold at least what is asked for. */
export function reportOf(
  request: TableRequest,
  { calls, cuts: cutRows, reported, facets, groups }: UsageRows,
): UsageAnswer {
  const rows = new Map<string, Building>();
  const isCut = cutRows !== null;
  const totals = emptySums(isCut);
  const buildingOf = (row: KeyedRow, group: string | null): Building | null => {
    const day = row.day === null ? UNDATED : dayName(row.day);
    if (!isWithin(day, request)) return null;
    const name = nameOf(row, day, request);
    const key = JSON.stringify([name, group]);
    let building = rows.get(key);
    if (building === undefined) {
      const { others } = row;
      building = {
        name,
        group,
        ...(others !== undefined && { others }),
        row,
        day,
        sums: emptySums(isCut),
        models: new Map(),
      };
      rows.set(key, building);
    }
    if (day > building.day) building.day = day;
    return building;
  };
  for (const { row, group } of partsOf(calls, request)) {
    const building = buildingOf(row, group);
    if (building === null) continue;
    const model = row.model ?? NO_MODEL;
    const ofModel = building.models.get(model) ?? emptySums(isCut);
    building.models.set(model, ofModel);
    for (const sums of [totals, building.sums, ofModel]) addTo(sums, row);
  }
  for (const row of cutRows ?? []) {
    if (!isWanted(row, request)) continue;
    const building = buildingOf(row, partOf(row, request.by));
    if (building === null) continue;
    for (const sums of [totals, building.sums]) sums.compactions! += row.cuts;
  }
  const isOfSessions = request.period === "sessions";
  const { top, by } = request;
  const all = [...rows.values()];
  const hasParts = isOfSessions || by !== undefined;
  const folded =
    groups !== undefined
      ? { rows: all, sums: sumsOf(groups, isCut) }
      : top !== undefined && hasParts
        ? foldOthers(all, top, isOfSessions ? SESSIONS : GROUPS)
        : null;
  const found = (folded?.rows ?? all).toSorted(isOfSessions ? byActivity : byName);
  return {
    [request.period]: found.map((one) => rowOf(one, request.period, reported)),
    totals: finished(totals),
    ...(folded !== null &&
      !isOfSessions && { groups: folded.sums.map(({ name, sums }) => ({ group: name, ...finished(sums) })) }),
    timezone: timezoneOf(request),
    ...(facets !== null && { facets }),
  };
}

const timezoneOf = ({ timezone }: UsageRequest): string =>
  // A TZ that there is not has no name, and its days are those of UTC.
  timezone ?? (Intl.DateTimeFormat().resolvedOptions() as { timeZone?: string }).timeZone ?? "UTC";

type Grouped = { readonly row: CallsRow; readonly group: string | null };

/** The calls that are asked for, each with its group. A call of several tools counts for each in equal parts. */
function* partsOf(calls: UsageRows["calls"], request: TableRequest): Generator<Grouped> {
  const { by } = request;
  if (by !== "tool" && by !== "mcp-server") {
    for (const row of calls) if (isWanted(row, request)) yield { row, group: partOf(row, by) };
    return;
  }
  for (const row of ofEachPeriod(calls, request)) {
    const tools = row.tools == null ? [""] : (JSON.parse(row.tools) as string[]);
    const names = by === "tool" ? tools : tools.map((tool) => serverOf(tool) ?? "");
    const weights = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) => ({ name, length }));
    const parts = splitPart(
      row,
      weights.map(({ length }) => length),
    );
    for (const [i, part] of parts.entries()) yield { row: part, group: weights[i]!.name };
  }
}

/** Rows of a period with the same tools as one. Parts are whole numbers: of a row for each day, two tools of one call would be one and none. */
function ofEachPeriod(calls: UsageRows["calls"], request: TableRequest): Iterable<ToolsRow> {
  const rows = new Map<string, ToolsRow>();
  for (const row of calls) {
    const day = row.day === null ? UNDATED : dayName(row.day);
    if (!isWanted(row, request) || !isWithin(day, request)) continue;
    const key = JSON.stringify([nameOf(row, day, request), row.model, row.tools]);
    const known = rows.get(key);
    if (known === undefined) rows.set(key, { ...row, tools: row.tools ?? null });
    else {
      joinPart(known, row);
      known.day = Math.max(known.day ?? 0, row.day ?? 0);
    }
  }
  return rows.values();
}

const keysOf = (request: TableRequest): RowsWanted["keys"] =>
  request.period === "sessions"
    ? ["session"]
    : [
        ...(["project", "agent"] as const).filter((key) => request.by === key || request[key] !== undefined),
        ...FLEET_GROUPS.filter((key) => request.by === key),
      ];

const DAY_MS = 86_400_000;

/** What may lie within the days asked for, in whatever zone: clocks differ from UTC by 14 hours at most. */
const spanOf = ({ since, until, project }: UsageRequest): Span => ({
  project: project ?? null,
  from: since === undefined ? null : Date.parse(`${since}T00:00:00Z`) - DAY_MS,
  to: until === undefined ? null : Date.parse(`${until}T00:00:00Z`) + 2 * DAY_MS,
});

const isWithin = (day: string, { since, until }: UsageRequest): boolean =>
  (since === undefined && until === undefined) ||
  (day !== UNDATED && (since === undefined || day >= since) && (until === undefined || day <= until));

/** Rows that were folded have nothing in them that is not wanted. */
const isWanted = (row: KeyedRow, request: UsageRequest): boolean =>
  row.others !== undefined ||
  ((request.agent === undefined || groupOf(row, "agent") === labelOf(request.agent)) &&
    (["project", "model"] as const).every((by) => request[by] === undefined || groupOf(row, by) === request[by]));

function nameOf({ id }: KeyedRow, day: string, { period, weekStart }: TableRequest): string {
  if (period === "sessions") return id;
  return day === UNDATED ? day : periodOf(day, period, weekStart);
}

const groupOf = (row: KeyedRow, by: UsageRequest["by"]): string | null => {
  if (by === "agent") return labelOf(row.agent_name ?? row.format);
  if (by === "project") return row.cwd ?? "";
  if (by === "person") return row.person ?? "";
  if (by === "sender") return row.sender ?? "";
  if (by === "fleet-project") return row.fleet_project ?? "";
  return by === "model" ? (row.model ?? NO_MODEL) : null;
};

/** Rows of all that `top` leaves out are of no group. */
const partOf = (row: KeyedRow, by: UsageRequest["by"]): string | null =>
  row.others === undefined ? groupOf(row, by) : null;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byName = (a: Building, b: Building): number => compare(a.name, b.name) || compare(a.group ?? "", b.group ?? "");
/** What is left out has no day of its own, and comes last. */
const byActivity = (a: Building, b: Building): number =>
  Number(a.others !== undefined) - Number(b.others !== undefined) || compare(a.day, b.day) || byName(a, b);

/** Dollars that agents count themselves, by session. */
function reportedCosts({ sqlite }: Connection): ReadonlyMap<string, number | null> {
  const rows = select(
    sqlite,
    "sessions",
    ["id", "tally"],
    "WHERE json_extract(tally, '$.reported.usd') IS NOT NULL",
  ).all();
  return new Map(
    rows.map(({ id, tally }) => [id, (JSON.parse(tally) as { reported: { usd: number | null } }).reported.usd]),
  );
}

function rowOf(
  { name, group, others, row, day, sums, models }: Building,
  period: TablePeriod,
  reported: ReadonlyMap<string, number | null> | null,
): UsageRow {
  const byCost = [...models].toSorted(([a, x], [b, y]) => y.totalCost - x.totalCost || compare(a, b));
  const isOfOthers = others !== undefined;
  return {
    ...(!(isOfOthers && period === "sessions") && { [KEYS[period]]: name }),
    ...(reported !== null &&
      !isOfOthers && {
        ...{ title: row.title, projectPath: row.cwd, lastActivity: day },
        reportedCost: reported.get(row.id) ?? null,
      }),
    ...(group !== null && { group }),
    ...(isOfOthers && { others }),
    ...finished(sums),
    modelsUsed: byCost.map(([model]) => model),
    modelBreakdowns: byCost.map(([modelName, of]) => {
      const { totalCost: cost, cacheShare: _, compactions: __, ...rest } = finished(of);
      return { modelName, cost, ...rest };
    }),
  };
}
