// A report of a session: what there is to decide on before it is written, and the file as it was decided.
import type { ReportRequest, ReportReview, ReportReviewRequest } from "#lib/wire/report-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import { iso } from "../base/iso.ts";
import { reportHtml } from "./report-html.ts";
import { reportParts } from "./report-parts.ts";
import { findingsOf, listed, maskedWords, maskParts } from "./report-review.ts";
import { reportMarkdown, type ReportNotes } from "./report-words.ts";

type Counting = { readonly counted?: boolean };

export type WrittenReport = {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
  /** What was masked, a sentence. */
  readonly masked: string;
};

/** What a report would have that a person should look at first. `counted`: as of `reportParts`. */
export async function reviewReport(
  archive: Archive,
  name: string,
  { events, counted }: ReportReviewRequest & Counting,
): Promise<ReportReview> {
  const parts = await reportParts(archive, name, { events, ...(counted !== undefined && { counted }) });
  return {
    ...listed(findingsOf(parts)),
    events: parts.excerpts.map(({ text, ...one }) => ({ ...one, shownChars: text.length })),
  };
}

/** One file to hand on, of some hundred kB. */
export async function writeReport(
  archive: Archive,
  name: string,
  { format, events, counted, ...decision }: ReportRequest & Counting,
): Promise<WrittenReport> {
  const found = await reportParts(archive, name, { events, ...(counted !== undefined && { counted }) });
  const { parts, masked } = maskParts(found, decision);
  const words = maskedWords(masked);
  const notes: ReportNotes = {
    writtenAt: `${iso(archive.host.now())!.slice(0, 16).replace("T", " ")} UTC`,
    masked: words,
  };
  const base = `${found.session.id}.report`;
  return format === "html"
    ? { name: `${base}.html`, contentType: "text/html; charset=utf-8", text: reportHtml(parts, notes), masked: words }
    : {
        name: `${base}.md`,
        contentType: "text/markdown; charset=utf-8",
        text: reportMarkdown(parts, notes),
        masked: words,
      };
}
