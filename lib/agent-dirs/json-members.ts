// Where the members of an object stand in JSON text, so that one value can be replaced and every other byte stays as it
// was written: a parse and a print would change spaces, escapes and large numbers. Only for text that JSON.parse took;
// no recursion, so that depth does not matter.

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
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1);
    const valueEnd = endOfValue(text, valueStart);
    byKey.set(key, { start: valueStart, end: valueEnd });
    at = skipSpace(text, valueEnd);
    if (text[at] === ",") at = skipSpace(text, at + 1);
  }
  return { byKey, span: { start, end: at + 1 } };
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

function endOfValue(text: string, from: number): number {
  if (text[from] === '"') return endOfString(text, from);
  if (text[from] !== "{" && text[from] !== "[") {
    let at = from;
    while (at < text.length && !/[\s,\]}]/.test(text[at]!)) at++;
    return at;
  }
  let depth = 0;
  for (let at = from; at < text.length;) {
    const char = text[at];
    if (char === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (char === "{" || char === "[") depth++;
    else if ((char === "}" || char === "]") && --depth === 0) return at + 1;
    at++;
  }
  return text.length;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /[ \t\n\r]/.test(text[at]!)) at++;
  return at;
}
