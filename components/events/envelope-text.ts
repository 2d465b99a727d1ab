// What stands in the context in place of an output, laid out for reading. Every style of envelope is JSON, but for one.

export type EnvelopeLine = { readonly indent: number; readonly key: string | null; readonly value: string };

const MAX_CHARS = 64 * 1024;

/** The lines of an envelope, a key a line; null for a text that is none. Values are as they stand. */
export function envelopeLines(text: string): EnvelopeLine[] | null {
  if (!text.startsWith("{") || text.length > MAX_CHARS) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const fields = value as Record<string, unknown>;
  const id = fields["artifact_id"] ?? fields["pointer"] ?? fields["artifact_reference"];
  return typeof id === "string" && /^art[:_]/u.test(id) ? linesOf(fields, 0) : null;
}

function linesOf(fields: Record<string, unknown>, indent: number): EnvelopeLine[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value) && indent < 2
      ? [{ indent, key, value: "" }, ...linesOf(value as Record<string, unknown>, indent + 1)]
      : [{ indent, key, value: JSON.stringify(value) }],
  );
}

/** The shape that an envelope tells, in one line; null where it tells none. */
export function shapeIn(text: string): string | null {
  try {
    const { shape } = JSON.parse(text) as { shape?: unknown };
    if (typeof shape === "string") return shape;
    if (typeof shape !== "object" || shape === null) return null;
    return `{${Object.entries(shape)
      .map(([key, told]) => `${key}: ${String(told)}`)
      .join(", ")}}`;
  } catch {
    return null;
  }
}
