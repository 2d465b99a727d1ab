// What is deleted from a fleet, by whom, and how long its projects keep what they have.
import { z } from "zod";
import { fleetProject } from "./fleet-schema.ts";

export const fleetDeleteRequest = z.strictObject({
  /** Its id or native id. Its family goes with it. */
  session: z.string().min(1).max(400),
  /** Why; everybody who reads the audit log sees it. */
  reason: z.string().max(300).default(""),
  /** Shows what would go, and changes nothing. */
  dryRun: z.boolean().default(false),
});

export const fleetRestoreRequest = z.strictObject({ session: z.string().min(1).max(400) });

export const deletedFamily = z.object({
  project: z.string(),
  /** The session that names the family. */
  family: z.string(),
  title: z.string(),
  sessions: z.number().int(),
  bytes: z.number(),
  at: z.string(),
  /** `retention` where the limits of its project ended it. */
  by: z.string(),
  reason: z.string(),
  /** Until a sweep has cleared it. */
  canRestore: z.boolean(),
});
export type DeletedFamily = z.infer<typeof deletedFamily>;

export const fleetDeleteAnswer = z.object({
  project: z.string(),
  family: z.string(),
  sessions: z.array(z.object({ id: z.string(), title: z.string() })),
  bytes: z.number(),
  dryRun: z.boolean(),
});
export type FleetDeleteAnswer = z.infer<typeof fleetDeleteAnswer>;

export const fleetRestoreAnswer = z.object({
  project: z.string(),
  family: z.string(),
  /** False where its content was swept: from now on senders may send it again. */
  isRestored: z.boolean(),
});
export type FleetRestoreAnswer = z.infer<typeof fleetRestoreAnswer>;

export const deletedQuery = z.object({
  project: z.string().max(63).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
export const deletedAnswer = z.object({ families: z.array(deletedFamily) });

/** `plimsoll fleet sweep`. */
export type SweepAnswer = {
  /** Tombstones whose time was over: nothing can be restored from them any more. */
  readonly tombstones: number;
  /** Commits that were read long ago, of which the name alone is left. */
  readonly commits: number;
  /** Objects that left the bucket. */
  readonly objects: number;
  readonly bytes: number;
  /** Those among them that no commit ever named. */
  readonly strays: number;
};

const limits = {
  /** Sessions whose last activity is longer ago go. Null: no limit. */
  days: z.number().int().min(1).max(36_500).nullable(),
  /** Where the project has more, the sessions with the oldest activity go first. Null: no limit. */
  bytes: z.number().int().min(1).max(1e15).nullable(),
};
export const projectRetention = z.object({ project: z.string(), ...limits });
export type ProjectRetention = z.infer<typeof projectRetention>;

export const projectRetentionRequest = z.strictObject({ project: fleetProject, ...limits });
/** What limits would delete now. */
export const retentionOver = projectRetention.extend({
  over: z.object({ families: z.number(), sessions: z.number(), bytes: z.number() }),
});
export type RetentionOver = z.infer<typeof retentionOver>;

export const projectRetentionAnswer = z.object({ projects: z.array(projectRetention) });
