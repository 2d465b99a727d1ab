// What an agent counts itself of each model call, beside the usage of its file.
import { z } from "zod";
import { usage } from "./common-schema.ts";

const reportedCall = z.object({
  /** The last call that the agent's sum grew by, and how many it grew by at once: mostly one. */
  call: z.number(),
  calls: z.number(),
  /** The event whose record has the agent's sum; of telemetry, the first of the call. */
  seq: z.number(),
  /** Usage of those calls in the file. */
  usage,
  /** What the agent counts: in its telemetry, or what the sum in its file grew by. */
  reported: usage,
  from: z.enum(["file", "telemetry"]),
  /** Dollars that the agent says it cost; null where it says none. */
  usd: z.number().nullable(),
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
  /** What came over OpenTelemetry; null when nothing did. */
  telemetry: z
    .object({
      /** Model calls that it tells of, in the session and its sub-agents. */
      requests: z.number(),
      records: z.number(),
      bytes: z.number(),
      lastAt: z.string(),
      /** Of those calls, such as are in no file: a compaction's, a title's. */
      unfiled: z
        .object({ calls: z.number(), usage, usd: z.number().nullable(), purposes: z.array(z.string()) })
        .nullable(),
    })
    .nullable(),
});
export type ReportedCallsAnswer = z.infer<typeof reportedCallsAnswer>;
