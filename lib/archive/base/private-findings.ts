// What of a text should not be handed on without a thought. A finding is a value: wherever it stands it has one id, one decision
// and one mask, so that a reader sees what is the same.
import { hash } from "node:crypto";
import { LIMITS } from "#lib/kernel/limits.ts";
import { PRIVATE_KINDS, privateSpans, usersIn, type PrivateKind, type PrivateSpan } from "#lib/kernel/private-spans.ts";
import type { PrivateFinding } from "#lib/wire/redaction-schema.ts";

/** Sees each text that an export writes, and gives what is written in its place. `name`: of the field whose value it is. */
export type TextHook = (text: string, where: string, name?: string) => string;

export type FoundValue = { readonly kind: PrivateKind; readonly value: string };

const EXAMPLES = 3;
const AROUND = 40;
const VALUE_CHARS = 200;
/** Values that one scan tells apart; of those beyond, the number is known alone. */
const MOST_VALUES = 20_000;

/** Names and addresses are the same in any case. */
export const findingId = (kind: PrivateKind, value: string): string =>
  hash("sha256", `${kind}\n${kind === "secret" ? value : value.toLowerCase()}`, "hex").slice(0, 12);

/** Shorter beginnings may be those of any secret. */
const LEAST_CUT = 6;

/** The longest of some secrets that begins with a value and goes on; null where none does. */
export function wholeSecret(value: string, secrets: readonly string[]): string | null {
  if (value.length < LEAST_CUT) return null;
  return secrets.reduce<string | null>(
    (most, one) => (one.length > (most ?? value).length && one.startsWith(value) ? one : most),
    null,
  );
}

/** Texts of few characters come again and again, as the keys of JSON do: each is looked through once. */
const SHORT_CHARS = 48;
const MOST_SHORT = 20_000;

/** Finds private values in texts. Users that home paths name are found as words too, once they are known. */
export class PrivateFinder {
  readonly users: Set<string>;
  readonly #plain = new Set<string>();

  constructor(users: Iterable<string> = []) {
    this.users = new Set(users);
  }

  addUsers(text: string): void {
    if (text.length < SHORT_CHARS && !text.includes("/") && !text.includes("\\")) return;
    const before = this.users.size;
    for (const user of usersIn([text])) this.users.add(user);
    if (this.users.size > before) this.#plain.clear();
  }

  find(text: string, name = ""): PrivateSpan[] {
    const isShort = text.length <= SHORT_CHARS && name === "";
    if (isShort && this.#plain.has(text)) return [];
    const spans = STYLES.test(text) ? this.#unstyled(text, name) : privateSpans(text, this.users, name);
    if (isShort && spans.length === 0 && this.#plain.size < MOST_SHORT) this.#plain.add(text);
    return spans;
  }

  /** What is found without the colours, at its positions with them. */
  #unstyled(text: string, name: string): PrivateSpan[] {
    const starts: number[] = [];
    const lengths: number[] = [];
    let plain = "";
    for (const part of text.split(new RegExp(`(${STYLES.source})`))) {
      if (STYLES.test(part)) {
        starts.push(plain.length);
        lengths.push(part.length);
      } else plain += part;
    }
    const before = (at: number, isEnd: boolean): number => {
      let sum = 0;
      for (let i = 0; i < starts.length && (isEnd ? starts[i]! < at : starts[i]! <= at); i++) sum += lengths[i]!;
      return at + sum;
    };
    return privateSpans(plain, this.users, name).map((span) => ({
      ...span,
      start: before(span.start, false),
      end: before(span.end, true),
    }));
  }
}

/** Colours and cleared line ends of a terminal: they part words that are looked for whole. */
// oxlint-disable-next-line no-control-regex
const STYLES = /(?:\u001b\[|\u009b)[0-9;:]*[mK]/;

/** Goes through the texts of an export once and collects what it finds. */
export class FindingsScan {
  readonly #finder: PrivateFinder;
  readonly #found = new Map<string, PrivateFinding>();
  readonly #values = new Map<string, FoundValue>();
  #more = 0;

  constructor(finder: PrivateFinder) {
    this.#finder = finder;
  }

  readonly hook: TextHook = (text, where, name) => {
    for (const span of this.#finder.find(text, name)) this.#note(text, where, span);
    return text;
  };

  #note(text: string, where: string, { start, end, kind, secret }: PrivateSpan): void {
    const value = text.slice(start, end);
    const id = findingId(kind, value);
    const known = this.#found.get(id);
    if (known === undefined && this.#found.size >= MOST_VALUES) {
      this.#more++;
      return;
    }
    if (known === undefined) this.#values.set(id, { kind, value });
    const before = text.slice(Math.max(0, start - AROUND), start).toWellFormed();
    const example = { where, before, after: text.slice(end, end + AROUND).toWellFormed() };
    this.#found.set(id, {
      id,
      kind,
      rule: secret ?? null,
      value: value.slice(0, VALUE_CHARS).toWellFormed(),
      valueCut: value.length > VALUE_CHARS,
      times: (known?.times ?? 0) + 1,
      places: (known?.places.length ?? 0) < EXAMPLES ? [...(known?.places ?? []), example] : known!.places,
    });
  }

  /** Every value in the order in which it was met; a secret that is cut off stands for its whole. */
  get values(): readonly FoundValue[] {
    this.#joinCut();
    return [...this.#values.values()];
  }

  /** The beginning of a secret is the same finding as the whole of it, where that was found too. */
  #joinCut(): void {
    const secrets = [...this.#values.values()].flatMap(({ kind, value }) => (kind === "secret" ? [value] : []));
    for (const value of secrets) {
      const whole = wholeSecret(value, secrets);
      if (whole === null) continue;
      const cut = this.#found.get(findingId("secret", value))!;
      const id = findingId("secret", whole);
      const found = this.#found.get(id)!;
      const places = [...found.places, ...cut.places].slice(0, EXAMPLES);
      this.#found.set(id, { ...found, times: found.times + cut.times, places });
      this.#found.delete(cut.id);
      this.#values.delete(cut.id);
    }
  }

  /** What is listed for a person: secrets first, then by how often each stands there; and how many more there are. */
  list(): { findings: PrivateFinding[]; leftOut: number; kinds: Record<PrivateKind, number> } {
    this.#joinCut();
    const kinds: Record<PrivateKind, number> = { secret: 0, user: 0, email: 0, address: 0 };
    for (const { kind } of this.#found.values()) kinds[kind]++;
    const sorted = [...this.#found.values()].toSorted(
      (a, b) => PRIVATE_KINDS.indexOf(a.kind) - PRIVATE_KINDS.indexOf(b.kind) || b.times - a.times,
    );
    return {
      findings: sorted.slice(0, LIMITS.reportFindings),
      leftOut: Math.max(0, sorted.length - LIMITS.reportFindings) + this.#more,
      kinds,
    };
  }
}
