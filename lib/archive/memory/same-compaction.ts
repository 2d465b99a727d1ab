// A compaction that was asked for again, because its answer was lost: what was made stands, and is answered once more.
import { select } from "#db/statement.ts";
import type { CompactRequest } from "#lib/wire/memory-schema.ts";
import type { Archive } from "../base/archive-type.ts";
import type { PlanSession, SessionContext } from "./session-context.ts";
import type { SessionSummary } from "./write-summary.ts";
import { inputKey } from "./summary-drafts.ts";
import { lastSeqOf } from "./context-rows.ts";

/** What of a request is kept with the compaction. */
export const optionsOf = ({
  budgetChars,
  tail,
  summarizer,
  toolEvents,
  instructions,
  draft,
  lines,
}: CompactRequest) => ({
  budgetChars,
  tail,
  summarizer,
  toolEvents,
  instructions,
  // A model's second draft is another summary, asked for in the same words.
  draft,
  // Which edit it was: the lines themselves are kept as the summary.
  edited: lines === undefined ? undefined : inputKey(lines),
});

/** A compaction of ours that was made in the same words and, where one is named, of the same draft, and after which nothing was told. */
export function sameApplied(archive: Archive, { pk, isOwn }: PlanSession, request: CompactRequest): string | null {
  if (!isOwn) return null;
  const row = select(
    archive.sqlite,
    "compactions",
    ["id", "options"],
    "WHERE session_pk = ? AND kind = 'applied' AND status = 'complete' AND event_seq + 1 = ?",
  ).get(pk, lastSeqOf(archive, pk));
  if (row === undefined) return null;
  const { draft, ...made } = JSON.parse(row.options) as ReturnType<typeof optionsOf>;
  const { draft: asked, ...options } = optionsOf(request);
  const isSame = JSON.stringify(made) === JSON.stringify(options) && (asked === undefined || asked === draft);
  return isSame ? row.id : null;
}

/** A plan that says the same of the same events. */
export function samePlan(
  archive: Archive,
  { session, at }: SessionContext,
  { cut, summary }: SessionSummary,
  options: ReturnType<typeof optionsOf>,
): string | null {
  const seqs = cut.rows.map(({ seq }) => seq);
  const row = select(
    archive.sqlite,
    "compactions",
    ["id"],
    `WHERE session_pk = ? AND kind = 'plan' AND status = 'planned' AND at_seq = ? AND options = ?
       AND seqs = ? AND summary = ? ORDER BY pk DESC LIMIT 1`,
  ).get(session.pk, at, JSON.stringify(options), JSON.stringify(seqs), summary);
  return row?.id ?? null;
}
