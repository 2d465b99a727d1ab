// The items that a compaction makes: the summary as what happened, and each fact with the events that it was read off.
import { distinctFacts } from "#lib/kernel/memory/fact-key.ts";
import type { CompactionPlan } from "./compact-plan.ts";
import { newItemId, type NewItem } from "./item-rows.ts";

/** What memory says in the same words already is not said again. */
export function itemsOf({ cut, summary }: CompactionPlan, known: ReadonlySet<string>): NewItem[] {
  const seqs = cut.rows.map(({ seq }) => seq);
  const common = { confidence: null, tags: [], turns: cut.turns, seqs, madeBy: "compaction" as const };
  return [
    { ...common, id: newItemId("episodic"), kind: "episodic", text: summary.text, category: null, salience: 0 },
    ...distinctFacts(summary.facts.filter(({ fact }) => !known.has(fact))).map((fact): NewItem => ({
      ...common,
      ...placesOf(cut, fact.seqs ?? []),
      id: newItemId("semantic"),
      kind: "semantic",
      text: fact.fact,
      category: fact.category ?? null,
      salience: fact.salience ?? 0,
      confidence: fact.confidence ?? null,
      tags: fact.tags ?? [],
    })),
  ];
}

/** The events that a fact was read off, and their turns; nothing where the summarizer does not say: then it is of the whole cut. */
function placesOf({ rows }: CompactionPlan["cut"], seqs: readonly number[]): { seqs?: number[]; turns?: number[] } {
  if (seqs.length === 0) return {};
  const wanted = new Set(seqs);
  const turns = rows.filter(({ seq }) => wanted.has(seq)).map(({ turn }) => turn);
  return { seqs: [...seqs], ...(turns.length > 0 && { turns: [...new Set(turns)] }) };
}
