// Which artifacts of a session to remind an agent of: what the words say (BM25 over names, paths and beginnings) and how much
// and how lately it was used, as ranks, fused. Two ranks of different kinds can be added; their scores cannot.
import { termReader } from "./terms.ts";
import { bestOf, topRanks } from "./top-ranks.ts";

export type RecallDoc = {
  readonly pointer: string;
  readonly artifactId: string;
  /** Where it came into the log; in the order in which it is added. */
  readonly position: number;
  /** What it is a copy of: a file, a command. Of its copies the newest is recalled. */
  readonly subject: string;
  readonly name: string | null;
  readonly toolName: string | null;
  readonly path: string | null;
  /** What was asked for, what it is said to be, and how it begins. */
  readonly text: string;
};

/** What the index keeps: the text is in its terms. */
export type KnownDoc = Omit<RecallDoc, "text">;

export type RankedDoc = { readonly doc: KnownDoc; readonly score: number };

/** The best, and how many there were to choose from. */
export type Ranking = { readonly ranked: readonly RankedDoc[]; readonly candidates: number };

export type RankInput = {
  readonly query: string;
  /** Only what came before this position is known. */
  readonly before?: number;
  /** Artifacts that are left out: those that the context shows already. */
  readonly skip?: (doc: KnownDoc) => boolean;
  /** Ranked ones that are given, at most. */
  readonly limit?: number;
  /** Words that no beginning has, and the artifacts whose text has them further on. */
  readonly deep?: ReadonlyMap<string, readonly string[]>;
};

/** BM25 as published; what a name says counts three times, and is not diluted by a long text. */
const K1 = 1.2;
const B = 0.75;
const NAME_WEIGHT = 3;
const PATH_WEIGHT = 1;
/** The sooner a rank ceases to matter. 10 and not the usual 60: of some fifty candidates five are shown. */
const FUSE = 10;
/** Positions of a rank that are told apart. */
const RANKS = 200;
/** A use counts by its age to this power: what is used often stays known for long. 0.1 to 0.5 differ by 3 points. */
const DECAY = 0.3;
/** What stood beside a match in the log takes this much of its score: files are read in company. */
const NEIGHBOUR = 0.25;
/**
 * An older copy of a thing stands behind the newest by this factor. Nothing else is held against likeness: taking words in
 * common off the score (MMR) lost up to 6 points of hit@5 on the collected sessions.
 */
const OLDER = 0.3;
/** Words of a query that count: the rarest. */
const QUERY_TERMS = 96;

/**
 * How much a plain question outweighs use: the share of its words that an artifact answers, squared, times this. What an
 * agent says in passing names a fifth of it and is hardly lifted; who asks for `ledger` gets ledger.ts.
 */
const ANSWERED = 6;

const WORD = /[\p{L}\p{N}_]{2,64}/gu;

/** Where a term stands. A weight is two numbers in one: how often the text has it, in the low bits, and what heads say. */
type Posting = { readonly docs: number[]; readonly weights: number[] };
const BODY_BITS = 12;
const MOST_BODY = (1 << BODY_BITS) - 1;

export class RecallIndex {
  readonly #read = termReader();
  readonly #docs: KnownDoc[] = [];
  readonly #lengths: number[] = [];
  readonly #groups: number[] = [];
  readonly #groupOf = new Map<string, number>();
  readonly #uses: number[][] = [];
  readonly #postings = new Map<string, Posting>();

  get size(): number {
    return this.#docs.length;
  }

  add({ text, ...doc }: RecallDoc): void {
    const at = this.#docs.length;
    const heads = new Map<string, number>();
    const path = doc.path ?? "";
    this.#addHead(heads, doc.name ?? path.split(/[\\/]/).at(-1)!, NAME_WEIGHT);
    this.#addHead(heads, path, PATH_WEIGHT);
    const bodies = new Map<string, number>();
    const terms = this.#read(`${doc.toolName ?? ""} ${text}`);
    for (const term of terms) bodies.set(term, (bodies.get(term) ?? 0) + 1);
    for (const [term, count] of bodies) this.#post(term, at, heads.get(term) ?? 0, count);
    for (const [term, weight] of heads) if (!bodies.has(term)) this.#post(term, at, weight, 0);
    this.#docs.push(doc);
    this.#lengths.push(terms.length);
    this.#groups.push(this.#group(doc.subject));
    this.use(doc.subject, doc.position);
  }

  /** A call at this position named the thing: read it, wrote it, ran it. An artifact may come of it later, or never. */
  use(subject: string, position: number): void {
    this.#uses[this.#group(subject)]!.push(position);
  }

