// `POST /api/artifacts/grep`: one pattern through many artifacts. The answer is a stream of JSON lines (application/x-ndjson):
// `start`, then `found` and `progress` as they come, then one `end`. Closing the connection stops the search.
import { z } from "zod";
import { LIMITS } from "#lib/kernel/limits.ts";
import { artifactRow, artifactsQuery } from "./artifacts-schema.ts";
import { grepAnswer } from "./tools-schema.ts";

export const grepManyRun = z.strictObject({
  pattern: z.string().min(1).max(LIMITS.grepPatternChars),
  /** As on a command line, one word each: `-i`, `-w`, `-x`, `-v`, `-F`, `-A2`, `-B2`, `-C2`, `-m100`. */
  options: z.array(z.string().max(40)).max(LIMITS.grepOptions).default([]),
  /** References of artifacts, searched in this order; without it all that `filter` finds. */
  artifacts: z.array(z.string().min(1).max(400)).min(1).max(LIMITS.grepManyChosen).optional(),
  /** As the list of artifacts takes them; the search follows its order. */
  filter: z.strictObject(artifactsQuery.omit({ limit: true, offset: true }).shape).prefault({}),
  deadlineMs: z.number().int().min(100).max(LIMITS.grepManyMs).default(LIMITS.grepManyMs),
  /** Lines that are shown of each artifact, context counted. */
  lines: z.number().int().min(1).max(LIMITS.grepLines).default(LIMITS.grepManyLines),
});
export type GrepManyRun = z.infer<typeof grepManyRun>;

const found = z.object({
  type: z.literal("found"),
  artifact: artifactRow,
  /** Further artifacts of this search that hold the same bytes: they are searched once. */
  sameBytes: z.number(),
  ...grepAnswer.pick({ lines: true, matches: true, omitted: true, isCounted: true }).shape,
});

const progress = {
  /** Artifacts that were read so far, … */
  searched: z.number(),
  /** … those of them with a match, shown or not, … */
  matched: z.number(),
  /** … and the lines that match in those that are shown. */
  matches: z.number(),
};

export const grepManyEnd = z.object({
  type: z.literal("end"),
  ...progress,
  /** Of the pattern or its options, or that nobody had time for it. */
  failure: z.object({ kind: z.enum(["pattern", "option", "busy"]), message: z.string() }).nullable(),
  /** Artifacts that the search was about: those that were read, those below, and those that it did not come to. */
  artifacts: z.number(),
  shown: z.number(),
  /** Not read: no text; deleted or expired; bytes missing or damaged. */
  noText: z.number(),
  gone: z.number(),
  unreadable: z.number(),
  /** Left out because a search reads so many artifacts at most. */
  leftOut: z.number(),
  /** Every artifact was read to its end before the deadline. */
  isWhole: z.boolean(),
  ms: z.number(),
  deadlineMs: z.number(),
});
export type GrepManyEnd = z.infer<typeof grepManyEnd>;

export const grepManyPiece = z.discriminatedUnion("type", [
  z.object({ type: z.literal("start"), artifacts: z.number() }),
  z.object({ type: z.literal("progress"), ...progress }),
  found,
  grepManyEnd,
]);
export type GrepManyPiece = z.infer<typeof grepManyPiece>;
export type GrepManyFound = z.infer<typeof found>;
