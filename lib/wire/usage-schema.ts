// Tokens and dollars of all sessions by day, week, month or session. Names of fields are those of ccusage's JSON.
import { z } from "zod";
import { budgetRow } from "./budgets-schema.ts";
import { PERIODS, readDay, WEEK_STARTS } from "#lib/kernel/load/usage-periods.ts";

export const USAGE_GROUPS = ["agent", "project", "model", "tool", "mcp-server"] as const;
/** Of a fleet alone: the machine that sent a session, and the project that it was sent to. */
export const FLEET_GROUPS = ["person", "sender", "fleet-project"] as const;
export type FleetGroup = (typeof FLEET_GROUPS)[number];
export type UsageGroup = (typeof USAGE_GROUPS)[number] | FleetGroup;

export const isFleetGroup = (group: string | undefined): group is FleetGroup =>
  FLEET_GROUPS.some((one) => one === group);

const day = z.string().transform((text, context) => {
  const found = readDay(text);
  if (found === null) context.addIssue({ code: "custom", message: "Write a day as 2026-03-09 or 20260309." });
  return found ?? text;
});

export const usageQuery = z.object({
  period: z.enum(PERIODS).default("daily"),
  /** First and last local day. */
  since: day.optional(),
  until: day.optional(),
  by: z.enum([...USAGE_GROUPS, ...FLEET_GROUPS]).optional(),
  /** Only this agent, as `by=agent` names it; only this folder, or this model. */
  agent: z.string().max(200).optional(),
  project: z.string().max(4000).optional(),
  model: z.string().max(200).optional(),
  /** As the system names it; without one, the zone of the server. */
  timezone: z.string().min(1).max(60).optional(),
  weekStart: z.enum(WEEK_STARTS).default("monday"),
  /**
   * Rows of so many groups, or sessions, alone: those with the most dollars, and those with the most tokens, in all of this time. The
   * others of a period, and other sessions, are one row; `groups` has the sums of each group.
   */
  top: z.coerce.number().int().min(1).max(1000).optional(),
  /** Names what the archive holds, to choose from. */
  facets: z.literal("1").optional(),
});
export type UsageRequest = z.infer<typeof usageQuery>;

const tokens = {
  /** Neither read from the cache nor written to it. */
  inputTokens: z.number(),
  /** With reasoning. */
  outputTokens: z.number(),
  cacheCreationTokens: z.number(),
  cacheReadTokens: z.number(),
  totalTokens: z.number(),
  reasoningTokens: z.number(),
  calls: z.number(),
  /** The true cost is more. */
  isPartial: z.boolean(),
};

const sums = z.object({
  ...tokens,
  /** Dollars of the calls that have a price; 0 when none has. */
  totalCost: z.number(),
  /** Share of the prompt tokens that came from the cache; null without prompts. */
  cacheShare: z.number().nullable(),
  /** Null by tool and MCP server: a compaction is of neither. */
  compactions: z.number().nullable(),
});

const row = sums.extend({
  /** Of the period; `undated` where neither call nor session has a time. */
  date: z.string().optional(),
  week: z.string().optional(),
  month: z.string().optional(),
  sessionId: z.string().optional(),
  title: z.string().optional(),
  projectPath: z.string().nullable().optional(),
  lastActivity: z.string().optional(),
  /** What the answer is by: agent, project, model, tool or MCP server; empty for calls of none. */
  group: z.string().optional(),
  /** In the place of a group or session: how many of them the row is the sum of, those that `top` left out. */
  others: z.number().optional(),
  /** Of a session: dollars that its agent counts itself, with calls that its file does not have; null where it counts none. */
  reportedCost: z.number().nullable().optional(),
  modelsUsed: z.array(z.string()),
  modelBreakdowns: z.array(z.object({ modelName: z.string(), cost: z.number(), ...tokens })),
});
export type UsageRow = z.infer<typeof row>;

const facet = z.array(z.object({ value: z.string(), count: z.number() }));

export const usageAnswer = z.object({
  /** The rows are under the name of the period. */
  daily: z.array(row).optional(),
  weekly: z.array(row).optional(),
  monthly: z.array(row).optional(),
  sessions: z.array(row).optional(),
  totals: sums,
  /** With `top` and `by`: the sums of each group, with the most dollars first. */
  groups: z.array(sums.extend({ group: z.string() })).optional(),
  timezone: z.string(),
  /** Sessions by agent, folder and model, whatever the filters. */
  facets: z.object({ agents: facet, projects: facet, models: facet }).optional(),
  /** What was spent of each budget, whatever the filters; absent where none is set. */
  budgets: z.array(budgetRow).optional(),
});
export type UsageAnswer = z.infer<typeof usageAnswer>;

export const unusedQuery = z.object({ days: z.coerce.number().int().min(1).max(3650).default(30) });

/** What sessions carried in every prompt: MCP servers, lists of skills, memory files. */
export const unusedAnswer = z.object({
  days: z.number(),
  rows: z.array(
    z.object({
      kind: z.enum(["mcp", "skills", "memory"]),
      name: z.string(),
      sessions: z.number(),
      /** Tokens in one prompt, at most. */
      tokens: z.number(),
      /** Tokens × calls in these days. */
      sent: z.number(),
      usd: z.number().nullable(),
      /** Its dollars as those of 30 days, over the time in which it was carried. */
      monthlyUsd: z.number().nullable(),
      /** Calls that made use of it; null of memory files, where a log cannot tell. */
      uses: z.number().nullable(),
    }),
  ),
});
export type UnusedAnswer = z.infer<typeof unusedAnswer>;
