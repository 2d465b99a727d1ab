// Five-hour blocks of all sessions together, as a plan counts them.
import { connect, type Connection } from "#db/connection.ts";
import { query } from "#db/statement.ts";
import { blocksOf, burnOf, projectionOf, type Block, type TimedCalls } from "#lib/kernel/load/usage-blocks.ts";
import { QUARTER_MS } from "#lib/kernel/load/usage-periods.ts";
import type { BlocksAnswer, BlocksRequest, UsageBlock } from "#lib/wire/blocks-schema.ts";
import { agentKeys } from "../import/format-label.ts";
import { planLimits } from "./plan-limits.ts";
import { UNSURE } from "./usage-rows.ts";

const DAY_MS = 86_400_000;

export async function listBlocks(archive: Connection, request: BlocksRequest, now: number): Promise<BlocksAnswer> {
  const from = now - request.days * DAY_MS;
  const rows = query(
    archive.sqlite,
    {
      ...{ first: "integer!", last: "integer!", model: "model_calls.model", calls: "integer", input: "integer" },
      ...{ read: "integer", written: "integer", output: "integer", usd: "real?", unsure: "integer" },
    } as const,
    `SELECT min(m.ts) AS first, max(m.ts) AS last, m.model, count(*) AS calls, sum(m.input_uncached) AS input,
       sum(m.cache_read) AS read, sum(m.cache_write) AS written, sum(m.output) AS output, sum(m.usd) AS usd,
       max(${UNSURE}) AS unsure
     FROM sessions t JOIN model_calls m ON m.session_pk = t.pk
     WHERE m.inherited = 0 AND t.earlier IS NULL AND t.ended_at >= @from AND m.ts >= @from
       AND (@agent IS NULL OR coalesce(t.agent_name, t.format) IN (SELECT value FROM json_each(@agent)))
     GROUP BY m.ts / ${QUARTER_MS}, m.model ORDER BY first`,
  ).all({ from, agent: request.agent === undefined ? null : JSON.stringify(agentKeys(request.agent)) });
  const blocks = blocksOf<TimedCalls>(rows, now).map((one) => blockOf(one, now));
  return { blocks, limits: planLimits(archive, now) };
}

function blockOf(block: Block<TimedCalls>, now: number): UsageBlock {
  const { parts, start, end, last, isActive } = block;
  const sum = (key: "calls" | "input" | "output" | "read" | "written"): number =>
    parts.reduce((all, part) => all + part[key], 0);
  const usd = parts.reduce((all, part) => all + (part.usd ?? 0), 0);
  const tokens = sum("input") + sum("output") + sum("read") + sum("written");
  const startTime = new Date(start).toISOString();
  return {
    id: startTime,
    startTime,
    endTime: new Date(end).toISOString(),
    actualEndTime: new Date(last).toISOString(),
    isActive,
    entries: sum("calls"),
    tokenCounts: {
      inputTokens: sum("input"),
      outputTokens: sum("output"),
      cacheCreationInputTokens: sum("written"),
      cacheReadInputTokens: sum("read"),
    },
    totalTokens: tokens,
    costUSD: usd,
    isPartial: parts.some(({ unsure }) => unsure === 1),
    models: [...new Set(parts.flatMap(({ model }) => model ?? []))].toSorted(),
    burnRate: burnOf(block, tokens, usd),
    projection: isActive ? projectionOf(block, { tokens, usd, now }) : null,
  };
}

/** Opens the archive in a folder for this one question. */
export async function blocksOfFolder(dir: string, request: BlocksRequest, now: number): Promise<BlocksAnswer> {
  const connection = connect(dir, "read");
  try {
    return await listBlocks(connection, request, now);
  } finally {
    connection.sqlite.close();
  }
}
