// What memory gives to a new epoch: the last episodes, and facts, the latest or, where they are weighed, the weightiest.
import { lastOf } from "./in-memory-store.ts";
import type { MemoryBundle, MemoryStore, SemanticItem } from "./types.ts";

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
    const semantic = [...this.#store.list("semantic"), ...made.semantic];
    const hasCategories = semantic.some(({ category }) => category !== undefined);
    const order = this.#options.semanticOrder ?? (hasCategories ? "salience" : "latest");
    return {
      episodic: lastOf(episodic, maxEpisodic),
      semantic: order === "latest" ? lastOf(semantic, maxSemantic) : weightiest(semantic, maxSemantic),
    };
  }
}

const NOTHING: MemoryBundle = { episodic: [], semantic: [] };

const weightiest = (items: readonly SemanticItem[], limit: number): readonly SemanticItem[] =>
  items.toSorted((a, b) => b.salience - a.salience || b.ts - a.ts).slice(0, Math.max(0, limit));
