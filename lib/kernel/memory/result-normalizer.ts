// What a summarizer says, put in order: each fact once and under its weightiest category, no more of a category than a
// snapshot can hold, and without what describes the moment instead of the work.
import { SEMANTIC_CATEGORIES } from "./memory-types.ts";
import type { SemanticCategory, SummarizedFact } from "./memory-types.ts";

export const BASE_SALIENCE: Readonly<Record<SemanticCategory, number>> = {
  critical_issue: 500,
  unresolved_work: 400,
  user_preference: 300,
  durable_fact: 200,
  important_artifact: 100,
};

const MOST: Readonly<Record<SemanticCategory, number>> = {
  critical_issue: 6,
  unresolved_work: 6,
  user_preference: 6,
  durable_fact: 8,
  important_artifact: 6,
};

/** States of the moment: true while it was written, and misleading afterwards. */
const NOISE = [
  /\b(dev(elopment)? )?server (is |was )?(now )?(running|listening|started)\b/i,
  /\blocalhost:\d+/i,
  /\b(multiple|several|\d+) .*\bprocess(es)?\b/i,
  /\b(working tree|branch) (is )?clean\b/i,
  /\bdoc(s|umentation)? (status|inventory|updated?)\b/i,
  /\bprocess count\b/i,
];

/** Problems and open work are never noise. */
const ALWAYS_KEPT = new Set<SemanticCategory>(["critical_issue", "unresolved_work"]);

export function normalizeFacts(facts: readonly SummarizedFact[]): SummarizedFact[] {
  const cleaned = facts
    .map((fact) => ({ ...fact, fact: fact.fact.replace(/\s+/g, " ").trim() }))
    .filter(({ fact }) => fact !== "");
  const ranked = cleaned.toSorted((a, b) => rankOf(a.category) - rankOf(b.category));
  const seen = new Set<string>();
  const counts = new Map<SemanticCategory, number>();
  return ranked.flatMap((fact) => {
    const key = fact.fact.toLowerCase();
    if (seen.has(key)) return [];
    seen.add(key);
    const { category } = fact;
    // A summarizer that knows no categories weighs its facts itself.
    if (category === undefined) return [fact];
    if (!ALWAYS_KEPT.has(category) && NOISE.some((pattern) => pattern.test(fact.fact))) return [];
    const count = counts.get(category) ?? 0;
    if (count >= MOST[category]) return [];
    counts.set(category, count + 1);
    return [{ ...fact, salience: BASE_SALIENCE[category] - count }];
  });
}

/** Without a category: last, in the order given. */
const rankOf = (category: SemanticCategory | undefined): number =>
  category === undefined ? SEMANTIC_CATEGORIES.length : SEMANTIC_CATEGORIES.indexOf(category);
