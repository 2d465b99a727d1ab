// Sending this machine's sessions to a fleet as they come: what a person set, and how it goes.
import { z } from "zod";
import { fleetProject } from "./fleet-schema.ts";

export const MASKS = ["none", "secrets", "all"] as const;

const sendingSetting = z.object({
  on: z.boolean(),
  /** A node's address: https, or http on this machine. Empty: none was given. */
  to: z.string().max(2000),
  /** Null: that of the token. */
  project: fleetProject.nullable(),
  /** Folders or globs: sessions that ran there stay here, with those that share their history. */
  exclude: z.array(z.string().min(1).max(1000)).max(200),
  /** Masked before anything leaves. */
  mask: z.enum(MASKS),
});
export type SendingSetting = z.infer<typeof sendingSetting>;

export const TOKEN_CHARS = 500;

export const sendingRequest = sendingSetting.extend({
  /** Absent: the one that is kept, for the same address. Null: it is forgotten. */
  token: z.string().min(1).max(TOKEN_CHARS).nullable().optional(),
});
export type SendingRequest = z.infer<typeof sendingRequest>;

const sentCounts = z.object({
  sent: z.number().int(),
  unchanged: z.number().int(),
  excluded: z.number().int(),
  /** Deleted in the fleet: they stay here alone. */
  deleted: z.number().int(),
  failed: z.number().int(),
  objects: z.number().int(),
  bytes: z.number(),
});
export type SentCounts = z.infer<typeof sentCounts>;

const sendingState = z.object({
  /** away: the fleet does not answer; it is asked again at `nextAt`. stopped: it refuses, and waits for a person. */
  phase: z.enum(["off", "waiting", "sending", "away", "stopped"]),
  /** Where sessions go, once a node said it. */
  project: z.string().nullable(),
  /** The last round that came to its end. */
  last: sentCounts.extend({ at: z.iso.datetime() }).nullable(),
  nextAt: z.iso.datetime().nullable(),
  /** Why the last round did not, or why a session was not sent. */
  reason: z.string().nullable(),
});
export type SendingState = z.infer<typeof sendingState>;

export const sendingAnswer = sendingSetting.extend({ hasToken: z.boolean(), state: sendingState });
export type SendingAnswer = z.infer<typeof sendingAnswer>;

const sendingRow = z.object({
  id: z.string(),
  title: z.string(),
  cwd: z.string().nullable(),
  state: z.enum(["would send", "unchanged", "excluded", "deleted", "failed"]),
  sessions: z.number().int(),
  objects: z.number().int(),
  /** Of the objects that the fleet does not have. */
  bytes: z.number(),
  reason: z.string().nullable(),
});

/** A dry run: the first rows, those that would go before the others, and the sums of all. */
export const sendingPreview = z.object({
  /** Where they would go. */
  project: z.string(),
  rows: z.array(sendingRow),
  total: z.number().int(),
  sums: sentCounts,
});
export type SendingPreview = z.infer<typeof sendingPreview>;
