// Rows of usage as CSV (RFC 4180).
import type { UsageRow } from "#lib/wire/usage-schema.ts";

const COLUMNS = [
  ...(["date", "week", "month", "sessionId", "title", "projectPath", "lastActivity", "group"] as const),
  ...(["calls", "inputTokens", "cacheCreationTokens", "cacheReadTokens", "outputTokens", "reasoningTokens"] as const),
  ...(["totalTokens", "totalCost", "isPartial", "cacheShare"] as const),
] satisfies readonly (keyof UsageRow)[];

export function usageCsv(rows: readonly UsageRow[]): string {
  const used = COLUMNS.filter((name) => rows.some((row) => row[name] !== undefined));
  const lines = [used, ...rows.map((row) => used.map((name) => row[name] ?? ""))];
  return lines.map((line) => `${line.map(cell).join(",")}\r\n`).join("");
}

/** A text that a spreadsheet would run as a formula is kept from it by an apostrophe. */
function cell(value: string | number | boolean): string {
  const text = typeof value === "string" && /^[=+\-@\t\r]/u.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
