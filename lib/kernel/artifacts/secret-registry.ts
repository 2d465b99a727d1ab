// Secrets that are known by their value: wherever one stands, in plain, percent-encoded or escaped as in a JSON string,
// it is found in one pass over the text, however many are known.

/** Shorter values would be found everywhere. */
const LEAST_CHARS = 6;
const MOST_VALUES = 512;
const BASE = 31;
/** BASE to the power of the first unit that leaves the window. */
const TOP = BASE ** (LEAST_CHARS - 1);
const BITS = 1 << 16;

export class SecretRegistry {
  /** Value → its forms. The one used last stands last. */
  readonly #values = new Map<string, readonly string[]>();
  #byStart = new Map<number, FormList>();
  #mayStart = new Uint8Array(BITS);
  #isStale = false;
  readonly #most: number;

  constructor(most = MOST_VALUES) {
    this.#most = most;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Remembers a value; one of fewer than 6 characters is not. When there are more than `most` (512) the one not met for longest goes. */
  add(value: string): boolean {
    if (value.length < LEAST_CHARS) return false;
    this.#values.delete(value);
    this.#values.set(value, formsOf(value));
    if (this.#values.size > this.#most) this.#values.delete(this.#values.keys().next().value!);
    this.#isStale = true;
    return true;
  }

  /** Where a known value stands, from left to right, the longest at each position, none inside another. */
  find(text: string): { readonly start: number; readonly end: number }[] {
    const found: { start: number; end: number }[] = [];
    if (this.#values.size === 0 || text.length < LEAST_CHARS) return found;
    if (this.#isStale) this.#index();
    let hash = 0;
    for (let i = 0; i < text.length; i++) {
      if (i >= LEAST_CHARS) hash = (hash - Math.imul(text.charCodeAt(i - LEAST_CHARS), TOP)) | 0;
      hash = (Math.imul(hash, BASE) + text.charCodeAt(i)) | 0;
      const start = i - LEAST_CHARS + 1;
      if (start < (found.at(-1)?.end ?? 0) || this.#mayStart[hash & (BITS - 1)] === 0) continue;
      const hit = this.#byStart.get(hash)?.longestAt(text, start) ?? null;
      if (hit === null) continue;
      found.push({ start, end: start + hit.form.length });
      this.#touch(hit.value);
    }
    return found;
  }

  #touch(value: string): void {
    const forms = this.#values.get(value)!;
    this.#values.delete(value);
    this.#values.set(value, forms);
  }

  #index(): void {
    const lists = new Map<number, Form[]>();
    this.#mayStart = new Uint8Array(BITS);
    for (const [value, forms] of this.#values)
      for (const form of forms) {
        const hash = hashOf(form);
        this.#mayStart[hash & (BITS - 1)] = 1;
        const list = lists.get(hash);
        if (list === undefined) lists.set(hash, [{ form, value }]);
        else list.push({ form, value });
      }
    this.#byStart = new Map([...lists].map(([hash, forms]) => [hash, new FormList(forms)]));
    this.#isStale = false;
  }
}

type Form = { readonly form: string; readonly value: string };

/** Forms that begin alike, as the keys of one vendor do: found by halving, not one by one. */
class FormList {
  readonly #sorted: readonly Form[];
  /** For each form the longest other one that it begins with, or −1. */
  readonly #shorter: readonly number[];
  readonly #longest: number;

  constructor(forms: readonly Form[]) {
    this.#sorted = forms.toSorted((a, b) => (a.form < b.form ? -1 : a.form > b.form ? 1 : 0));
    const shorter: number[] = [];
    for (const [i, { form }] of this.#sorted.entries()) {
      let at = i - 1;
      while (at >= 0 && !form.startsWith(this.#sorted[at]!.form)) at = shorter[at]!;
      shorter.push(at);
    }
    this.#shorter = shorter;
    this.#longest = Math.max(...forms.map(({ form }) => form.length));
  }

  /** What begins the text at a position lies at or before it in order; so does every form that this one begins with. */
  longestAt(text: string, start: number): Form | null {
    const here = text.slice(start, start + this.#longest);
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#sorted[middle]!.form <= here) low = middle + 1;
      else high = middle;
    }
    let at = low - 1;
    while (at >= 0 && !here.startsWith(this.#sorted[at]!.form)) at = this.#shorter[at]!;
    return this.#sorted[at] ?? null;
  }
}

function hashOf(form: string): number {
  let hash = 0;
  for (let i = 0; i < LEAST_CHARS; i++) hash = (Math.imul(hash, BASE) + form.charCodeAt(i)) | 0;
  return hash;
}

function formsOf(value: string): readonly string[] {
  const percent = encodeURIComponent(value.toWellFormed());
  return [...new Set([value, percent, percent.replaceAll("%20", "+"), JSON.stringify(value).slice(1, -1)])];
}
