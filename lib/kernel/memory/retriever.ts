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

  retrieve(maxEpisodic: number, maxSemantic: number): MemoryBundle {
    return chooseItems(
      { episodic: this.#store.list("episodic"), semantic: this.#store.list("semantic") },
      maxEpisodic,
      maxSemantic,
      this.#options,
    );
  }
}

/** The part of a bundle that the limits leave. */
export function chooseItems(
  { episodic, semantic }: MemoryBundle,
  maxEpisodic: number,
  maxSemantic: number,
  { semanticOrder }: RetrieverOptions = {},
): MemoryBundle {
  const order = semanticOrder ?? (semantic.some(({ category }) => category !== undefined) ? "salience" : "latest");
  return {
    episodic: lastOf(episodic, maxEpisodic),
    semantic: order === "latest" ? lastOf(semantic, maxSemantic) : weightiest(semantic, maxSemantic),
  };
}

const weightiest = (items: readonly SemanticItem[], limit: number): readonly SemanticItem[] =>
  items.toSorted((a, b) => b.salience - a.salience || b.ts - a.ts).slice(0, Math.max(0, limit));
