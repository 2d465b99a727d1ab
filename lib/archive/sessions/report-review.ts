// What of a report should not be handed on without a thought: found, listed with its positions, and masked as it was decided. A
// finding is a value: wherever it stands it has one decision, and one mask, so that a reader sees what is the same.
import { hash } from "node:crypto";
import { LIMITS } from "#lib/kernel/limits.ts";
import { PRIVATE_KINDS, privateSpans, usersIn, type PrivateKind, type PrivateSpan } from "#lib/kernel/private-spans.ts";
import { masksKind } from "#lib/wire/report-mask.ts";
import type { ReportFinding, ReportRequest } from "#lib/wire/report-schema.ts";
import { mapTexts, type ReportParts } from "./report-parts.ts";

export type Decision = Pick<ReportRequest, "mask" | "accept" | "hide">;

/** How many values were masked, in how many positions. */
export type Masked = { readonly kinds: Readonly<Record<PrivateKind, number>>; readonly count: number };

type Finder = (text: string) => PrivateSpan[];

const EXAMPLES = 3;
const AROUND = 40;
const VALUE_CHARS = 200;

/** Every finding, secrets first, then by how often it stands there. */
export function findingsOf(parts: ReportParts): ReportFinding[] {
  const find = finderOf(parts);
  const found = new Map<string, ReportFinding>();
  mapTexts(parts, (text, where) => {
    for (const span of find(text)) note(found, text, where, span);
    return text;
  });
  return [...found.values()].toSorted(
    (a, b) => PRIVATE_KINDS.indexOf(a.kind) - PRIVATE_KINDS.indexOf(b.kind) || b.times - a.times,
  );
}

function note(found: Map<string, ReportFinding>, text: string, where: string, span: PrivateSpan): void {
  const { start, end, kind } = span;
  const value = text.slice(start, end);
  const id = findingId(kind, value);
  const before = text.slice(Math.max(0, start - AROUND), start).toWellFormed();
  const example = { where, before, after: text.slice(end, end + AROUND).toWellFormed() };
  const known = found.get(id);
  found.set(id, {
    id,
    kind,
    rule: span.secret ?? null,
    value: value.slice(0, VALUE_CHARS).toWellFormed(),
    valueCut: value.length > VALUE_CHARS,
    times: (known?.times ?? 0) + 1,
    places: (known?.places.length ?? 0) < EXAMPLES ? [...(known?.places ?? []), example] : known!.places,
  });
}

/** What is listed for a person: the first of them. */
export const listed = (findings: readonly ReportFinding[]): { findings: ReportFinding[]; leftOut: number } => ({
  findings: findings.slice(0, LIMITS.reportFindings),
  leftOut: Math.max(0, findings.length - LIMITS.reportFindings),
});

/** The parts as they may be handed on, and what was masked in them. Ids that fit nothing are passed over. */
export function maskParts(parts: ReportParts, decision: Decision): { parts: ReportParts; masked: Masked } {
  const find = finderOf(parts);
  const isMasked = maskedBy(decision);
  const numbers = new Map<string, string>();
  const kinds: Record<PrivateKind, number> = { secret: 0, user: 0, email: 0, address: 0 };
  let count = 0;
  const maskOf = (text: string, { kind, start, end }: PrivateSpan): string => {
    const id = findingId(kind, text.slice(start, end));
    if (!numbers.has(id)) numbers.set(id, `[${MASK_NAMES[kind]} ${++kinds[kind]}]`);
    count++;
    return numbers.get(id)!;
  };
  const masked = mapTexts(parts, (text) => {
    const spans = joined(find(text).filter(({ kind, start, end }) => isMasked(kind, text.slice(start, end))));
    let at = 0;
    let result = "";
    for (const span of spans) {
      result += text.slice(at, span.start) + maskOf(text, span);
      at = span.end;
    }
    return result + text.slice(at);
  });
  return { parts: masked, masked: { kinds, count } };
}

const MASK_NAMES: Readonly<Record<PrivateKind, string>> = {
  secret: "secret",
  user: "user",
  email: "e-mail",
  address: "address",
};

/** Users that paths of the report name, or that of the session: its folder and its file are not in the report. */
function finderOf(parts: ReportParts): Finder {
  const texts: string[] = [parts.session.cwd ?? "", parts.session.source?.path ?? ""];
  mapTexts(parts, (text) => {
    texts.push(text);
    return text;
  });
  const users = usersIn(texts);
  return (text) => privateSpans(text, users);
}

function maskedBy({ mask, accept, hide }: Decision): (kind: PrivateKind, value: string) => boolean {
  const accepted = new Set(accept);
  const hidden = new Set(hide);
  return (kind, value) => {
    const id = findingId(kind, value);
    if (hidden.has(id)) return true;
    return !accepted.has(id) && masksKind(mask, kind);
  };
}

/** Names and addresses are the same in any case. */
const findingId = (kind: PrivateKind, value: string): string =>
  hash("sha256", `${kind}\n${kind === "secret" ? value : value.toLowerCase()}`, "hex").slice(0, 12);

/** Where masked spans meet, one that covers them; it has the kind that comes first in the list. */
function joined(spans: readonly PrivateSpan[]): PrivateSpan[] {
  const result: PrivateSpan[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else {
      const first = PRIVATE_KINDS.indexOf(span.kind) < PRIVATE_KINDS.indexOf(last.kind) ? span : last;
      result[result.length - 1] = { ...first, start: last.start, end: Math.max(last.end, span.end) };
    }
  }
  return result;
}

/** `3 secrets and 1 user name masked, in 7 places.` */
export function maskedWords({ kinds, count }: Masked): string {
  const parts = PRIVATE_KINDS.filter((kind) => kinds[kind] > 0).map((kind) => {
    const [one, more] = WORDS[kind];
    return `${kinds[kind]} ${kinds[kind] === 1 ? one : more}`;
  });
  if (parts.length === 0) return "Nothing was masked.";
  const last = parts.pop()!;
  const all = parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
  return `Masked: ${all}, in ${count} ${count === 1 ? "place" : "places"}.`;
}

const WORDS: Readonly<Record<PrivateKind, readonly [one: string, more: string]>> = {
  secret: ["secret", "secrets"],
  user: ["user name", "user names"],
  email: ["e-mail address", "e-mail addresses"],
  address: ["address", "addresses"],
};
