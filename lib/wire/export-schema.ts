// A session that leaves the archive as one file: its formats, what a person decides before it is written, and what there is to
// decide on.
import { z } from "zod";
import { LIMITS } from "#lib/kernel/limits.ts";
import { decision, privateFinding, type MaskChoice } from "./redaction-schema.ts";

export const EXPORT_FORMATS = ["html", "report-markdown", "markdown", "atif", "jsonl", "bundle"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** How much of each tool output: its beginning, what the model saw, or all that is stored. */
export const OUTPUTS = ["short", "seen", "whole"] as const;
export type Outputs = (typeof OUTPUTS)[number];

export const isReport = (format: ExportFormat): boolean => format === "html" || format === "report-markdown";
export const hasOutputs = (format: ExportFormat): boolean => format === "markdown" || format === "atif";

/** A report and a transcript are for other readers; the others are for another archive, where every byte counts. */
export const defaultMask = (format: ExportFormat): MaskChoice =>
  format === "jsonl" || format === "bundle" ? "none" : "secrets";
export const defaultOutputs = (format: ExportFormat): Outputs => (format === "markdown" ? "short" : "seen");

/** Events whose beginnings are in a report; absent: those of the top culprits. */
const events = z.array(z.number().int().min(1)).max(LIMITS.reportEvents).optional();

const format = z.enum(EXPORT_FORMATS);

export const exportReviewRequest = z.strictObject({
  format,
  events,
  outputs: z.enum(OUTPUTS).optional(),
  /** Whether sub-agents are in it. */
  agents: z.boolean().default(true),
});
export type ExportReviewRequest = z.infer<typeof exportReviewRequest>;

export const exportRequest = z.strictObject({ ...exportReviewRequest.shape, ...decision.shape });
export type ExportRequest = z.infer<typeof exportRequest>;

export const exportReview = z.object({
  findings: z.array(privateFinding),
  /** Findings beyond those listed: `mask` alone decides on them. */
  leftOut: z.number(),
  /** Values of each kind, those that are not listed too. */
  kinds: z.object({ secret: z.number(), user: z.number(), email: z.number(), address: z.number() }),
  /** Bytes of the file as it would be without masks; of a bundle, unpacked. */
  sizeBytes: z.number(),
  /** Images and other bytes that no pattern can look through. */
  notSearched: z.object({ files: z.number(), sizeBytes: z.number() }),
  /** Of a report: the events whose beginnings are in it. */
  events: z.array(
    z.object({
      seq: z.number(),
      type: z.string(),
      tool: z.string().nullable(),
      shownChars: z.number(),
      bytes: z.number(),
      cut: z.boolean(),
    }),
  ),
});
export type ExportReview = z.infer<typeof exportReview>;
