// Shapes that several doors share. Every answer of REST, and every `--json` of the command line, is
// one of the schemas in this folder.
import { z } from "zod";

/** Where a token number comes from: the provider said so, a tokenizer of that model counted it, or neither. */
export const ORIGINS = ["reported", "counted", "estimated"] as const;
export const origin = z.enum(ORIGINS);
export type Origin = z.infer<typeof origin>;

export const usage = z.object({
  inputUncached: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  /** Part of cacheWrite: written for one hour. */
  cacheWrite1h: z.number(),
  output: z.number(),
  reasoning: z.number(),
  webSearches: z.number(),
});

/** Categories of a context, in stacking order from the bottom. */
export const CATEGORIES = [
  "prefix",
  "memory",
  "unattributed",
  "result",
  "call",
  "reasoning",
  "assistant",
  "user",
] as const;
export const category = z.enum(CATEGORIES);
export type Category = z.infer<typeof category>;

/** Their names on a page and in a report. */
export const CATEGORY_NAMES: Record<Category, string> = {
  prefix: "System and tools",
  memory: "Memory",
  unattributed: "Unattributed",
  result: "Tool results",
  call: "Tool calls",
  reasoning: "Reasoning",
  assistant: "Assistant",
  user: "User",
};

/** `limit` and `offset` of a list, as they come in a query string. */
export const page = {
  limit: z.coerce.number().int().min(1).max(500).default(100),
  offset: z.coerce.number().int().min(0).default(0),
};

export const errorAnswer = z.object({
  error: z.object({ code: z.string(), message: z.string(), id: z.string().optional() }),
});

/** A refusal as it is sent: problem details, RFC 9457. `detail` is the message. */
export const problemAnswer = errorAnswer.extend({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
});
export type ProblemAnswer = z.infer<typeof problemAnswer>;
