// Two JSON values beside each other: equal whatever the order of their keys, or the first position where they are not.

/** JSON with its keys in order, so that equal values are equal texts. */
export function canonicalJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? "undefined"
  );
}

export type Difference = { readonly path: string; readonly sent: string; readonly shown: string };

const SHOWN_CHARS = 120;

/** Where the second value first differs from the first, in the order of the first's keys; null when they are equal. */
export function firstDifference(sent: unknown, shown: unknown, path = ""): Difference | null {
  if (Object.is(sent, shown)) return null;
  if (!isObject(sent) || !isObject(shown) || Array.isArray(sent) !== Array.isArray(shown)) {
    if (canonicalJson(sent) === canonicalJson(shown)) return null;
    return differenceOf(sent, shown, path);
  }
  for (const key of new Set([...Object.keys(sent), ...Object.keys(shown)])) {
    const at = Array.isArray(sent) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    const inner = firstDifference(sent[key], shown[key], at);
    if (inner !== null) return inner;
  }
  return null;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Of two long texts the position where they part is shown. */
function differenceOf(sent: unknown, shown: unknown, path: string): Difference {
  if (typeof sent !== "string" || typeof shown !== "string")
    return { path, sent: cut(textOf(sent), 0), shown: cut(textOf(shown), 0) };
  let at = 0;
  while (at < sent.length && sent[at] === shown[at]) at++;
  const from = Math.max(0, at - 20);
  const piece = (text: string): string => JSON.stringify(cut(text, from));
  return { path: at === 0 ? path : `${path} at character ${at}`, sent: piece(sent), shown: piece(shown) };
}

const textOf = (value: unknown): string => (value === undefined ? "nothing" : canonicalJson(value));

function cut(text: string, from: number): string {
  const piece = text.slice(from, from + SHOWN_CHARS);
  return `${from > 0 ? "…" : ""}${piece}${from + SHOWN_CHARS < text.length ? `… (${text.length} characters)` : ""}`;
}
