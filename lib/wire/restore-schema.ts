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
