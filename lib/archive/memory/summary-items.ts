// The summaries that an agent wrote itself, episodic items, and their facts, semantic ones. They are worked out from the log when they are asked for: an imported
// session has them without anything being written. A person who changes one makes an item of it.
import { hash } from "node:crypto";
import { distinctFacts, factKey } from "#lib/kernel/memory/fact-key.ts";
import { redactText } from "#lib/kernel/artifacts/redact.ts";
import { factsOfSummary } from "#lib/kernel/memory/extractive/summary-facts.ts";
import type { CompactionRow, MemoryItemRow } from "#lib/wire/memory-schema.ts";
import type { NewItem } from "./item-rows.ts";

/** Summaries, and facts of all summaries together, that are shown: the newest. */
const MOST = 60;
/** In place of a summary that is encrypted, or in no record. */
const UNREAD = "Compacted. The agent's summary cannot be read from its file.";
/** What happened comes before its facts, the first of which has 0.85. */
const SUMMARY_SALIENCE = 0.9;

export const isSummaryItem = (id: string): boolean => /^sum_[0-9a-f]{16}$/.test(id);

/** One item for each summary, and for each fact, the newest word of the same thing; none that `stored` has. */
export function summaryItems(
  sessionId: string,
  compactions: readonly CompactionRow[],
  stored: readonly MemoryItemRow[],
): MemoryItemRow[] {
  const ids = new Set(stored.map(({ id }) => id));
  const keys = new Set(stored.filter(({ deletedAt }) => deletedAt === null).map(({ text }) => factKey(text)));
  const own = compactions.filter(({ kind, status }) => kind === "agent" && status === "complete");
  const episodes = own
    .map(({ at, summary, startedAt }) => ({ fact: summary.trim() === "" ? UNREAD : summary, at, startedAt }))
    .map((one) => ({ ...one, id: idOf(sessionId, one.at, one.fact) }))
    .filter(({ id, fact }) => !ids.has(id) && (fact === UNREAD || !keys.has(factKey(fact))))
    .slice(-MOST);
  const facts = own.flatMap(({ at, summary, startedAt }) =>
    factsOfSummary(summary).map((fact) => ({ ...fact, id: idOf(sessionId, at, fact.fact), at, startedAt })),
  );
  return [
    ...episodes.map((one) => itemOf("episodic", { ...one, salience: SUMMARY_SALIENCE })),
    ...distinctFacts(facts)
      .filter(({ id, fact }) => !ids.has(id) && !keys.has(factKey(fact)))
      .slice(-MOST)
      .map((one) => itemOf("semantic", one)),
  ];
}

type Read = {
  readonly id: string;
  readonly fact: string;
  readonly category?: string | undefined;
  readonly salience?: number | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly at: number;
  readonly startedAt: string | null;
};

const itemOf = (kind: MemoryItemRow["kind"], { id, fact, at, startedAt, ...rest }: Read): MemoryItemRow => ({
  id,
  kind,
  text: redactText(fact).text,
  category: rest.category ?? null,
  salience: rest.salience ?? 0,
  confidence: null,
  tags: [...(rest.tags ?? [])],
  turns: [],
  seqs: [at],
  pinned: false,
  madeBy: "summary",
  compactionId: `event:${at}`,
  createdAt: startedAt ?? "",
  changedAt: startedAt ?? "",
  deletedAt: null,
});

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
