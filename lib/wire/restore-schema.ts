// Giving an agent its files back: what would be written, and what was.
import { z } from "zod";

/** From its root on: a folder that is there, or that is made. */
const folder = z
  .string()
  .max(4096)
  .regex(/^(\/|[A-Za-z]:[\\/]|\\\\)[^\0]*$/, "is not a full path");

export const restoreRequest = z.strictObject({
  /** Another folder than the files' own. */
  to: folder.optional(),
  /** An earlier version of the session's file, by its number. */
  version: z.number().int().min(1).optional(),
});
export type RestoreRequest = z.infer<typeof restoreRequest>;

export const restoreQuery = z.object({
  to: folder.optional(),
  version: z.coerce.number().int().min(1).optional(),
});

export const restoreFile = z.object({
  path: z.string(),
  /** The path as a person knows it: the home folder is `~`. */
  label: z.string(),
  role: z.enum(["session", "sub-agent", "output", "note"]),
  sizeBytes: z.number(),
  /** sha-256. */
  digest: z.string(),
  /** The time of change that the file gets; null where none is known. */
  changedAt: z.string().nullable(),
  /**
   * `new`: nothing is at this path. `same`: these bytes are there. `differs`: other bytes are there, and stay. `restored`: it
   * was written now.
   */
  state: z.enum(["new", "same", "differs", "restored"]),
});
export type RestoreFile = z.infer<typeof restoreFile>;

export const restoreAnswer = z.object({
  session: z.string(),
  title: z.string(),
  agent: z.string(),
  version: z.number().nullable(),
  files: z.array(restoreFile),
  sizeBytes: z.number(),
  /** What belongs to the session and cannot be given, and why. */
  missing: z.array(z.object({ path: z.string(), reason: z.string() })),
  /** What the agent needs beside, or does next. */
  notes: z.array(z.string()),
  /** The command that goes on with the session. */
  resume: z.string().nullable(),
  /** Why nothing can be written here; null where it can. */
  refusal: z.string().nullable(),
});
export type RestoreAnswer = z.infer<typeof restoreAnswer>;

/** How an earlier version of a session's file differs from what the file holds now. */
export const sessionVersion = z.object({
  number: z.number(),
  /** The session of its records that the file no longer holds. */
  id: z.string(),
  records: z.number(),
  /** Of what is stored of it: GET /api/sources/raw gives these bytes by the path. */
  sizeBytes: z.number(),
  path: z.string(),
  replacedAt: z.string().nullable(),
  /** The whole file as it was can be restored. */
  isRestorable: z.boolean(),
  /** Events that only the version has, and those that the file holds in other words now. */
  removed: z.number(),
  changed: z.number(),
  /** Events that came since; null where the version's whole file is not known. */
  added: z.number().nullable(),
  /** The first 200, in the order of the file. */
  differences: z.array(
    z.object({
      kind: z.enum(["removed", "changed", "added"]),
      type: z.string(),
      label: z.string(),
      /** In the version's session, and in the session of what the file holds now. */
      seq: z.number().nullable(),
      seqNow: z.number().nullable(),
    }),
  ),
});
export type SessionVersion = z.infer<typeof sessionVersion>;

export const versionsAnswer = z.object({ session: z.string(), versions: z.array(sessionVersion) });
export type VersionsAnswer = z.infer<typeof versionsAnswer>;
