// What stands in the context in place of an output, laid out for reading where it is JSON, as most styles are.

export type EnvelopeLine = { readonly indent: number; readonly key: string; readonly value: string };

const MAX_CHARS = 64 * 1024;

/** The lines of an envelope, a key a line, those of its shape too when `open`; null for a text that is none. */
export function envelopeLines(text: string, open: boolean): EnvelopeLine[] | null {
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
  if (typeof id !== "string" || !/^art[:_]/u.test(id)) return null;
  return Object.entries(fields).flatMap(([key, result]) => {
    const parts =
      open && typeof result === "object" && result !== null && !Array.isArray(result) ? Object.entries(result) : null;
    if (parts === null) return [{ indent: 0, key, value: JSON.stringify(result) }];
    return [
      { indent: 0, key, value: "" },
      ...parts.map(([name, part]) => ({ indent: 1, key: name, value: JSON.stringify(part) })),
    ];
  });
}

/** The shape that an envelope tells, in one line; null where it tells none. */
export function shapeIn(text: string): string | null {
  try {
    const { shape } = JSON.parse(text) as { shape?: unknown };
    if (typeof shape === "string") return shape;
    if (typeof shape !== "object" || shape === null) return null;
    return `{${Object.entries(shape)
      .map(([key, result]) => `${key}: ${String(result)}`)
      .join(", ")}}`;
  } catch {
    return null;
  }
}
