// What a person sets in place of the price table: the window and the prices of a model, everywhere or below one folder.
// Each number is looked for by itself, from the override that fits a session best to the one that fits it least, so that a
// window set for one project leaves the prices set for the model in force.
import { z } from "zod";
import type { PriceTable } from "../host.ts";
import { fitsPattern } from "../star-pattern.ts";
import { completeRates } from "./rates.ts";
import type { Rates } from "./ledger-types.ts";

/** Dollars a million tokens. The dearest of the table asks 600; what is 25 times that was meant for a thousand tokens. */
const price = z
  .number("is not a number")
  .min(0, "is below zero")
  .max(15_000, "is over $15,000 a million tokens")
  .nullable()
  .default(null);

/** The numbers that can be set; null leaves one as it is without this override. */
export const PRICE_FIELDS = ["uncached", "read", "write", "write1h", "output"] as const;
export const OVERRIDE_FIELDS = ["window", ...PRICE_FIELDS] as const;
export type PriceField = (typeof PRICE_FIELDS)[number];
export type OverrideField = (typeof OVERRIDE_FIELDS)[number];

export const modelOverride = z
  .strictObject({
    /** A model's name, or a pattern in which `*` stands for any text. Case does not matter. */
    match: z.string().trim().min(1, "name a model, or a pattern such as claude-opus-*").max(200),
    /** A folder: for sessions that ran in it or below it; null: for all. */
    project: z.string().trim().min(1).max(4096).nullable().default(null),
    /** Tokens. */
    window: z
      .int("is not a whole number of tokens")
      .min(1000, "is under 1,000 tokens")
      .max(100_000_000, "is over 100 million tokens")
      .nullable()
      .default(null),
    uncached: price,
    read: price,
    /** To a cache of five minutes, and of one hour. */
    write: price,
    write1h: price,
    output: price,
  })
  .refine((one) => OVERRIDE_FIELDS.some((field) => one[field] !== null), {
    message: "is empty; give it a window or a price",
  });
export type ModelOverride = Readonly<z.infer<typeof modelOverride>>;

export const modelOverrides = z
  .array(modelOverride)
  .max(200)
  .superRefine((list, context) => {
    const seen = new Set<string>();
    for (const [at, one] of list.entries()) {
      const key = `${one.match.toLowerCase()}\0${folderOf(one.project ?? "")}`;
      if (seen.has(key))
        context.addIssue({
          code: "custom",
          path: [at, "match"],
          message: `appears twice for ${one.project ?? "all projects"}; change the existing one`,
        });
      seen.add(key);
    }
  });

export type Overridden = Readonly<Record<OverrideField, number | null>>;

/** What is set for a model in a folder, each number by the override that fits best and names it. */
export function overriddenFor(
  overrides: readonly ModelOverride[],
  model: string | null,
  cwd: string | null,
): Overridden {
  const found: Record<OverrideField, number | null> = { ...NOTHING };
  if (model === null || overrides.length === 0) return found;
  const fitting = overrides
    .filter((one) => fitsPattern(one.match, model) && fitsFolder(one.project, cwd))
    .toSorted((a, b) => folderLength(b) - folderLength(a) || literalLength(b) - literalLength(a));
  for (const field of OVERRIDE_FIELDS) found[field] = fitting.find((one) => one[field] !== null)?.[field] ?? null;
  return found;
}

/** Whether a model has other numbers in a folder by the lists that were in force than by the one that is now. */
export function overridesChanged(
  was: readonly (readonly ModelOverride[])[],
  now: readonly ModelOverride[],
): (model: string | null, cwd: string | null) => boolean {
  const known = new Map<string, boolean>();
  return (model, cwd) => {
    const key = `${model}\0${cwd}`;
    let differs = known.get(key);
    if (differs === undefined) {
      const current = overriddenFor(now, model, cwd);
      const isSame = (list: readonly ModelOverride[]): boolean => {
        const before = overriddenFor(list, model, cwd);
        return OVERRIDE_FIELDS.every((field) => before[field] === current[field]);
      };
      differs = !was.every(isSame);
      known.set(key, differs);
    }
    return differs;
  };
}

/** The table with what is set over it, for a session that ran in `cwd`. */
export function overTable(table: PriceTable, overrides: readonly ModelOverride[], cwd: string | null): PriceTable {
  if (overrides.length === 0) return table;
  const known = new Map<string, Overridden>();
  const setFor = (model: string): Overridden => {
    let found = known.get(model);
    if (found === undefined) known.set(model, (found = overriddenFor(overrides, model, cwd)));
    return found;
  };
  return {
    rates: (model, usage, at) => overRates(table.rates(model, usage, at), setFor(model)),
    window: (model) => setFor(model).window ?? table.window(model),
  };
}

/** A model without a price has one when its input and output are set. Who sets prices pays no fee for a request. */
function overRates(table: Rates | null, set: Overridden): Rates | null {
  if (!setsPrice(set)) return table;
  const uncached = dollars(set.uncached) ?? table?.uncached;
  const output = dollars(set.output) ?? table?.output;
  if (uncached === undefined || output === undefined) return null;
  return completeRates({
    uncached,
    read: dollars(set.read) ?? table?.read,
    write: dollars(set.write) ?? table?.write,
    write1h: dollars(set.write1h) ?? (table?.isDerived === true ? undefined : table?.write1h),
    output,
    webSearch: table?.webSearch,
    isSet: true,
  });
}

const dollars = (aMillion: number | null): number | undefined => (aMillion === null ? undefined : aMillion / 1e6);
const setsPrice = (set: Overridden): boolean => PRICE_FIELDS.some((field) => set[field] !== null);
const NOTHING: Overridden = { window: null, uncached: null, read: null, write: null, write1h: null, output: null };

export function fitsFolder(project: string | null, cwd: string | null): boolean {
  if (project === null) return true;
  if (cwd === null) return false;
  const folder = folderOf(project);
  const path = folderOf(cwd);
  return path === folder || path.startsWith(folder === "/" ? folder : `${folder}/`);
}

/** Without the slash at its end, and with the slashes of all other systems. */
const folderOf = (path: string): string => path.replaceAll("\\", "/").replace(/(?<=[^/])\/+$/, "");
const folderLength = ({ project }: ModelOverride): number => (project === null ? -1 : folderOf(project).length);
/** A whole name fits better than any pattern; of two patterns the one that says more. */
const literalLength = ({ match }: ModelOverride): number =>
  match.includes("*") ? match.replaceAll("*", "").length : 1000 + match.length;
