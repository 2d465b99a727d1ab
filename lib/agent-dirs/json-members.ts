// Where the members of an object stand in JSON text, so that one value can be replaced and every other byte stays as it
// was written: a parse and a print would change spaces, escapes and large numbers. Only for text that JSON.parse took.
import { eachMember, skipSpace, stringOf } from "#lib/kernel/json-values.ts";

/** From the first character of a value to behind its last. */
export type Span = { readonly start: number; readonly end: number };

export type Members = {
  /** Of a key that stands twice the last counts, as in JSON.parse. */
  readonly byKey: ReadonlyMap<string, Span>;
  /** Of the object, braces included. */
  readonly span: Span;
};

/** The members of the object that begins at or after `from`; null when another value begins there. */
export function membersAt(text: string, from: number): Members | null {
  const start = skipSpace(text, from);
  if (text[start] !== "{") return null;
  const byKey = new Map<string, Span>();
  const end = eachMember(text, start, (keyStart, keyEnd, valueStart, valueEnd) =>
    byKey.set(stringOf(text, keyStart, keyEnd), { start: valueStart, end: valueEnd }),
  );
  return { byKey, span: { start, end } };
}

/** The text with each span replaced. Spans do not overlap; an empty one inserts. */
export function replaceSpans(text: string, edits: readonly (Span & { readonly text: string })[]): string {
  let result = "";
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
