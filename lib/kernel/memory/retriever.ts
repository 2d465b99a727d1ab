// What memory gives to a new epoch: the last episodes, and facts, the latest or, where they are weighed, the weightiest.
import { distinctFacts } from "./fact-key.ts";
import { lastOf } from "./in-memory-store.ts";
import type { MemoryBundle, MemoryStore, SemanticCategory, SemanticItem } from "./memory-types.ts";

export type RetrieverOptions = {
  /** `latest`: the last ones written. `salience`: by weight, then the newest. By default: by weight where facts have a category. */
  readonly semanticOrder?: "latest" | "salience";
};

export class Retriever {
  readonly #store: Pick<MemoryStore, "list">;
  readonly #options: RetrieverOptions;

  constructor(store: Pick<MemoryStore, "list">, options: RetrieverOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** `made` counts as stored already: what a compaction is about to store. */
  retrieve(maxEpisodic: number, maxSemantic: number, made: MemoryBundle = NOTHING): MemoryBundle {
    const episodic = [...this.#store.list("episodic"), ...made.episodic];
    // The same fact of two compactions is one; the newer says how it is now.
    const semantic = distinctFacts([...this.#store.list("semantic"), ...made.semantic]);
    const hasCategories = semantic.some(({ category }) => category !== undefined);
    const order = this.#options.semanticOrder ?? (hasCategories ? "salience" : "latest");
    return {
      episodic: lastOf(episodic, maxEpisodic),
      semantic: order === "latest" ? lastOf(semantic, maxSemantic) : weightiest(semantic, maxSemantic),
    };
  }
}

const NOTHING: MemoryBundle = { episodic: [], semantic: [] };

/** Of each category at most, before others fill what is left: old failures do not push out what the person wants. */
const SLOTS: Readonly<Record<SemanticCategory, number>> = {
  critical_issue: 4,
  unresolved_work: 4,
  user_preference: 8,
  durable_fact: 6,
  important_artifact: 3,
};

function weightiest(items: readonly SemanticItem[], limit: number): readonly SemanticItem[] {
  const ranked = items.toSorted((a, b) => b.salience - a.salience || b.ts - a.ts);
  const counts = new Map<SemanticCategory, number>();
  const isFirst = ({ category = "durable_fact" }: SemanticItem): boolean => {
    const count = (counts.get(category) ?? 0) + 1;
    counts.set(category, count);
    return count <= SLOTS[category];
  };
  const first = new Set(ranked.filter(isFirst).slice(0, Math.max(0, limit)));
  const rest = ranked.filter((item) => !first.has(item)).slice(0, Math.max(0, limit - first.size));
  const taken = new Set([...first, ...rest]);
  return ranked.filter((item) => taken.has(item));
}
