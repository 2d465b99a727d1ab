// Facts of the summaries that an agent wrote itself. They are worked out from the log when they are asked for: an imported
// session has them without anything being written. A person who changes one makes an item of it.
import { hash } from "node:crypto";
import { distinctFacts, factKey } from "#lib/kernel/memory/fact-key.ts";
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { factsOfSummary } from "#lib/kernel/memory/extractive/summary-facts.ts";
import type { CompactionRow, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import type { NewItem } from "./item-rows.ts";

/** Facts that are shown, of all summaries together: the newest. */
const MOST = 60;

export const isSummaryItem = (id: string): boolean => /^sum_[0-9a-f]{16}$/.test(id);

/** One item for each fact, the newest word of the same thing; none that `stored` has. */
export function summaryItems(
  sessionId: string,
  compactions: readonly CompactionRow[],
  stored: readonly MemoryItemRow[],
): MemoryItemRow[] {
  const ids = new Set(stored.map(({ id }) => id));
  const keys = new Set(stored.filter(({ deletedAt }) => deletedAt === null).map(({ text }) => factKey(text)));
  const facts = compactions
    .filter(({ kind, status }) => kind === "agent" && status === "complete")
    .flatMap(({ at, summary, startedAt }) =>
      factsOfSummary(summary).map((fact) => ({ ...fact, id: idOf(sessionId, at, fact.fact), at, startedAt })),
    );
  return distinctFacts(facts)
    .filter(({ id, fact }) => !ids.has(id) && !keys.has(factKey(fact)))
    .slice(-MOST)
    .map(({ id, fact, category, salience, tags, at, startedAt }): MemoryItemRow => ({
      id,
      kind: "semantic",
      text: redactText(fact).text,
      category: category ?? null,
      salience: salience ?? 0,
      confidence: null,
      tags: [...(tags ?? [])],
      turns: [],
      seqs: [at],
      pinned: false,
      madeBy: "summary",
      compactionId: `event:${at}`,
      createdAt: startedAt ?? "",
      changedAt: startedAt ?? "",
      deletedAt: null,
    }));
}

/** The same for the same fact of the same summary, in every archive. */
const idOf = (sessionId: string, at: number, fact: string): string =>
  `sum_${hash("sha256", `${sessionId}\n${at}\n${fact}`, "hex").slice(0, 16)}`;

/** The row that such an item becomes when somebody changes it. */
export const newItemOf = ({
  id,
  kind,
  text,
  category,
  salience,
  tags,
  turns,
  seqs,
  madeBy,
}: MemoryItemRow): NewItem => ({
  id,
  kind,
  text,
  category,
  salience,
  confidence: null,
  tags,
  turns,
  seqs,
  madeBy,
});
