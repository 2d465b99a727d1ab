/** A time of the database (milliseconds) as ISO 8601; null for none, or for one that no calendar has. */
export const iso = (ms: number | null): string | null =>
  ms === null || !Number.isFinite(ms) || Math.abs(ms) > 8.64e15 ? null : new Date(ms).toISOString();
