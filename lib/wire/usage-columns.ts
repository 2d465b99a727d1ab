// The columns of a table of usage as CSV, the same from the command line and the page.
import { csvText } from "#lib/kernel/csv-text.ts";
import type { UsageBlock } from "./blocks-schema.ts";
import type { UnusedAnswer, UsageAnswer, UsageRow } from "./usage-schema.ts";

const COLUMNS = [
  ...(["date", "week", "month", "sessionId", "title", "projectPath", "lastActivity", "group"] as const),
  ...(["calls", "inputTokens", "cacheCreationTokens", "cacheReadTokens", "outputTokens", "reasoningTokens"] as const),
  ...(["totalTokens", "totalCost", "reportedCost", "isPartial", "cacheShare", "compactions"] as const),
] satisfies readonly (keyof UsageRow)[];

export const usageCsv = (rows: readonly UsageRow[]): string => csvText<UsageRow>(COLUMNS, rows);

/** A row for each group over all the time. */
export const groupsCsv = (groups: NonNullable<UsageAnswer["groups"]>): string =>
  csvText<Partial<UsageRow>>(COLUMNS, groups);

const BLOCK_COLUMNS = [
  ...([
    "startTime",
    "endTime",
    "actualEndTime",
    "isActive",
    "entries",
    "inputTokens",
    "cacheCreationInputTokens",
  ] as const),
  ...(["cacheReadInputTokens", "outputTokens", "totalTokens", "costUSD", "isPartial", "tokensPerMinute"] as const),
  ...(["costPerHour", "models"] as const),
];

/** A row for each block of five hours. */
export const blocksCsv = (blocks: readonly UsageBlock[]): string =>
  csvText(
    BLOCK_COLUMNS,
    blocks.map(({ tokenCounts, burnRate, models, ...block }) => ({
      ...block,
      ...tokenCounts,
      tokensPerMinute: burnRate?.tokensPerMinute ?? null,
      costPerHour: burnRate?.costPerHour ?? null,
      models: models.join(", "),
    })),
  );

const UNUSED_COLUMNS = ["kind", "name", "sessions", "tokens", "sent", "usd", "monthlyUsd", "uses"] as const;

/** A row for each part that was carried. */
export const unusedCsv = (rows: UnusedAnswer["rows"]): string => csvText(UNUSED_COLUMNS, rows);
