// The sentences that both forms of a report share.
import { exactly } from "#lib/kernel/exactly.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import type { LedgerAnswer } from "#lib/wire/ledger-schema.ts";
import { verdictMarkdown } from "#lib/wire/verdict-markdown.ts";
import { fenced } from "./markdown-text.ts";
import type { Excerpt, ReportParts } from "./report-parts.ts";

/** `writtenAt`: the time in words. `masked`: what was masked, a sentence. */
export type ReportNotes = { readonly writtenAt: string; readonly masked: string };

const TITLE_CHARS = 200;

export const reportTitle = ({ ledger }: ReportParts): string =>
  ledger.title.replace(/\s+/gu, " ").trim().slice(0, TITLE_CHARS).toWellFormed();

export const excerptName = ({ seq, type, tool }: Excerpt): string =>
  `Event ${seq}, ${type.replaceAll("_", " ")}${tool === null ? "" : `, ${tool}`}`;

/** `first 2,000 characters of 48,213 bytes`; null where it is whole. */
export const cutNote = ({ text, bytes, cut }: Excerpt): string | null =>
  cut ? `first ${exactly(text.length)} characters of ${exactly(bytes)} bytes` : null;

/** Culprits that are not in the report; null where all are. */
export function leftOutNote({ culpritsLeftOut }: LedgerAnswer): string | null {
  if (culpritsLeftOut === 0) return null;
  return `${exactly(culpritsLeftOut)} more ${culpritsLeftOut === 1 ? "culprit is" : "culprits are"} not listed (limit ${LIMITS.reportCulprits}).`;
}

/** The same report for an issue or a chat: without the chart. */
export function reportMarkdown(parts: ReportParts, { writtenAt, masked }: ReportNotes): string {
  const more = leftOutNote(parts.ledger);
  const blocks = parts.excerpts.map((one) => {
    const cut = cutNote(one);
    const name = `### Event ${one.seq}${cut === null ? "" : ` (${cut})`}`;
    return `\n${name}\n\n${fenced(one.text)}\n`;
  });
  return [
    verdictMarkdown(parts.ledger, parts.session),
    ...(more === null ? [] : [`\n${more}\n`]),
    ...blocks,
    `\nContext load report by Plimsoll, ${writtenAt}. ${masked}\n`,
  ].join("");
}
