// A full session that goes on in a new one of the same agent, lighter: what is asked, what a dry run shows, what was written.
import { z } from "zod";
import { origin } from "./common-schema.ts";
import { compactAnswer, compactRequest } from "./memory-schema.ts";

export const CARRY_ON_MODES = ["summary", "fork"] as const;

/** A dry run. `lines` and `draft` are those of an edited summary, as for a compaction. */
export const carryOnPlanRequest = compactRequest.omit({ dryRun: true }).extend({
  /** `summary`: the summary and the last turns. `fork`: everything up to the event, without a summary. */
  mode: z.enum(CARRY_ON_MODES).default("summary"),
  /** Large outputs become envelopes that the agent reads over MCP. Absent: in a summary's tail, and not in a fork, whose cache holds. */
  envelopes: z.boolean().optional(),
  /** Bytes from which on an output is large; absent: as the archive's policy says. */
  over: z.coerce.number().int().min(256).optional(),
});
export type CarryOnPlanRequest = z.infer<typeof carryOnPlanRequest>;

export const carryOnRequest = carryOnPlanRequest.extend({
  /** A folder, in place of the agent's own. */
  to: z.string().min(1).max(4096).optional(),
});
export type CarryOnRequest = z.infer<typeof carryOnRequest>;

const LINE_KINDS = ["added", "summary", "kept", "replaced", "changed", "closed"] as const;

/** A line of the new file, in order. */
const carryOnLine = z.object({
  /** replaced: an output became an envelope. changed: `note` says what was left out. closed: a result for a call without one. */
  kind: z.enum(LINE_KINDS),
  label: z.string(),
  /** Events of the old session that it comes from. */
  seqs: z.array(z.number()),
  bytes: z.number(),
  /** What it weighs in the next prompt. */
  tokens: z.number(),
  note: z.string().nullable(),
});

const carryOnTokens = z.object({
  /** The next prompt of the old session: what a compaction says is before it. `unattributed` is in it, and in no other figure here. */
  now: z.number(),
  nowOrigin: origin,
  unattributed: z.number(),
  /** Messages of the new file. */
  after: z.number(),
  /** System prompt and tools, which the agent sends by itself. */
  prefix: z.number(),
  /** The first prompt of the new session, without what is typed: `after` and `prefix`. */
  next: z.number(),
  summary: z.number(),
  /** What envelopes save. */
  replaced: z.number(),
  origin,
});

export const carryOnPlan = z.object({
  /** nothing: `reason` says why there is nothing to carry on, and what to do. */
  status: z.enum(["planned", "nothing"]),
  reason: z.string().nullable(),
  sessionId: z.string(),
  mode: z.enum(CARRY_ON_MODES),
  /** The last event that goes on. */
  at: z.number(),
  agent: z.object({
    label: z.string(),
    version: z.string().nullable(),
    /** The real agent of this version took such a file. */
    isTried: z.boolean(),
    tried: z.array(z.string()),
  }),
  /** Where it would be written; null where the agent's folder is unknown: then `to` is needed. */
  path: z.string().nullable(),
  /** To copy; the id is made when the file is written. */
  command: z.string(),
  sizeBytes: z.number(),
  /** The summary as text: a first message for any agent. */
  summary: z.string().nullable(),
  summaryLines: compactAnswer.shape.lines,
  draft: z.string().nullable(),
  lines: z.array(carryOnLine),
  tokens: carryOnTokens,
  /** What a person should know first, a sentence each. */
  warnings: z.array(z.string()),
  ms: z.number(),
});
export type CarryOnPlan = z.infer<typeof carryOnPlan>;

export const carryOnRow = z.object({
  id: z.string(),
  origin: z.object({ id: z.string(), title: z.string().nullable() }),
  /** The new session; `isImported` once Plimsoll has read its file. */
  session: z.object({ id: z.string(), nativeId: z.string(), isImported: z.boolean() }),
  mode: z.enum(CARRY_ON_MODES),
  at: z.number(),
  path: z.string(),
  sizeBytes: z.number(),
  digest: z.string(),
  command: z.string(),
  writtenAt: z.string(),
  takenBackAt: z.string().nullable(),
  tokens: z.object({
    now: z.number(),
    predicted: z.number(),
    /** Of the first call: its prompt, and what of it was typed and announced since. Null before it. */
    real: z.number().nullable(),
    entered: z.number().nullable(),
  }),
});
export type CarryOnRow = z.infer<typeof carryOnRow>;

export const carryOnAnswer = z.object({ plan: carryOnPlan, written: carryOnRow.nullable() });
export type CarryOnAnswer = z.infer<typeof carryOnAnswer>;

export const carryOnList = z.object({ rows: z.array(carryOnRow) });
export type CarryOnList = z.infer<typeof carryOnList>;

export const takeBackAnswer = z.object({ status: z.enum(["removed", "already gone"]), row: carryOnRow });
export type TakeBackAnswer = z.infer<typeof takeBackAnswer>;
