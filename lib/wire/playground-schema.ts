// The playground: programs and patterns that a person runs over stored bytes, what came of them, and what is kept of both.
// Answers of `POST /api/playground/jq` and `/grep` are streams of JSON lines (application/x-ndjson): pieces as they
// come, then one end. Closing the connection stops the run.
import { z } from "zod";
import { shapeNode } from "./shape-schema.ts";

const PROGRAM_CHARS = 64 * 1024;
const PATTERN_CHARS = 1024;
/** Pasted text of one input; what is larger is stored as an artifact first. */
const PASTED_CHARS = 5_000_000;

export const jqOptions = z.strictObject({
  /** -r */
  raw: z.boolean().default(false),
  /** -s */
  slurp: z.boolean().default(false),
  /** -n */
  nullInput: z.boolean().default(false),
  /** -c */
  compact: z.boolean().default(false),
  /** -S */
  sortKeys: z.boolean().default(false),
  /** --arg */
  args: z.record(z.string().max(100), z.string().max(10_000)).default({}),
  /** --argjson, each a JSON text */
  jsonArgs: z.record(z.string().max(100), z.string().max(10_000)).default({}),
});
export type PlaygroundOptions = z.infer<typeof jqOptions>;

/** One input after the other, as jq reads files: pointers of artifacts, or text that was pasted. */
export const jqInput = z.union([
  z.strictObject({ artifact: z.string().min(1).max(200) }),
  z.strictObject({ text: z.string().max(PASTED_CHARS) }),
]);
export type JqInput = z.infer<typeof jqInput>;

export const jqRun = z.strictObject({
  program: z.string().min(1).max(PROGRAM_CHARS),
  options: jqOptions.default({
    raw: false,
    slurp: false,
    nullInput: false,
    compact: false,
    sortKeys: false,
    args: {},
    jsonArgs: {},
  }),
  inputs: z.array(jqInput).max(16),
  /** Milliseconds. The page says 2,000 as one types; a person's run has 10,000, up to 60,000 when asked to run longer. */
  deadlineMs: z.number().int().min(100).max(60_000).default(10_000),
  /** Bytes of output that are sent; the rest is counted. 1 MB for the page, more for a download. */
  outputBytes: z.number().int().min(1000).max(256_000_000).default(1_000_000),
  /** Into the history: what a person ended on, not each key that was pressed. */
  isKept: z.boolean().default(false),
});
export type JqRun = z.infer<typeof jqRun>;

export const runFailure = z.enum(["compile", "runtime", "timeout", "memory", "too_large", "unsupported", "busy"]);

export const jqPiece = z.discriminatedUnion("type", [
  /** What jq wrote, in order; the pieces together are the output. */
  z.object({ type: z.literal("output"), text: z.string() }),
  z.object({
    type: z.literal("end"),
    ok: z.boolean(),
    failure: z
      .object({
        kind: runFailure,
        message: z.string(),
        /** Where in the program, from 1, when jq named the position. */
        line: z.number().nullable(),
        column: z.number().nullable(),
      })
      .nullable(),
    /** Bytes that jq wrote, sent or not. */
    outputBytes: z.number(),
    /** Output was not sent to its end. */
    isCut: z.boolean(),
    /** Values that jq wrote, sent or not. */
    values: z.number(),
    /** Values that were read, null when that is not known. */
    inputValues: z.number().nullable(),
    /** What `debug` and `stderr` wrote, and errors of values before the last. */
    messages: z.string(),
    ms: z.number(),
    deadlineMs: z.number(),
    /** The row of the history, when it was kept. */
    runId: z.string().nullable(),
  }),
]);
export type JqPiece = z.infer<typeof jqPiece>;
export type JqRunEnd = Extract<JqPiece, { type: "end" }>;

/** `POST /api/playground/probe`: a program with `_probe` in it, which notes its input. */
export const jqProbe = z.strictObject(jqRun.pick({ program: true, options: true, inputs: true }).shape);
export type JqProbe = z.infer<typeof jqProbe>;
/** The shape of what was noted, cut below its keys; no nodes when nothing is known. */
export const probeAnswer = z.object({ nodes: z.array(shapeNode).readonly(), isAll: z.boolean() });
export type ProbeAnswer = z.infer<typeof probeAnswer>;

