// Reading untrusted JSON: each question answers null (or an empty thing) where the value is not what was hoped for.

export type Json = { readonly [key: string]: unknown };

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asObject = (value: unknown): Json => (isObject(value) ? value : {});

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asText = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** A name or an id: text that is not empty, and short enough to be remembered. */
export const asName = (value: unknown): string | null =>
  typeof value === "string" && value.length > 0 && value.length <= 200 ? value : null;

/** A count: a whole number from 0. */
export const asCount = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;

export const asInteger = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : null;

/** Milliseconds since 1970 of an ISO text or of a number that is already that. */
export function asTime(value: unknown): number | null {
  if (typeof value !== "string" || value.length > 40) return null;
  const ms = Date.parse(value);
  return Number.isFinite(ms) ? ms : null;
}

/** Milliseconds of a duration: Rust's `{secs, nanos}`, or a number of seconds. */
export function asDurationMs(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? Math.round(value * 1000) : null;
  const { secs, nanos } = asObject(value);
  const seconds = asCount(secs);
  return seconds === null ? null : Math.round(seconds * 1000 + (asCount(nanos) ?? 0) / 1e6);
}

/** A short mark of a text: its length and FNV-1a, enough to tell texts of one turn apart. */
export function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${text.length.toString(36)}-${(hash >>> 0).toString(36)}`;
}
