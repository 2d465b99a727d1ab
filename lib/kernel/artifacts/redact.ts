// Secrets are masked where a text is shown, listed, recalled, exported or logged; the stored bytes stay as they are.
// Every mask comes with its span and kind, so that nobody, and no model, takes a mask for what was there.
import { BASE64_RUN, COOKIE_HEADER, COOKIE_VALUE, SECRET_RULES } from "./secret-patterns.ts";
import type { SecretKind } from "./secret-patterns.ts";
import type { SecretRegistry } from "./secret-registry.ts";

export type RedactedSpan = {
  /** Where the mask stands in the redacted text (UTF-16 units, as slice counts). */
  readonly start: number;
  readonly end: number;
  readonly kind: SecretKind;
  /** How long the masked text was (UTF-16 units). */
  readonly length: number;
};

export type Redacted = { readonly text: string; readonly spans: readonly RedactedSpan[] };

export type SecretSpan = { readonly start: number; readonly end: number; readonly kind: SecretKind };

/** Short secrets vanish; long ones keep their last four characters, so that a person knows which one it was. */
export function maskOf(secret: string): string {
  const chars = [...secret];
  return chars.length < 18 ? "***" : `***…${chars.slice(-4).join("")}`;
}

/** A text in small letters has one of these. Ten patterns took 28 µs of each small put; these words take a tenth. */
const hasAny = (small: string, words: readonly string[] | undefined): boolean =>
  words === undefined || words.some((word) => small.includes(word));

export function redactText(text: string, options: { readonly registry?: SecretRegistry } = {}): Redacted {
  const found = secretSpans(text, options.registry);
  const parts: string[] = [];
  const spans: RedactedSpan[] = [];
  let from = 0;
  let length = 0;
  for (const { start, end, kind } of found) {
    const before = text.slice(from, start);
    const mask = kind === "private_key" ? "…" : maskOf(text.slice(start, end));
    spans.push({ start: length + before.length, end: length + before.length + mask.length, kind, length: end - start });
    parts.push(before, mask);
    length += before.length + mask.length;
    from = end;
  }
  return spans.length === 0 ? { text, spans } : { text: parts.join("") + text.slice(from), spans };
}

/** Where secrets stand in a text, from left to right, none over another (UTF-16 units). */
export const secretSpans = (text: string, registry?: SecretRegistry): SecretSpan[] =>
  withoutOverlaps([...findSecrets(text, registry), ...wrappedSecrets(text, registry)]);

function findSecrets(text: string, registry: SecretRegistry | undefined): SecretSpan[] {
  const small = text.toLowerCase();
  return [
    ...(registry?.find(text) ?? []).map((span): SecretSpan => ({ ...span, kind: "exact_value" })),
    ...SECRET_RULES.flatMap((rule) => {
      if (!hasAny(small, rule.needs)) return [];
      const spans: SecretSpan[] = [];
      for (const match of text.matchAll(rule.pattern)) {
        const [start, end] = match.indices![1]!;
        if (rule.accepts?.(match[1]!) ?? true) spans.push({ start, end, kind: rule.kind });
      }
      return spans;
    }),
    ...(small.includes("cookie") ? cookiesOf(text) : []),
  ];
}

/** Longer runs are files, not somebody's credentials; so much of a run is read (characters). */
const WRAPPED_CHARS = 64 * 1024;

/** Base64 of a text that holds a secret: all of the run is masked. */
function wrappedSecrets(text: string, registry: SecretRegistry | undefined): SecretSpan[] {
  const found: SecretSpan[] = [];
  for (const run of text.matchAll(BASE64_RUN)) {
    const inner = textOf(run[0].slice(0, WRAPPED_CHARS));
    if (inner === null) continue;
    const [secret] = findSecrets(inner, registry);
    if (secret !== undefined) found.push({ start: run.index, end: run.index + run[0].length, kind: secret.kind });
  }
  return found;
}

/** What base64 says when it is text; null for other bytes, which most words and digests are. */
function textOf(base64: string): string | null {
  const joined = base64
    .replaceAll(/\\n|[\r\n=]/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const whole = joined.slice(0, joined.length - (joined.length % 4 === 1 ? 1 : 0));
  // A few characters tell nearly always.
  if (CONTROL.test(atob(whole.slice(0, 16)))) return null;
  const text = atob(whole);
  return CONTROL.test(text) ? null : text;
}

/** Control characters but for tabs and line ends. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

function cookiesOf(text: string): SecretSpan[] {
  const found: SecretSpan[] = [];
  for (const header of text.matchAll(COOKIE_HEADER)) {
    const [offset] = header.indices![1]!;
    for (const value of header[1]!.matchAll(COOKIE_VALUE)) {
      const [start, end] = value.indices![1]!;
      // Dates, paths and ages of a Set-Cookie are no secrets.
      if (!/(?:expires|path|domain|max-age|samesite)$/i.test(header[1]!.slice(Math.max(0, start - 12), start - 1)))
        found.push({ start: offset + start, end: offset + end, kind: "cookie" });
    }
  }
  return found;
}

/** From left to right; where two meet, one span that covers both and has the kind of the one that begins first. */
function withoutOverlaps(found: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}
