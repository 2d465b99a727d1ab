import { z } from "zod";

/** Sub-agents of one session whose events are the same: at least two. */
export const forkGroup = z.object({
  /** In the order of their calls. */
  forks: z.array(
    z.object({
      session: z.string(),
      /** The tool call of the parent that started it; null where the file does not say. */
      seq: z.number().nullable(),
    }),
  ),
  /** Events of each. */
  events: z.number(),
});
export type ForkGroup = z.infer<typeof forkGroup>;

export const forksAnswer = z.object({ groups: z.array(forkGroup) });
export type ForksAnswer = z.infer<typeof forksAnswer>;
