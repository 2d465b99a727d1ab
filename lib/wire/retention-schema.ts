// What goes and what stays: limits that a person sets, what they would take away, what deleting means.
import { z } from "zod";

const bytes = z.number().int().min(0).max(1e15);

/** `GET` and `PUT /api/retention`. Null is no limit; nothing goes by itself until a person sets one. */
export const retentionSettings = z
  .object({
    /** Artifacts older than this go. */
    maxAgeDays: z.number().int().min(1).max(36_500).nullable().default(null),
    /** When the stored bytes are more than this, the oldest go first. */
    maxBytes: bytes.nullable().default(null),
    /** What one session of ours, and what the archive may hold; more is refused. */
    sessionBytes: bytes.nullable().default(null),
    archiveBytes: bytes.nullable().default(null),
    /** Artifacts that were given a name stay, whatever their age. */
    keepNamed: z.boolean().default(true),
  })
  .strict();
export type RetentionSettings = z.infer<typeof retentionSettings>;

const goingRow = z.object({
  pointer: z.string(),
  sessionId: z.string(),
  name: z.string().nullable(),
  toolName: z.string().nullable(),
  sizeBytes: z.number(),
  createdAt: z.string(),
});
const share = z.object({ value: z.string(), artifacts: z.number(), bytes: z.number() });

/** `POST /api/retention/preview`: what these settings would take away now. */
export const retentionPreview = z.object({
  artifacts: z.number(),
  /** Bytes that leave the disk: content that something else names stays. */
  bytes: z.number(),
  sessions: z.number(),
  oldest: z.string().nullable(),
  newest: z.string().nullable(),
  bySession: z.array(share.extend({ title: z.string() })),
  byTool: z.array(share),
  oldestRows: z.array(goingRow),
  largestRows: z.array(goingRow),
});
export type RetentionPreview = z.infer<typeof retentionPreview>;

/** `POST /api/retention/sweep`, and `plimsoll gc`. */
export const gcRequest = z
  .object({
    /** Counts what would go, and changes nothing. */
    dryRun: z.boolean().default(false),
    /** Takes a second look at every file of the blob folder, not only at what the rows say. */
    walk: z.boolean().default(true),
    /** Ends what its time says, though the clock is ahead of what was expected. */
    trustClock: z.boolean().default(false),
  })
  .strict();
export type GcRequest = z.infer<typeof gcRequest>;

export const gcAnswer = z.object({
  dryRun: z.boolean(),
  cancelled: z.boolean(),
  /** Artifacts whose time was over, and those that the limits of retention ended. */
  expired: z.number(),
  swept: z.number(),
  /** Blobs that nothing names any more, and their bytes; orphans are those that no row ever named. */
  blobs: z.number(),
  orphans: z.number(),
  bytes: z.number(),
  /** Blobs that nothing names yet but that are too young to tell. */
  spared: z.number(),
  /** Blobs that stay because a registry names them, and the row of that artifact is lost. */
  guarded: z.number(),
  /** Temporary files of writers that crashed. */
  leftovers: z.number(),
  ms: z.number(),
  /** Why nothing was ended by its time, in sentences; null when nothing stood against it. */
  held: z.string().nullable(),
});
export type GcAnswer = z.infer<typeof gcAnswer>;

export const tombstone = z.object({
  pointer: z.string(),
  name: z.string().nullable(),
  toolName: z.string().nullable(),
  contentType: z.string(),
  sizeBytes: z.number(),
  sessionId: z.string(),
  createdAt: z.string(),
  state: z.enum(["expired", "deleted"]),
  why: z.string(),
  at: z.string(),
});
export type Tombstone = z.infer<typeof tombstone>;

/** `GET /api/artifacts/{pointer}/delete-preview`. */
export const deletePreviewAnswer = z.object({
  pointer: z.string(),
  name: z.string().nullable(),
  sizeBytes: z.number(),
  isGone: z.boolean(),
  /** Other artifacts with the same bytes: while there is one, the bytes stay. */
  sharedBy: z.number(),
  bytesGo: z.boolean(),
  /** The kept bytes of the session's file contain the text too; null for a session of ours. */
  inSource: z.object({ path: z.string(), isOnDisk: z.boolean() }).nullable(),
  names: z.array(z.string()),
  /** How often it was read back. */
  reads: z.number(),
  /** Events that show it, and events whose text names it. */
  places: z.array(z.object({ sessionId: z.string(), seq: z.number(), isText: z.boolean() })),
});
export type DeletePreview = z.infer<typeof deletePreviewAnswer>;

/** `GET /api/sessions/{id}/artifacts/delete-preview`: what the end of a session would delete. */
export const endPreviewAnswer = z.object({
  sessionId: z.string(),
  title: z.string(),
  artifacts: z.number(),
  /** The sum of their sizes; content that is stored twice counts twice. */
  sizeBytes: z.number(),
  /** Bytes that the next sweep frees: no artifact of another session has them. */
  freedBytes: z.number(),
  /** Artifacts that were given a name: how many, and the first of them. */
  namedTotal: z.number(),
  named: z.array(z.object({ pointer: z.string(), name: z.string(), sizeBytes: z.number() })),
});
export type EndPreview = z.infer<typeof endPreviewAnswer>;

/** `DELETE /api/sessions/{id}/artifacts`, and `plimsoll end`. */
export const endAnswer = z.object({ sessionId: z.string(), removed: z.number() });
export type EndAnswer = z.infer<typeof endAnswer>;

/** `GET /api/retention/stats`. */
export const archiveStats = z.object({
  /** Artifacts that can be read, and the blobs behind them. */
  artifacts: z.number(),
  blobs: z.number(),
  /** Bytes on the disk, each blob once; and as they would be without that. */
  physicalBytes: z.number(),
  logicalBytes: z.number(),
  savedBytes: z.number(),
  /** Blobs that nothing names any more and the next sweep removes. */
  waiting: z.object({ blobs: z.number(), bytes: z.number() }),
  tombstones: z.object({ deleted: z.number(), expired: z.number(), swept: z.number() }),
  quarantine: z.object({ count: z.number(), bytes: z.number() }),
  byTool: z.array(share),
  byType: z.array(share),
  bySession: z.array(share.extend({ title: z.string() })),
  /** Why nothing more is stored until a new start, or null. */
  degraded: z.string().nullable(),
  /** Why nothing expires now: the clock is not believed; or null. */
  held: z.string().nullable(),
});
export type ArchiveStats = z.infer<typeof archiveStats>;
