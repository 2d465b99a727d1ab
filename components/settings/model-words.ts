// The windows and prices of models as a person types and reads them.
import { modelOverrides, OVERRIDE_FIELDS, type ModelOverride, type OverrideField } from "#lib/kernel/load/overrides.ts";
import type { ModelLines, ModelRow } from "#lib/wire/settings-schema.ts";
import { formatCount, formatTokens } from "../ui/format.ts";

/** What stands in the fields of the form. */
export type Typed = Readonly<Record<"match" | "project" | OverrideField, string>>;

export const EMPTY: Typed = {
  match: "",
  project: "",
  window: "",
  uncached: "",
  read: "",
  write: "",
  write1h: "",
  output: "",
};

export const FIELD_WORDS: Readonly<Record<OverrideField, { readonly label: string; readonly about: string }>> = {
  window: {
    label: "Window",
    about: "Load line of these sessions, before observed and reported ones. 200k works too.",
  },
  uncached: { label: "Input", about: "Input that was not in the cache." },
  read: { label: "Cache read", about: "Input read from the cache." },
  write: { label: "Write, 5 min", about: "Written to the cache for five minutes." },
  write1h: { label: "Write, 1 hour", about: "Written to the cache for one hour." },
  output: { label: "Output", about: "Output, reasoning included." },
};

/** `200k`, `1M`, `200,000`; null where nothing is typed, NaN where it is no number. */
export function tokensOf(text: string): number | null {
  const trimmed = text
    .trim()
    .toLowerCase()
    .replaceAll(/[,_\s]/g, "");
  if (trimmed === "") return null;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([km]?)$/.exec(trimmed) ?? [];
  if (digits === undefined) return Number.NaN;
  return Math.round(Number(digits) * (unit === "m" ? 1e9 : unit === "k" ? 1e6 : 1e3)) / 1e3;
}

/** `3`, `$0.30`; null where nothing is typed, NaN where it is no number. */
export function priceOf(text: string): number | null {
  const trimmed = text.trim().replace(/^\$\s*/, "");
  if (trimmed === "") return null;
  return /^-?(\d+\.?\d*|\.\d+)$/.test(trimmed) ? Number(trimmed) : Number.NaN;
}

export type Wrong = Partial<Readonly<Record<keyof Typed | "all", string>>>;

/** What is to be kept in place of `at` (or after all others, when it is null), or what is wrong with it. */
export function overrideOf(
  typed: Typed,
  others: readonly ModelOverride[],
  at: number | null,
): { readonly list: readonly ModelOverride[] } | { readonly wrong: Wrong } {
  const wrong: Record<string, string> = {};
  const numbers = {
    window: tokensOf(typed.window),
    uncached: priceOf(typed.uncached),
    read: priceOf(typed.read),
    write: priceOf(typed.write),
    write1h: priceOf(typed.write1h),
    output: priceOf(typed.output),
  };
  for (const field of OVERRIDE_FIELDS)
    if (Number.isNaN(numbers[field]))
      wrong[field] =
        field === "window" ? "A number of tokens, such as 200,000 or 200k." : "Dollars, such as 3 or 0.30.";
  if (Object.keys(wrong).length > 0) return { wrong };
  const one = { match: typed.match, project: typed.project.trim() === "" ? null : typed.project, ...numbers };
  const list: unknown[] = at === null ? [...others, one] : others.with(at, one as ModelOverride);
  const checked = modelOverrides.safeParse(list);
  if (checked.success) return { list: checked.data };
  for (const { path, message } of checked.error.issues) {
    const field = path[1] === undefined ? "all" : String(path[1]);
    wrong[field] ??= `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  }
  return { wrong };
}

/** As it is typed; the same comes out of it again. */
export const typedOf = (one: ModelOverride): Typed => ({
  match: one.match,
  project: one.project ?? "",
  window: one.window === null ? "" : formatTokens(one.window),
  uncached: String(one.uncached ?? ""),
  read: String(one.read ?? ""),
  write: String(one.write ?? ""),
  write1h: String(one.write1h ?? ""),
  output: String(one.output ?? ""),
});

const rate = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 4 });
/** Dollars a million tokens: `5.00`, `0.125`, `0.0028`. */
export const formatRate = (dollars: number): string => rate.format(dollars);

const BY: Readonly<Record<ModelLines["by"], string>> = {
  settings: "set",
  observed: "observed",
  reported: "reported by the agent",
  version: "known of its version",
  table: "price table",
  larger: "larger than the table's",
};

/** `167,094 to 170,251` with `observed in 3 of 8 sessions`: how the line of a model's sessions was found. */
export function lineWords({ by, sessions, low, high }: ModelLines, { lines }: Pick<ModelRow, "lines">) {
  const all = lines.reduce((sum, one) => sum + one.sessions, 0);
  return {
    range: low === high ? formatTokens(low) : `${formatTokens(low)} to ${formatTokens(high)}`,
    says: `${BY[by]}, ${sessions === all ? formatCount(all, "session") : `${formatTokens(sessions)} of ${formatCount(all, "session")}`}`,
  };
}
