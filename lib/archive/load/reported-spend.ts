// What an agent counts itself, beside the calls of its file. Of a compaction the file has no call, and of titles; the agent's
// totals have them. They are said as spend of their own and never added to the calls.
import { query, select } from "#db/statement.ts";
import { otlp } from "#lib/formats/otlp.ts";
import type { ReportedTotals } from "#lib/formats/otlp/agent-report.ts";
import { NO_USAGE, USAGE_FIELDS, type Usage } from "#lib/kernel/draft.ts";
import { standardModel } from "#lib/kernel/load/model-variants.ts";
import { dollars } from "#lib/kernel/load/load-labels.ts";
import { usageUsd } from "#lib/kernel/load/rates.ts";
import type { Cost } from "#lib/wire/cost-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { pricesFor } from "../base/model-overrides.ts";
import { usageOfRow } from "../base/usage-of-row.ts";
import { addUsage, minusUsage, type SessionCounters } from "../import/session-counters.ts";
import { agentReport } from "../import/telemetry-sessions.ts";
import { exactly } from "#lib/kernel/exactly.ts";

/** Differences below this share are rounding. */
const SHARE = 0.01;

export function reportedSpend(
  archive: Archive,
  { pk, cwd }: { readonly pk: number; readonly cwd: string | null },
  { reported: fromFile, calls: { inherited } }: SessionCounters,
): Cost["reported"] {
  const told = telemetryTotals(archive, pk);
  const reported = fromFile ?? (told === null ? null : { ...told, at: null });
  if (reported === null) return null;
  const prices = pricesFor(archive, cwd);
  // Some agents count dollars alone: that is no sum of no tokens.
  const countsTokens = Object.keys(reported.usage).length > 0;
  const priceOf = (models: Readonly<Record<string, Usage>>): number | null => {
    if (!countsTokens) return null;
    return sumOrNull(
      Object.entries(models).map(([model, usage]) => {
        const rates = prices.rates(model, NO_USAGE, null);
        return rates === null ? null : usageUsd(usage, rates);
      }),
    );
  };
  const found = familyCalls(archive, pk, reported.at);
  const calls = { usage: total(found.map(({ usage }) => usage)), usd: sumOrNull(found.map(({ usd }) => usd)) };
  const usage = total(Object.values(reported.usage));
  const own = new Map<string, Usage>();
  for (const { model, usage: of } of found) {
    if (model === null) continue;
    // The agent's sums may not tell fast mode apart, nor where a model ran.
    const name = Object.hasOwn(reported.usage, model) ? model : (standardModel(model) ?? model);
    own.set(name, total([own.get(name) ?? NO_USAGE, of]));
  }
  const rest = Object.fromEntries(
    Object.entries(reported.usage).map(([model, of]) => [model, positive(minusUsage(of, own.get(model) ?? NO_USAGE))]),
  );
  const listUsd = priceOf(reported.usage);
  // Where the totals may have what was copied, nobody knows what they have beside it.
  const isOwn = inherited === 0 || countsAnew(archive, pk);
  return {
    usd: reported.usd,
    usage,
    telemetry: told !== null,
    listUsd,
    list: {
      inputUncached: priceOf(onlyOf(reported.usage, "inputUncached")),
      cacheRead: priceOf(onlyOf(reported.usage, "cacheRead")),
      cacheWrite: priceOf(onlyOf(reported.usage, "cacheWrite", "cacheWrite1h")),
      output: priceOf(onlyOf(reported.usage, "output")),
    },
    calls,
    beyond: !isOwn ? null : { usage: total(Object.values(rest)), usd: priceOf(rest) },
    differences: [
      ...(fromFile === null ? [] : telemetryDifference(fromFile.usd, told?.usd ?? null)),
      ...(countsTokens ? priceDifference(reported.usd, listUsd) : dollarsAlone(reported.usd)),
      ...(!isOwn || !countsTokens ? [] : countDifferences(calls.usage, usage)),
    ],
  };
}

/** Agents whose own totals begin anew in a file in which a session goes on. pi's are sums over all of its entries. */
const COUNTING_ANEW: ReadonlySet<string> = new Set(["claude-code"]);