  /** Best first; the newest copy of each thing, its older copies behind. */
  rank({ query, before = Infinity, skip, limit = RANKS, deep }: RankInput): Ranking {
    const docs = this.#docs;
    let count = 0;
    while (count < docs.length && docs[count]!.position < before) count++;
    if (count === 0) return { ranked: [], candidates: 0 };
    const { scores: words, most } = this.#wordScores(query, count);
    if (deep !== undefined) this.#addDeep(words, deep);
    const beside = words.slice();
    for (let i = 1; i < count; i++) {
      if (this.#groups[i] === this.#groups[i - 1]) continue;
      beside[i] = Math.max(beside[i]!, words[i]! + NEIGHBOUR * words[i - 1]!);
      beside[i - 1] = Math.max(beside[i - 1]!, words[i - 1]! + NEIGHBOUR * words[i]!);
    }
    const groups = this.#uses.length;
    const matched = new Float64Array(groups);
    const whole = new Float64Array(groups);
    const newest = new Int32Array(groups).fill(-1);
    for (let i = 0; i < count; i++) {
      const group = this.#groups[i]!;
      if (skip?.(docs[i]!) === true) continue;
      newest[group] = i;
      if (beside[i]! > matched[group]!) matched[group] = beside[i]!;
      if (words[i]! > whole[group]!) whole[group] = words[i]!;
    }
    const used = this.#useScores(newest, count, before);
    const byWords = topRanks(matched, RANKS);
    const byUse = topRanks(used, RANKS);
    const scores = new Float64Array(count);
    let candidates = 0;
    for (let i = 0; i < count; i++) {
      const group = this.#groups[i]!;
      if (skip?.(docs[i]!) === true) continue;
      candidates++;
      const said = most === 0 ? 0 : whole[group]! / most;
      const score = (1 + ANSWERED * said * said) * fused(byWords[group]!) + fused(byUse[group]!);
      scores[i] = newest[group] === i ? score : score * OLDER;
    }
    const ranked = bestOf(scores, limit).map((i): RankedDoc => ({ doc: docs[i]!, score: scores[i]! }));
    return { ranked, candidates };
  }

  /** Words of a question that nothing in the index has. */
  missing(query: string): string[] {
    const words = new Set(query.match(WORD) ?? []);
    return [...words].filter((word) => {
      const terms = this.#read(word);
      return terms.length > 0 && terms.every((term) => !this.#postings.has(term));
    });
  }

  /** A word further on counts as one that stands once in a text of the usual length. */
  #addDeep(scores: Float64Array, deep: ReadonlyMap<string, readonly string[]>): void {
    const positions = new Map<string, number>();
    for (let i = 0; i < scores.length; i++) positions.set(this.#docs[i]!.pointer, i);
    for (const pointers of deep.values()) {
      const found = pointers.flatMap((pointer) => positions.get(pointer) ?? []);
      const rarity = Math.log(1 + (scores.length - found.length + 0.5) / (found.length + 0.5));
      for (const i of found) scores[i]! += rarity;
    }
  }

  #post(term: string, at: number, head: number, body: number): void {
    let posting = this.#postings.get(term);
    if (posting === undefined) this.#postings.set(term, (posting = { docs: [], weights: [] }));
    posting.docs.push(at);
    posting.weights.push((head << BODY_BITS) | Math.min(body, MOST_BODY));
  }

  #addHead(heads: Map<string, number>, text: string, weight: number): void {
    for (const term of new Set(this.#read(text))) heads.set(term, (heads.get(term) ?? 0) + weight);
  }

  #group(subject: string): number {
    let group = this.#groupOf.get(subject);
    if (group === undefined) {
      this.#groupOf.set(subject, (group = this.#uses.length));
      this.#uses.push([]);
    }
    return group;
  }

  /** BM25 of the first `count` artifacts, as if there were no others. */
  #wordScores(query: string, count: number): { scores: Float64Array; most: number } {
    const scores = new Float64Array(count);
    let length = 0;
    for (let i = 0; i < count; i++) length += this.#lengths[i]!;
    const average = length / count || 1;
    const terms = [...new Set(this.#read(query))].map((term) => {
      const posting = this.#postings.get(term) ?? NOWHERE;
      const found = below(posting.docs, count);
      return { posting, found, rarity: Math.log(1 + (count - found + 0.5) / (found + 0.5)) };
    });
    let most = 0;
    for (const { rarity } of terms) most += rarity * (K1 + 1);
    const rarest = terms.filter(({ found }) => found > 0).toSorted((a, b) => a.found - b.found);
    for (const { posting, found, rarity } of rarest.slice(0, QUERY_TERMS)) {
      for (let k = 0; k < found; k++) {
        const i = posting.docs[k]!;
        const packed = posting.weights[k]!;
        const body = (packed & MOST_BODY) / (1 - B + (B * this.#lengths[i]!) / average);
        const weight = (packed >>> BODY_BITS) + body;
        scores[i]! += (rarity * weight * (K1 + 1)) / (K1 + weight);
      }
    }
    return { scores, most };
  }

  /** How present each thing is: the sum over its uses of their age to the power of −DECAY. */
  #useScores(newest: Int32Array, count: number, before: number): Float64Array {
    const scores = new Float64Array(newest.length);
    const now = Number.isFinite(before) ? before : this.#lastPosition() + 1;
    for (let group = 0; group < newest.length; group++) {
      if (newest[group]! < 0) continue;
      for (const position of this.#uses[group]!)
        if (position < before) scores[group]! += Math.max(1, now - position) ** -DECAY;
    }
    return scores;
  }

  #lastPosition(): number {
    return this.#docs.at(-1)?.position ?? 0;
  }
}

const NOWHERE: Posting = { docs: [], weights: [] };

/** What a rank is worth; no rank is worth nothing. */
const fused = (rank: number): number => (rank === 0 ? 0 : 1 / (FUSE + rank));

/** How many of these ascending numbers lie below a limit. */
function below(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