export const grepRun = z.strictObject({
  artifact: z.string().min(1).max(200),
  pattern: z.string().max(PATTERN_CHARS),
  /** As on a command line, one word each: `-i`, `-w`, `-x`, `-v`, `-F`, `-A2`, `-B2`, `-C2`, `-m100`. */
  options: z.array(z.string().max(20)).max(20).default([]),
  deadlineMs: z.number().int().min(100).max(60_000).default(2000),
  /** Lines that are sent, context counted; the matches of the rest are counted. */
  lines: z.number().int().min(1).max(100_000).default(2000),
  isKept: z.boolean().default(false),
});
export type GrepRun = z.infer<typeof grepRun>;

export const grepPiece = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("lines"),
    lines: z.array(
      z.object({ line: z.number(), text: z.string(), isContext: z.boolean(), cut: z.boolean(), start: z.number() }),
    ),
  }),
  z.object({
    type: z.literal("end"),
    ok: z.boolean(),
    failure: z
      .object({ kind: z.enum(["pattern", "option", "timeout", "too_large", "busy"]), message: z.string() })
      .nullable(),
    /** Lines that match, sent or not. */
    matches: z.number(),
    /** False when the deadline came while the rest was being counted. */
    isCounted: z.boolean(),
    omitted: z.number(),
    ms: z.number(),
    deadlineMs: z.number(),
    runId: z.string().nullable(),
  }),
]);
export type GrepPiece = z.infer<typeof grepPiece>;
export type GrepRunEnd = Extract<GrepPiece, { type: "end" }>;

/** `POST /api/playground/save`: runs it again, and stores everything that it writes as an artifact. */
export const saveRun = z.strictObject({
  ...jqRun.omit({ isKept: true, outputBytes: true, deadlineMs: true }).shape,
  name: z.string().min(1).max(200),
});
export type SaveRun = z.infer<typeof saveRun>;
export const savedRun = z.object({
  pointer: z.string(),
  id: z.string(),
  sizeBytes: z.number(),
  /** The session that holds it. */
  sessionId: z.string(),
});
export type SavedRun = z.infer<typeof savedRun>;

/** A program with a name, or one that was too long for the address: then its name is null. */
export const savedProgram = z.object({
  id: z.string(),
  kind: z.enum(["jq", "grep"]),
  name: z.string().nullable(),
  program: z.string(),
  /** jq: `PlaygroundOptions`; grep: a list of words. */
  options: z.union([jqOptions, z.array(z.string())]),
  /** What it was made for, as the picker says it: `JSON`, `JSON lines`, `text`. */
  fits: z.string(),
  createdAt: z.string(),
});
export type SavedProgram = z.infer<typeof savedProgram>;
export const programsAnswer = z.object({ programs: z.array(savedProgram) });
export const saveProgram = z.strictObject({
  kind: z.enum(["jq", "grep"]),
  name: z.string().min(1).max(100).nullable(),
  program: z.string().min(1).max(PROGRAM_CHARS),
  options: z.union([jqOptions, z.array(z.string().max(20)).max(20)]),
  fits: z.string().max(40).default("any"),
});
export type SaveProgram = z.infer<typeof saveProgram>;

/** `GET /api/playground/history?who=all|mine|agent&artifact=…&limit=…`, newest first. */
export const historyQuery = z.object({
  who: z.enum(["all", "mine", "agent"]).default("all"),
  /** Only runs over this artifact. */
  artifact: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export const pastRun = z.object({
  id: z.string(),
  who: z.enum(["mine", "agent"]),
  kind: z.enum(["jq", "grep"]),
  program: z.string(),
  options: z.union([jqOptions, z.array(z.string())]),
  /** Pointers of the artifacts that it read; text that was pasted is not kept. */
  artifacts: z.array(z.string()),
  pasted: z.number(),
  /** Values (jq) or matches (grep); null when it failed or nothing is known. */
  results: z.number().nullable(),
  ms: z.number().nullable(),
  failure: runFailure.or(z.enum(["pattern", "option"])).nullable(),
  at: z.string().nullable(),
  /** An agent's: where it asked. */
  sessionId: z.string().nullable(),
  seq: z.number().nullable(),
});
export type PastRun = z.infer<typeof pastRun>;
export const historyAnswer = z.object({ runs: z.array(pastRun), total: z.number() });
export type HistoryAnswer = z.infer<typeof historyAnswer>;
