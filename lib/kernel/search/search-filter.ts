// One `field:value` of a query, checked.
import { AppError } from "../errors.ts";
import { kindsNamed, KIND_WORDS, type SearchField, type SearchKind } from "./search-fields.ts";
import { SEARCH_STATES, type SearchState } from "./search-states.ts";

type TextField = "agent" | "project" | "model" | "branch" | "commit" | "pr" | "tool" | "file" | "label" | "note";
export type Comparison = ">" | ">=" | "<" | "<=" | "=";

/** What each field holds. */
type FilterValues = Readonly<Record<TextField, { readonly value: string }>> & {
  readonly type: { readonly kinds: readonly SearchKind[] };
  readonly is: { readonly state: SearchState };
  readonly tokens: { readonly op: Comparison; readonly amount: number };
  readonly cost: { readonly op: Comparison; readonly amount: number };
  readonly after: { readonly at: number };
  readonly before: { readonly at: number };
};

export type FilterOf<Field extends SearchField> = FilterValues[Field] & {
  readonly field: Field;
  readonly not: boolean;
};

export type SearchFilter = { [Field in SearchField]: FilterOf<Field> }[SearchField];

/** A filter that asks for a mark of a person. */
export type MarkFilter = FilterOf<"label"> | FilterOf<"note"> | FilterOf<"is">;

export const isOfMark = (filter: SearchFilter): filter is MarkFilter =>
  filter.field === "label" || filter.field === "note" || (filter.field === "is" && filter.state === "starred");

/** Reads the value of a field; `now` is what `7d` and `today` are counted from. */
export function readFilter(field: SearchField, value: string, not: boolean, now: number): SearchFilter {
  if (value.trim() === "")
    refuse(`"${field}:" has no value. Write ${EXAMPLES[field] ?? `${field}:name`}, or put the word in quotes.`);
  switch (field) {
    case "type": {
      const kinds = kindsNamed(value);
      if (kinds === null) refuse(`No event type is named "${value}". Use one of ${KIND_WORDS.join(", ")}.`);
      return { field, kinds, not };
    }
    case "is": {
      const state = SEARCH_STATES.find((one) => one === value.toLowerCase());
      if (state === undefined) refuse(`"is:${value}" is not known. Use is:${SEARCH_STATES.join(" or is:")}.`);
      return { field, state, not };
    }
    case "tokens":
    case "cost":
      return { field, ...amountOf(field, value), not };
    case "after":
    case "before":
      return { field, at: timeOf(field, value, now), not };
    default:
      return { field, value, not };
  }
}

const EXAMPLES: Partial<Record<SearchField, string>> = {
  type: "type:user",
  is: "is:error",
  tokens: "tokens:>5k",
  cost: "cost:>2",
  after: "after:7d",
  before: "before:2026-06-01",
};

function amountOf(field: "tokens" | "cost", value: string): { op: Comparison; amount: number } {
  const [, op, number, unit] = /^(>=?|<=?|=)?\s*\$?(\d{1,15}(?:\.\d{1,6})?)([kKmM])?$/.exec(value) ?? [];
  if (number === undefined)
    refuse(`"${field}:${value}" is not a number. Write ${EXAMPLES[field]!}, ${field}:<10 or ${field}:>=1.5k.`);
  const scale = unit === undefined ? 1 : unit.toLowerCase() === "k" ? 1000 : 1_000_000;
  // A number alone is a lower bound: nobody looks for exactly 5,000 tokens.
  return { op: (op ?? ">=") as Comparison, amount: Number(number) * scale };
}

const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** The start of a day, month or year in local time, a moment, or so long ago. */
function timeOf(field: string, value: string, now: number): number {
  const ago = /^(\d{1,4})([hdw])$/.exec(value);
  if (ago !== null) return now - Number(ago[1]) * UNIT_MS[ago[2] as keyof typeof UNIT_MS];
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  if (value === "today") return day.getTime();
  if (value === "yesterday") return day.setDate(day.getDate() - 1);
  const [, year, month = "1", date = "1", hour = "0", minute = "0"] =
    /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}):(\d{2}))?)?)?$/.exec(value) ?? [];
  const at = new Date(Number(year), Number(month) - 1, Number(date), Number(hour), Number(minute));
  const isSame =
    at.getFullYear() === Number(year) && at.getMonth() === Number(month) - 1 && at.getDate() === Number(date);
  if (year === undefined || !isSame || Number(hour) > 23 || Number(minute) > 59)
    refuse(`"${field}:${value}" is not a date. Write ${field}:2026-06-01, ${field}:today or ${field}:7d.`);
  return at.getTime();
}

function refuse(message: string): never {
  throw new AppError("invalid", message);
}
