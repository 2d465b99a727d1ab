// Masks what was decided, in each text of an export, and remembers what it masked: kind, count and positions, never the value.
import { cutRuns } from "#lib/kernel/artifacts/cut-secrets.ts";
import { SecretRegistry } from "#lib/kernel/artifacts/secret-registry.ts";
import { PRIVATE_KINDS, type PrivateKind, type PrivateSpan } from "#lib/kernel/private-spans.ts";
import { masksKind, type MaskChoice } from "#lib/wire/redaction-schema.ts";
import { findingId, wholeSecret, type FoundValue, type PrivateFinder, type TextHook } from "./private-findings.ts";
import { exactly } from "#lib/kernel/exactly.ts";

export type Decision = {
  readonly mask: MaskChoice;
  readonly accept: readonly string[];
  readonly hide: readonly string[];
};

export type MaskedValue = {
  /** What stands in its place: `[secret 1]`. */
  readonly mask: string;
  readonly kind: PrivateKind;
  readonly times: number;
  /** The first of its positions. */
  readonly positions: readonly string[];
};

export type MaskManifest = {
  readonly sentence: string;
  /** How many values of each kind were masked. */
  readonly kinds: Readonly<Record<PrivateKind, number>>;
  /** In how many positions. */
  readonly places: number;
  readonly values: readonly MaskedValue[];
};

const MOST_POSITIONS = 20;
const LEAST_CUT = 8;

export class Masker {
  readonly #finder: PrivateFinder;
  readonly #decides: (kind: PrivateKind, id: string) => boolean;
  /** Secrets that are masked somewhere are masked everywhere, whatever stands around them. */
  readonly #secrets: SecretRegistry;
  /** All that were found: what is cut off is decided as its whole is. */
  readonly #found: readonly string[];
  readonly #masks = new Map<string, string>();
  readonly #kinds: Record<PrivateKind, number> = { secret: 0, user: 0, email: 0, address: 0 };
  #noted = new Map<string, { kind: PrivateKind; times: number; positions: Set<string> }>();
  /** Nothing that was found is masked: an export is what it would be without one. */
  readonly isIdle: boolean;

  constructor(decision: Decision, finder: PrivateFinder, values: readonly FoundValue[]) {
    this.#finder = finder;
    this.#decides = deciderOf(decision);
    const masked = values.filter(({ kind, value }) => this.#decides(kind, findingId(kind, value)));
    const secrets = masked.flatMap(({ kind, value }) => (kind === "secret" ? [value] : []));
    this.#secrets = new SecretRegistry(secrets.length + 1);
    for (const secret of secrets) this.#secrets.add(secret);
    this.#found = values.flatMap(({ kind, value }) => (kind === "secret" ? [value] : []));
    this.isIdle = masked.length === 0;
  }

  readonly hook: TextHook = (text, where, name) => {
    const spans = joined([
      ...this.#finder
        .find(text, name)
        .filter(({ kind, start, end }) => this.#decides(kind, this.#idOf(kind, text.slice(start, end)))),
      ...this.#secrets.find(text).map((span): PrivateSpan => ({ ...span, kind: "secret" })),
      ...this.#cutSecrets(text),
    ]);
    if (spans.length === 0) return text;
    let at = 0;
    let result = "";
    for (const span of spans) {
      result += text.slice(at, span.start) + this.#maskOf(text.slice(span.start, span.end), span.kind, where);
      at = span.end;
    }
    return result + text.slice(at);
  };

  /** Beginnings of secrets that are masked, at a cut: those of no known form too. */
  #cutSecrets(text: string): PrivateSpan[] {
    if (this.#secrets.size === 0) return [];
    const spans: PrivateSpan[] = [];
    for (const { start, run } of cutRuns(text))
      for (let at = 0; at + LEAST_CUT <= run.length; at++) {
        const whole = wholeSecret(run.slice(at), this.#found);
        if (whole === null) continue;
        if (this.#decides("secret", findingId("secret", whole)))
          spans.push({ start: start + at, end: start + run.length, kind: "secret" });
        break;
      }
    return spans;
  }

  #idOf(kind: PrivateKind, value: string): string {
    return findingId(kind, kind === "secret" ? (wholeSecret(value, this.#found) ?? value) : value);
  }

  #maskOf(value: string, kind: PrivateKind, where: string): string {
    const id = this.#idOf(kind, value);
    let mask = this.#masks.get(id);
    if (mask === undefined) this.#masks.set(id, (mask = `[${MASK_NAMES[kind]} ${++this.#kinds[kind]}]`));
    const noted = this.#noted.get(mask) ?? { kind, times: 0, positions: new Set<string>() };
    noted.times++;
    if (noted.positions.size < MOST_POSITIONS) noted.positions.add(where);
    this.#noted.set(mask, noted);
    return mask;
  }

  /** Forgets what was counted, and not the masks: the texts are gone through again. */
  restart(): void {
    this.#noted = new Map();
  }

  manifest(): MaskManifest {
    const values = [...this.#noted].map(([mask, { kind, times, positions }]) => ({
      mask,
      kind,
      times,
      positions: [...positions],
    }));
    const kinds = { secret: 0, user: 0, email: 0, address: 0 };
    for (const { kind } of values) kinds[kind]++;
    const places = values.reduce((sum, { times }) => sum + times, 0);
    return { sentence: maskedWords(kinds, places), kinds, places, values };
  }
}

const MASK_NAMES: Readonly<Record<PrivateKind, string>> = {
  secret: "secret",
  user: "user",
  email: "e-mail",
  address: "address",
};

function deciderOf({ mask, accept, hide }: Decision): (kind: PrivateKind, id: string) => boolean {
  const accepted = new Set(accept);
  const hidden = new Set(hide);
  return (kind, id) => hidden.has(id) || (!accepted.has(id) && masksKind(mask, kind));
}

/** Where masked spans meet, one that covers them; it has the kind that comes first in the list. */
function joined(spans: readonly PrivateSpan[]): PrivateSpan[] {
  const result: PrivateSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else {
      const first = PRIVATE_KINDS.indexOf(span.kind) < PRIVATE_KINDS.indexOf(last.kind) ? span : last;
      result[result.length - 1] = { ...first, start: last.start, end: Math.max(last.end, span.end) };
    }
  }
  return result;
}

/** `Masked: 3 secrets and 1 user name, in 7 places.` */
function maskedWords(kinds: Readonly<Record<PrivateKind, number>>, places: number): string {
  const parts = PRIVATE_KINDS.filter((kind) => kinds[kind] > 0).map((kind) => {
    const [one, more] = WORDS[kind];
    return `${exactly(kinds[kind])} ${kinds[kind] === 1 ? one : more}`;
  });
  if (parts.length === 0) return NOTHING_MASKED;
  const last = parts.pop()!;
  const all = parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
  return `Masked: ${all}, in ${exactly(places)} ${places === 1 ? "place" : "places"}.`;
}

export const NOTHING_MASKED = "Nothing was masked.";

const WORDS: Readonly<Record<PrivateKind, readonly [one: string, more: string]>> = {
  secret: ["secret", "secrets"],
  user: ["user name", "user names"],
  email: ["e-mail address", "e-mail addresses"],
  address: ["address", "addresses"],
};
