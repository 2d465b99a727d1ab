// Sizes and ages as a person types them.

const UNITS: Readonly<Record<string, number>> = { "": 1, b: 1, kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** `2 GB`, `500 mb`, `1,500,000`; empty is no limit; anything else is not understood. */
export function bytesOf(text: string): number | null | "unknown" {
  const trimmed = text.trim().toLowerCase().replaceAll(",", "");
  if (trimmed === "" || trimmed === "none") return null;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([kmgt]?b?)$/u.exec(trimmed) ?? [];
  const per = UNITS[unit ?? "?"] ?? UNITS[`${unit}b`];
  if (digits === undefined || per === undefined) return "unknown";
  const bytes = Math.round(Number(digits) * per);
  return Number.isSafeInteger(bytes) && bytes <= 1e15 ? bytes : "unknown";
}

/** `90`; empty is no limit; anything else is not understood. */
export function daysOf(text: string): number | null | "unknown" {
  const trimmed = text.trim().replaceAll(",", "");
  if (trimmed === "") return null;
  const days = Number(trimmed);
  return Number.isInteger(days) && days >= 1 && days <= 36_500 ? days : "unknown";
}

/** The shortest text that means just so many. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return "";
  for (const [unit, per] of [
    ["TB", 1e12],
    ["GB", 1e9],
    ["MB", 1e6],
    ["kB", 1e3],
  ] as const)
    if (bytes >= per && (bytes * 1000) % per === 0) return `${bytes / per} ${unit}`;
  return `${bytes} B`;
}
