// What an agent counts itself of each model call, beside the usage of its file.
import { z } from "zod";
import { usage } from "./common-schema.ts";

const reportedCall = z.object({
  /** The last call that the agent's sum grew by, and how many it grew by at once: mostly one. */
  call: z.number(),
  calls: z.number(),
  /** The event whose record has the agent's sum. */
  seq: z.number(),
  /** Usage of those calls in the file. */
  usage,
  /** What the agent's sum grew by. */
  reported: usage,
  /** That at list price; null where the model has none. */
  listUsd: z.number().nullable(),
  /** Prompt and output differ by more than 1 %. */
  differs: z.boolean(),
});
export type ReportedCall = z.infer<typeof reportedCall>;

export const reportedCallsAnswer = z.object({
  sessionId: z.string(),
  calls: z.array(reportedCall),
  /** Differences of more than 1 %, a sentence each. */
  differences: z.array(z.string()),
  /** Why there are none. */
  why: z.string().nullable(),
});
export type ReportedCallsAnswer = z.infer<typeof reportedCallsAnswer>;
