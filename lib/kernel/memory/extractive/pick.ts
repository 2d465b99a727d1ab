// Picks the snippets that bring the most weight of names not yet there for the characters that they take. Greedy, with the
// value of a snippet looked at again only when it comes up: what was picked can only have made it smaller.

export type Candidate = {
  /** Characters that it takes in the summary. */
  readonly cost: number;
  /** What it takes more when it is the first of its group that is picked. */
  readonly opening: number;
  /** Those of one group share a reference. */
  readonly group: number;
  readonly names: readonly string[];
  /** What its names are worth here: 1, less where a snippet has too few words around them. */
  readonly worth: number;
  /** What it is worth beside its names. */
  readonly base: number;
};

/** Indices of the picked, in the order of picking. Ties go to the later candidate. */
export function pick(
  candidates: readonly Candidate[],
  weights: ReadonlyMap<string, number>,
  covered: Map<string, number>,
  budget: number,
): number[] {
  const open = new Set<number>();
  const costOf = ({ cost, opening, group }: Candidate): number => cost + (open.has(group) ? 0 : opening);
  const valueOf = (one: Candidate): number => {
    let sum = one.base;
    for (const name of one.names) sum += (weights.get(name) ?? 0) * Math.max(0, one.worth - (covered.get(name) ?? 0));
    return sum / costOf(one);
  };
  const members = Map.groupBy(candidates.keys(), (i) => candidates[i]!.group);
  const heap = new Heap(candidates.map((one, i) => ({ i, value: valueOf(one) })));
  const picked = new Set<number>();
  let left = budget;
  for (let top = heap.top(); top !== null && top.value > 0; top = heap.top()) {
    const one = candidates[top.i]!;
    const value = valueOf(one);
    if (picked.has(top.i) || costOf(one) > left || value <= 0) {
      heap.drop();
      continue;
    }
    if (value < top.value) {
      heap.lower(value);
      continue;
    }
    const { i } = top;
    heap.drop();
    picked.add(i);
    left -= costOf(one);
    for (const name of one.names) covered.set(name, Math.max(covered.get(name) ?? 0, one.worth));
    if (open.has(one.group)) continue;
    open.add(one.group);
    // The others of the group are cheaper now.
    for (const j of members.get(one.group)!) if (!picked.has(j)) heap.add({ i: j, value: valueOf(candidates[j]!) });
  }
  return [...picked];
}

type Node = { readonly i: number; value: number };

class Heap {
  readonly #nodes: Node[];
  constructor(nodes: Node[]) {
    this.#nodes = nodes;
    for (let at = (nodes.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }
  top(): Node | null {
    return this.#nodes[0] ?? null;
  }
  add(node: Node): void {
    const nodes = this.#nodes;
    let at = nodes.push(node) - 1;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(node, nodes[up]!); at = up, up = (at - 1) >> 1) {
      nodes[at] = nodes[up]!;
      nodes[up] = node;
    }
  }
  drop(): void {
    const last = this.#nodes.pop();
    if (last === undefined || this.#nodes.length === 0) return;
    this.#nodes[0] = last;
    this.#sink(0);
  }
  lower(value: number): void {
    this.#nodes[0]!.value = value;
    this.#sink(0);
  }
  #sink(from: number): void {
    const nodes = this.#nodes;
    for (let at = from; ;) {
      let best = at;
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < nodes.length && isBefore(nodes[child]!, nodes[best]!)) best = child;
      if (best === at) return;
      [nodes[at], nodes[best]] = [nodes[best]!, nodes[at]!];
      at = best;
    }
  }
}

const isBefore = (a: Node, b: Node): boolean => a.value > b.value || (a.value === b.value && a.i > b.i);
