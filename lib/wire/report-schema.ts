// A report of a session to hand on: what a person decides before it is written, and what there is to decide on.
import { z } from "zod";
import { LIMITS } from "#lib/kernel/limits.ts";
import { PRIVATE_KINDS } from "#lib/kernel/private-spans.ts";

export const REPORT_FORMATS = ["html", "markdown"] as const;

/** What is masked unless it is decided singly: secrets, every finding, nothing. */
export const REPORT_MASKS = ["secrets", "all", "none"] as const;
export type ReportMask = (typeof REPORT_MASKS)[number];

const findingIds = z.array(z.string().regex(/^[0-9a-f]{12}$/, "is not a finding id")).max(LIMITS.reportFindings);
/** Events whose beginnings are in the report; absent: those of the top culprits. */
const events = z.array(z.number().int().min(1)).max(LIMITS.reportEvents).optional();

export const reportReviewRequest = z.strictObject({ events });
export type ReportReviewRequest = z.infer<typeof reportReviewRequest>;

export const reportRequest = z.strictObject({
  format: z.enum(REPORT_FORMATS).default("html"),
  mask: z.enum(REPORT_MASKS).default("secrets"),
  /** Findings that stay readable whatever `mask` says, and those that are masked. */
  accept: findingIds.default([]),
  hide: findingIds.default([]),
  events,
});
export type ReportRequest = z.infer<typeof reportRequest>;

export const reportFinding = z.object({
  /** The same for the same value of the same kind in any report. */
  id: z.string(),
  kind: z.enum(PRIVATE_KINDS),
  /** Which pattern found a secret. */
  rule: z.string().nullable(),
  value: z.string(),
  /** `value` is only the beginning. */
  valueCut: z.boolean(),
  times: z.number(),
  /** The first occurrences: the part of the report, and the words before and after. */
  places: z.array(z.object({ where: z.string(), before: z.string(), after: z.string() })),
});
export type ReportFinding = z.infer<typeof reportFinding>;

export const reportReview = z.object({
  findings: z.array(reportFinding),
  /** Findings beyond those listed: `mask` alone decides on them. */
  leftOut: z.number(),
  /** The events whose beginnings would be in the report. */
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
export type ReportReview = z.infer<typeof reportReview>;
