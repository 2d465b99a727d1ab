// Sources, imports and their progress.
import { z } from "zod";

export const importProblem = z.object({
  line: z.number(),
  byteStart: z.number(),
  byteEnd: z.number(),
  reason: z.string(),
});

export const importedFile = z.object({
  path: z.string(),
  format: z.string().nullable(),
  status: z.enum(["imported", "unchanged", "grown", "replaced", "skipped", "failed"]),
  sessions: z.array(z.string()),
  events: z.number(),
  modelCalls: z.number(),
  artifacts: z.number(),
  records: z.number(),
  errors: z.array(importProblem),
  reason: z.string().optional(),
});
export type ImportedFile = z.infer<typeof importedFile>;

/** Files of a folder that no session format matches. */
export const unmatchedFolder = z.object({
  path: z.string(),
  files: z.number(),
  bytes: z.number(),
  /** By the endings of their names, with the first ones. */
  groups: z.array(z.object({ ending: z.string(), files: z.number(), bytes: z.number(), names: z.array(z.string()) })),
});
export type UnmatchedFolder = z.infer<typeof unmatchedFolder>;

/** A session format, and what in a file's content it is recognised by. */
export const knownFormat = z.object({ id: z.string(), label: z.string(), signs: z.string() });
export type KnownFormat = z.infer<typeof knownFormat>;

export const importAnswer = z.object({
  files: z.array(importedFile),
  /** Folders in which no format matches some file. */
  unmatched: z.array(unmatchedFolder),
  /** What was looked for, where a file or a folder was without a match. */
  lookedFor: z.array(knownFormat),
  totals: z.object({
    files: z.number(),
    sessions: z.number(),
    events: z.number(),
    modelCalls: z.number(),
    artifacts: z.number(),
    errors: z.number(),
    bytes: z.number(),
    ms: z.number(),
  }),
  cancelled: z.boolean(),
});
export type ImportAnswer = z.infer<typeof importAnswer>;

/** What a running import has done so far. */
export const importProgress = z.object({
  id: z.string(),
  /** `read-again`: an older version of Plimsoll had read these sources. */
  kind: z.literal("read-again").optional(),
  state: z.enum(["waiting", "running", "done", "cancelled", "failed"]),
  filesDone: z.number(),
  files: z.number(),
  bytesDone: z.number(),
  bytes: z.number(),
  events: z.number(),
  current: z.string().nullable(),
  reason: z.string().nullable(),
});
export type ImportProgress = z.infer<typeof importProgress>;

/** When its agent deletes a file by itself. */
export const deletion = z.object({
  /** `setting`, `default`: so many days after its last change, as the agent's settings say, or do not say. */
  when: z.enum(["setting", "default", "never", "unknown"]),
  at: z.string().nullable(),
  days: z.number().nullable(),
  /** The setting's name, and the file that holds it. */
  setting: z.string().nullable(),
  settingsFile: z.string().nullable(),
});
export type Deletion = z.infer<typeof deletion>;

export const sourceRow = z.object({
  path: z.string(),
  /** The path as a person knows it: the home folder is `~`. */
  label: z.string(),
  format: z.string().nullable(),
  /** The name of the format, as its agent is called. */
  formatLabel: z.string().nullable(),
  status: z.enum(["ok", "older copy", "earlier version", "gone", "failed", "skipped"]),
  reason: z.string().nullable(),
  /** Why this format: what it is recognised by, and what the first record looked like. Null where none was chosen. */
  why: z.string().nullable(),
  sizeBytes: z.number(),
  records: z.number(),
  events: z.number(),
  sessions: z.array(z.object({ id: z.string(), title: z.string() })),
  problems: z.number(),
  importedAt: z.string().nullable(),
  changedAt: z.string().nullable(),
  /** When a deleted file was missed first; null for one that exists. */
  deletedAt: z.string().nullable(),
  /** Null for a deleted file, and for one that no agent deletes. */
  deletion: deletion.nullable(),
});
export type SourceRow = z.infer<typeof sourceRow>;