/** A session that was carried on, whose totals say nothing of what is copied. */
function countsAnew(archive: Archive, pk: number): boolean {
  const { format, relation } = select(archive.sqlite, "sessions", ["format", "relation"], "WHERE pk = ?").get(pk)!;
  return relation === "continuation" && COUNTING_ANEW.has(format);
}

/** What came over OpenTelemetry; null for a sub-agent, whose figures are among its parent's. */
function telemetryTotals(archive: Archive, pk: number): ReportedTotals | null {
  const { native_id: name, format } = select(archive.sqlite, "sessions", ["native_id", "format"], "WHERE pk = ?").get(
    pk,
  )!;
  // What telemetry alone tells of a session is its calls.
  return name.includes("/") || format === otlp.id ? null : (agentReport(archive, name)?.totals ?? null);
}

function telemetryDifference(fileUsd: number | null, usd: number | null): string[] {
  if (fileUsd === null || usd === null || Math.abs(fileUsd - usd) <= SHARE * Math.max(fileUsd, usd)) return [];
  return [`The agent's telemetry counts ${dollars(usd)}; the totals in its file are ${dollars(fileUsd)}.`];
}

/** Calls of a session and its sub-agents up to a time, by model. */
function familyCalls(archive: Archive, pk: number, at: number | null) {
  const rows = query(
    archive.sqlite,
    {
      model: "model_calls.model",
      usd: "real?",
      input_uncached: "integer",
      cache_read: "integer",
      cache_write: "integer",
      cache_write_1h: "integer",
      output: "integer",
      reasoning: "integer",
      web_searches: "integer",
    },
    `WITH RECURSIVE family (pk) AS (
         SELECT @pk UNION SELECT s.pk FROM sessions s JOIN family f ON s.parent_pk = f.pk WHERE s.relation = 'subagent')
       SELECT model, CASE WHEN count(usd) = count(*) THEN sum(usd) END AS usd, sum(input_uncached) AS input_uncached,
         sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(cache_write_1h) AS cache_write_1h,
         sum(output) AS output, sum(reasoning) AS reasoning, sum(web_searches) AS web_searches
       FROM model_calls WHERE session_pk IN (SELECT pk FROM family) AND inherited = 0 AND (ts IS NULL OR ts <= coalesce(@at, ts))
       GROUP BY model`,
  ).all({ pk, at });
  return rows.map(({ model, usd, ...row }) => ({ model, usd, usage: usageOfRow(row) }));
}

const sumOrNull = (parts: readonly (number | null)[]): number | null =>
  parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);

function total(parts: readonly Usage[]): Usage {
  const sum = { ...NO_USAGE };
  for (const part of parts) addUsage(sum, part);
  return sum;
}

const onlyOf = (models: Readonly<Record<string, Usage>>, ...fields: (keyof Usage)[]): Record<string, Usage> =>
  Object.fromEntries(
    Object.entries(models).map(([model, usage]) => [
      model,
      { ...NO_USAGE, ...Object.fromEntries(fields.map((field) => [field, usage[field]])) },
    ]),
  );

const positive = (usage: Usage): Usage =>
  Object.fromEntries(USAGE_FIELDS.map((field) => [field, Math.max(0, usage[field])])) as Usage;

function priceDifference(usd: number | null, listUsd: number | null): string[] {
  if (usd === null || listUsd === null || Math.abs(usd - listUsd) <= SHARE * Math.max(usd, listUsd)) return [];
  return [`The agent counts ${dollars(usd)}; its tokens cost ${dollars(listUsd)} at list price.`];
}

const dollarsAlone = (usd: number | null): string[] =>
  usd === null ? [] : [`The agent counts ${dollars(usd)}, and no tokens.`];

const NAMES = {
  inputUncached: "uncached input tokens",
  cacheRead: "tokens read from the cache",
  cacheWrite: "tokens written to the cache",
  output: "output tokens",
} as const;

/** What the calls have more of than the agent counts: nothing that it left out explains that. */
const countDifferences = (calls: Usage, reported: Usage): string[] =>
  Object.entries(NAMES).flatMap(([key, name]) => {
    const field = key as keyof typeof NAMES;
    if (calls[field] <= reported[field] * (1 + SHARE)) return [];
    return [`The calls have ${exactly(calls[field])} ${name}; the agent counts ${exactly(reported[field])}.`];
  });
