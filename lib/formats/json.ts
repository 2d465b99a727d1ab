// Careful looks into values of unknown shape: a format reads files that strangers wrote.
export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asObject = (value: unknown): Json => (isObject(value) ? value : {});
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string | null => (typeof value === "string" ? value : null);
/** Nothing that a transcript counts is larger: sums of a million of them are still exact in SQLite's 64 bits. */
export const LARGEST = 1e12;
/** A number that a transcript may mean, else null: 1e400 and 20 digits are no sizes of anything. */
export const asNumber = (value: unknown): number | null =>
  typeof value === "number" && Math.abs(value) <= LARGEST ? value : null;
/** The number that a text of digits is: some writers put counts of 64 bits down so. Any other value as it is. */
export const ofDigits = (value: unknown): unknown =>
  typeof value === "string" && /^\d{1,13}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value;
/** What something cost, as a number or as the text of a decimal; else null, also below zero. */
export function asCost(value: unknown): number | null {
  const isDecimal = typeof value === "string" && /^\d{1,13}(?:\.\d{1,20})?(?:e-?\d{1,2})?$/i.test(value);
  const cost = asNumber(isDecimal ? Number(value) : value);
  return cost === null || cost < 0 ? null : cost;
}
/** A whole number that is not negative, else null. */
export const asWhole = (value: unknown): number | null => {
  const number = asNumber(ofDigits(value));
  return number === null || number < 0 ? null : Math.round(number);
};
/** A whole number that is not negative, else 0: token counts come from files. */
export const asCount = (value: unknown): number => asWhole(value) ?? 0;

/** Milliseconds since 1970 of an ISO time, or of a number of seconds or milliseconds from 2001 to 5138, as text too; else null. */
export function asTime(given: unknown): number | null {
  const value = typeof given === "string" && /^\d{10}/.test(given) ? ofDigits(given) : given;
  if (typeof value === "number")
    return value > 1e9 && value < 1e14 ? Math.round(value < 1e11 ? value * 1000 : value) : null;
  if (typeof value !== "string") return null;
  const ms = Date.parse(value);
  return Number.isFinite(ms) ? ms : null;
}

/** What a table of ours has under a name that a file says: each object has a `constructor`, too. */
export const ownEntry = <T>(table: Readonly<Record<string, T>>, name: string | null): T | undefined =>
  name !== null && Object.hasOwn(table, name) ? table[name] : undefined;

/** The beginning of a text, with an ellipsis where it was longer. */
export const clip = (text: string, chars: number): string => (text.length <= chars ? text : `${text.slice(0, chars)}…`);
