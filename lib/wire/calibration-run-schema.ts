// The calibration page's one door: the last answer, how far the work is, and what may be asked of it.
import { z } from "zod";
import { calibrateRequest, calibrationAnswer } from "./calibration-schema.ts";

/** `cancel` stops what runs; the others begin, and are refused while something runs. */
export const calibrationRunRequest = z.strictObject({
  do: z.enum([...calibrateRequest.shape.do.options, "cancel"]),
});
export type CalibrationRunRequest = z.infer<typeof calibrationRunRequest>;

export const calibrationRun = z.object({
  running: z
    .object({
      do: calibrateRequest.shape.do,
      /** Sessions; null until the first was looked at. */
      done: z.number().nullable(),
      total: z.number().nullable(),
    })
    .nullable(),
  answer: calibrationAnswer.nullable(),
  /** When the answer was made; null without one. */
  madeAt: z.string().nullable(),
  /** Sessions came or grew since. */
  isStale: z.boolean(),
  /** How the last work ended, when it did not end well. */
  ended: z
    .object({ do: calibrateRequest.shape.do, how: z.enum(["cancelled", "failed"]), reason: z.string() })
    .nullable(),
});
export type CalibrationRun = z.infer<typeof calibrationRun>;
