// Looks into values of unknown shape that only Codex files need; the common ones are in ../json.ts.
import { asObject, LARGEST, ofDigits } from "../json.ts";

/** A name or an id: text that is not empty, and short enough to be remembered. */
export const asName = (value: unknown): string | null =>
  typeof value === "string" && value.length > 0 && value.length <= 200 ? value : null;

/** A whole number from 0, else null: where it is not known. */
export const asWhole = (value: unknown): number | null => {
  const number = ofDigits(value);
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 && number <= LARGEST ? number : null;
};

export const asInteger = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : null;

/** Milliseconds of a duration: Rust's `{secs, nanos}`, or a number of seconds. */
export function asDurationMs(value: unknown): number | null {
  if (typeof value === "number") return value >= 0 && value <= LARGEST ? Math.round(value * 1000) : null;
  const { secs, nanos } = asObject(value);
  const seconds = asWhole(secs);
  return seconds === null ? null : Math.round(seconds * 1000 + (asWhole(nanos) ?? 0) / 1e6);
}

/** A short mark of a text: its length and FNV-1a, enough to tell texts of one turn apart. */
export function markOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return `${text.length.toString(36)}-${(hash >>> 0).toString(36)}`;
}
