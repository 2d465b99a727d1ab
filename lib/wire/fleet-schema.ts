// What senders and nodes of a fleet say to each other.
import { z } from "zod";

const digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Bytes in the bucket. segment: zstd of a part of an entry. blob: an entry as it is. The digest is that of the object. */
export const sentObject = z.object({
  digest,
  bytes: z.number().int().nonnegative(),
  kind: z.enum(["segment", "blob"]),
});
export type SentObject = z.infer<typeof sentObject>;

export const fleetProject = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,62}$/,
    "A project's name has up to 63 of a-z, 0-9, . _ and -, and begins with a letter or digit.",
  );

/** Where whoever may send to every project sends, unless they name one. */
export const DEFAULT_PROJECT = "default";

export const missingRequest = z.object({
  objects: z.array(sentObject).max(2000),
  /** What is about to be sent: the answer says whether it was deleted. Without a project it goes to that of the token. */
  family: z
    .object({ project: fleetProject.optional(), sessions: z.array(z.string().max(100)).max(20_000), bytes: z.number() })
    .optional(),
  /** No send of them was cut off: what the fleet has not noted is taken as missing, and the bucket is not asked for each. */
  fresh: z.boolean().optional(),
  /** Sessions that were sent to the project of the family before: the answer says which of them the fleet lacks. */
  sent: z.array(z.string().max(100)).max(2000).optional(),
});
type WireMissing = z.infer<typeof missingRequest>;
export type MissingRequest = Omit<WireMissing, "family"> & {
  readonly family?: (NonNullable<WireMissing["family"]> & { readonly project: string }) | undefined;
};

export const missingAnswer = z.object({
  /** Where the family goes; null where none was asked about. */
  project: z.string().nullable().default(null),
  /** Why the fleet does not take the family. `isOver`: the limits of its project ended it; it comes in again when it grows. */
  deleted: z.object({ reason: z.string(), isOver: z.boolean() }).nullable().default(null),
  /** Those that the bucket does not have, with the request that stores each. */
  missing: z.array(z.object({ digest, url: z.string(), headers: z.record(z.string(), z.string()) })),
  /** Of the sessions that were sent: those to send again. */
  lacking: z.array(z.string()).default([]),
  /** … and those that were deleted since, as `deleted` has it. */
  gone: z.array(z.object({ id: z.string(), reason: z.string(), isOver: z.boolean() })).default([]),
});

export type MissingAnswer = z.infer<typeof missingAnswer>;

/** A family of sessions: the manifest of its bundle, and the objects of each of its entries in order. */
export const sentFamily = z.object({
  manifest: z.record(z.string(), z.unknown()),
  entries: z.record(z.string().max(200), z.array(sentObject).max(60_000)),
});
export type SentFamily = z.infer<typeof sentFamily>;

export const commitRequest = z.object({
  /** Absent: that of the token. */
  project: fleetProject.optional(),
  /** The machine that sends; for people. */
  sender: z.string().min(1).max(200),
  family: sentFamily,
});
export type CommitRequest = z.infer<typeof commitRequest> & { readonly project: string };

export const commitAnswer = z.object({
  id: z.string(),
  project: z.string(),
  /** deleted: a session of the family was deleted in the fleet. Nothing was taken in, and nothing is wrong. */
  state: z.enum(["waiting", "claimed", "done", "superseded", "failed", "deleted"]),
  reason: z.string().nullable(),
});
export type CommitAnswer = z.infer<typeof commitAnswer>;

export const fleetStats = z.object({
  schema: z.number(),
  projects: z.array(z.object({ project: z.string(), sessions: z.number(), families: z.number(), bytes: z.number() })),
  commits: z.object({
    waiting: z.number(),
    claimed: z.number(),
    done: z.number(),
    superseded: z.number(),
    failed: z.number(),
  }),
  objects: z.object({ count: z.number(), bytes: z.number() }),
  usageRows: z.number(),
  texts: z.number(),
  /** Of families: which Plimsoll's views are wanted, how many have older ones, and how many could not be written again. */
  views: z.object({ version: z.number(), outdated: z.number(), failed: z.number() }),
});
export type FleetStats = z.infer<typeof fleetStats>;
