// The columns of a table of usage as CSV, the same from the command line and the page.
import { csvText } from "#lib/kernel/csv-text.ts";
import type { UsageGroup, UsageRow } from "./usage-schema.ts";

const COLUMNS = [
  ...(["date", "week", "month", "sessionId", "title", "projectPath", "lastActivity", "group"] as const),
  ...(["calls", "inputTokens", "cacheCreationTokens", "cacheReadTokens", "outputTokens", "reasoningTokens"] as const),
  ...(["totalTokens", "totalCost", "reportedCost", "isPartial", "cacheShare", "compactions"] as const),
] satisfies readonly (keyof UsageRow)[];

export const usageCsv = (rows: readonly UsageRow[]): string => csvText<UsageRow>(COLUMNS, rows);

/** What stands where calls have no such group. */
export const NO_GROUP: Readonly<Record<UsageGroup, string>> = {
  person: "no person named",
  sender: "no sender",
  "fleet-project": "no project",
  agent: "no agent",
  project: "no project",
  model: "no model",
  tool: "no tool called",
  "mcp-server": "no MCP server",
};
