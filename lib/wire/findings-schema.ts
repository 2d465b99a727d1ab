// Findings: what wastes tokens in many sessions, with what it cost, one thing to do, and what a person did about it.
import { z } from "zod";
import { FINDING_KINDS } from "#lib/kernel/load/culprits/finding-kinds.ts";
import { readDay } from "#lib/kernel/load/usage-periods.ts";

export const FINDING_STATES = ["open", "muted", "done", "back"] as const;
export const findingState = z.enum(FINDING_STATES);
export type FindingState = z.infer<typeof findingState>;

export const findingsQuery = z.object({
  /** `open`, with those that came back, when absent; `back` is those alone. */
  state: z.enum([...FINDING_STATES, "all"]).default("open"),
  kind: z.enum(FINDING_KINDS).optional(),
  project: z.string().max(4000).optional(),
  /** First local day of what is counted. */
  since: z
    .string()
    .refine((text) => readDay(text) !== null, "Write a day as 2026-03-09 or 20260309.")
    .optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  offset: z.coerce.number().int().min(0).default(0),
});
export type FindingsRequest = z.infer<typeof findingsQuery>;

export const findingRow = z.object({
  /** Its fingerprint: kind, detector and subject. */
  id: z.string(),
  kind: z.enum(FINDING_KINDS),
  detector: z.string(),
  /** What it is about, the same in all its sessions. */
  subject: z.string(),
  /** One thing to do, as its newest session says it. */
  fix: z.string(),
  count: z.number(),
  sessions: z.number(),
  /** Dollars avoidable at list price; null where none of its sessions has a price. */
  usd: z.number().nullable(),
  /** Some of its sessions have no price: the true sum is more. */
  isPartial: z.boolean(),
  tokens: z.number(),
  firstSeen: z.string().nullable(),
  lastSeen: z.string().nullable(),
  /** How often it was seen in each of the last eight weeks, the oldest first. */
  weeks: z.array(z.number()),
  state: findingState,
});
export type FindingRow = z.infer<typeof findingRow>;

export const findingsAnswer = z.object({
  findings: z.array(findingRow),
  total: z.number(),
  /** Of all that are listed. */
  usd: z.number().nullable(),
  isPartial: z.boolean(),
  counts: z.object({ open: z.number(), muted: z.number(), done: z.number(), back: z.number() }),
  /** Sessions whose culprits are not known yet, or by the rules of an older version. */
  waiting: z.number(),
});
export type FindingsAnswer = z.infer<typeof findingsAnswer>;

/** In a path: a subject has slashes and more that no path may have, so it is written in base64url behind a tilde. */
export const findingPath = (id: string): string =>
  `~${btoa(String.fromCharCode(...new TextEncoder().encode(id)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")}`;

export const findingParams = z.object({
  /** As it is listed, where a path may have it; else `~` and its bytes in base64url. */
  id: z
    .string()
    .min(1)
    .max(1200)
    .transform((id, context) => {
      if (!id.startsWith("~")) return id;
      try {
        const bytes = atob(id.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
        return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
      } catch {
        context.addIssue({ code: "custom", message: "Write the id behind ~ in base64url." });
        return z.NEVER;
      }
    }),
});

/** Where a finding was seen: its sessions and events, the newest first. */
export const findingAnswer = z.object({
  finding: findingRow,
  seen: z.array(
    z.object({
      sessionId: z.string(),
      title: z.string(),
      projectPath: z.string().nullable(),
      seq: z.number().nullable(),
      label: z.string(),
      fix: z.string(),
      at: z.string().nullable(),
      tokens: z.number(),
      usd: z.number().nullable(),
    }),
  ),
});
export type FindingAnswer = z.infer<typeof findingAnswer>;

export const findingMarkRequest = z.strictObject({
  /** `open` takes a mark back. */
  mark: z.enum(["open", "muted", "done"]),
});
export type FindingMarkRequest = z.infer<typeof findingMarkRequest>;
