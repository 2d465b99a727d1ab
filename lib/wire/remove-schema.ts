// Removing an imported session.
import { z } from "zod";

export const removePreview = z.object({
  sessionId: z.string(),
  title: z.string(),
  /** The agent's file, which stays as it is. */
  path: z.string(),
  isOnDisk: z.boolean(),
  /** Of the file: its own session, and its sub-agents that are inside it. */
  sessions: z.number(),
  events: z.number(),
  calls: z.number(),
  artifacts: z.number(),
  /** Other sessions that share history with it: what they had inherited is theirs then. */
  related: z.number(),
  /** Files that Plimsoll itself wrote of it, which go too: captured requests and telemetry. */
  files: z.array(z.string()),
});
export type RemovePreview = z.infer<typeof removePreview>;

export const removedSession = z.object({ sessionId: z.string(), path: z.string(), sessions: z.number() });
export type RemovedSession = z.infer<typeof removedSession>;