export const rootRow = z.object({
  path: z.string(),
  /** The path as a person knows it: the home folder is `~`. */
  label: z.string(),
  format: z.string().nullable(),
  /** The name of the format, as its agent is called. */
  formatLabel: z.string().nullable(),
  /** default, environment, added (by a person). */
  from: z.string(),
  exists: z.boolean(),
  files: z.number(),
  bytes: z.number(),
  watching: z.boolean(),
  /** Reset and deleted transcripts are read too; null where no format of the folder has any. */
  archived: z.boolean().nullable(),
});

/** A capture proxy that runs, as it says itself. */
export const proxyRow = z.object({
  pid: z.number().int(),
  port: z.number().int(),
  /** Milliseconds since 1970, as all times of it. */
  startedAt: z.number(),
  /** The program that `plimsoll run` started; null for a proxy of its own. */
  command: z.string().nullable(),
  upstreams: z.record(z.string(), z.string()),
  exchanges: z.number().int(),
  /** Exchanges whose bodies were over the cap, and those that could not be written, with the last reason. */
  cut: z.number().int(),
  lost: z.number().int(),
  lastLoss: z.string().nullable(),
  lastAt: z.number().nullable(),
});
export type ProxyRow = z.infer<typeof proxyRow>;

/** Telemetry that came from one service. */
export const telemetryRow = z.object({
  /** `service.name`; empty where it says none. */
  service: z.string(),
  /** Spans, log records and data points that were stored. */
  records: z.number().int(),
  /** Milliseconds since 1970. */
  firstAt: z.number(),
  lastAt: z.number(),
});
export type TelemetryRow = z.infer<typeof telemetryRow>;

export const sourcesAnswer = z.object({
  roots: z.array(rootRow),
  proxies: z.array(proxyRow),
  telemetry: z.array(telemetryRow),
  /** Folders in which no format matches some file, the latest first. */
  unmatched: z.array(unmatchedFolder),
  formats: z.array(knownFormat),
  sources: z.array(sourceRow),
  total: z.number(),
  totalBytes: z.number(),
  problems: z.number(),
  failed: z.number(),
  /** The roots that hold any of these files, and how many of them. The others were imported by hand. */
  inRoots: z.object({ roots: z.number(), files: z.number() }),
  import: importProgress.nullable(),
});
export type SourcesAnswer = z.infer<typeof sourcesAnswer>;

export const problemRow = importProblem.extend({ path: z.string() });
export const problemsAnswer = z.object({ problems: z.array(problemRow), total: z.number() });

/** From its root on: `..` would mean another folder wherever the server was started. */
const fullPath = z
  .string()
  .max(4096)
  .regex(/^(\/|[A-Za-z]:[\\/]|\\\\)[^\0]*$/, "is not a full path");

export const addSourceRequest = z.object({ path: fullPath });
export const importRequest = z.object({
  paths: z.array(fullPath).min(1).max(1000),
  /** Whether reset and deleted transcripts of these folders are read, from now on. */
  archived: z.boolean().optional(),
});
export const archivedRequest = z.object({ path: fullPath, on: z.boolean() });

/** What `GET /api/changes` streams: something changed, ask again. */
export const change = z.discriminatedUnion("type", [
  z.object({ type: z.literal("session"), id: z.string(), events: z.number() }),
  z.object({ type: z.literal("sessions") }),
  z.object({ type: z.literal("counted"), id: z.string() }),
  z.object({ type: z.literal("import"), progress: importProgress }),
  z.object({ type: z.literal("sources") }),
  /** The context of a session that runs has passed the share of its load line that a person chose. */
  z.object({
    type: z.literal("warning"),
    id: z.string(),
    title: z.string(),
    tokens: z.number(),
    line: z.number(),
    share: z.number(),
  }),
  z.object({ type: z.literal("resync") }),
]);
export type Change = z.infer<typeof change>;
