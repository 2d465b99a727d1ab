// What `plimsoll check` answers.
import { z } from "zod";

export const checkAnswer = z.object({
  ok: z.boolean(),
  blobs: z.object({ checked: z.number(), corrupt: z.number(), missing: z.number(), orphan: z.number() }),
  rows: z.object({ checked: z.number(), bad: z.number() }),
  registry: z.object({ lines: z.number(), bad: z.number() }),
  /** What `--rebuild` mended; null when it was not asked. */
  rebuilt: z
    .object({ artifacts: z.number(), sessions: z.number(), events: z.number(), names: z.number().default(0) })
    .nullable(),
  problems: z.array(z.object({ kind: z.string(), ref: z.string(), text: z.string() })),
});
export type CheckAnswer = z.infer<typeof checkAnswer>;
