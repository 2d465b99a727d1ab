// Which interactions the Tools tab shows, and in which order. Pure.
import type { InteractionRow, ToolsAnswer } from "#lib/wire/events-schema.ts";
import { interactionTotals } from "#lib/wire/interaction-totals-schema.ts";

export type Choice = {
  readonly show: "all" | "pending" | "error" | "orphan" | "repeated";
  readonly tool: string | null;
  readonly sort: "order" | "tool" | "duration" | "bytes" | "tokens" | "resident" | "lifetime";
  /** Against the order that a column begins with: events and names upwards, sizes the most first. */
  readonly reverse: boolean;
};

export function chosenRows(rows: readonly InteractionRow[], choice: Choice): InteractionRow[] {
  const { show, tool, sort, reverse } = choice;
  const kept = rows.filter((row) => (tool === null || row.toolName === tool) && fits(row, show));
  const by = reverse ? -1 : 1;
  return kept.toSorted((a, b) => {
    if (sort === "order") return by * (seqOf(a) - seqOf(b));
    if (sort === "tool")
      return by * (a.toolName.localeCompare(b.toolName) || a.label.localeCompare(b.label)) || seqOf(a) - seqOf(b);
    const [one, other] = [weight(a, sort), weight(b, sort)];
    // What is not known stands last, whichever way.
    if (one === null || other === null) return Number(one === null) - Number(other === null) || seqOf(a) - seqOf(b);
    return by * (other - one) || seqOf(a) - seqOf(b);
  });
}

/** The order in which the column's values stand. */
export function directionOf({ sort, reverse }: Pick<Choice, "sort" | "reverse">): "asc" | "desc" {
  return (sort === "order" || sort === "tool") !== reverse ? "asc" : "desc";
}

/** What each choice would list, with the tool that is chosen. */
export function countsOf(rows: readonly InteractionRow[], tool: string | null): Record<Choice["show"], number> {
  const count = (show: Choice["show"]) =>
    rows.filter((row) => (tool === null || row.toolName === tool) && fits(row, show)).length;
  return {
    all: count("all"),
    pending: count("pending"),
    error: count("error"),
    orphan: count("orphan"),
    repeated: count("repeated"),
  };
}

/** Of the rows that a filter leaves, by tool, the one that weighed most first. */
export const rankedTotals = (rows: readonly InteractionRow[], show: Choice["show"]): ToolsAnswer["totals"] =>
  interactionTotals(rows.filter((row) => fits(row, show)));

function fits(row: InteractionRow, show: Choice["show"]): boolean {
  if (show === "all") return true;
  return show === "repeated" ? row.repeats > 1 : row.status === show;
}

const seqOf = (row: InteractionRow): number => row.callSeq ?? row.resultSeq ?? 0;

function weight(row: InteractionRow, sort: Exclude<Choice["sort"], "order" | "tool">): number | null {
  if (sort === "duration") return row.durationMs;
  if (sort === "resident") return row.callsResident;
  if (sort === "lifetime") return row.lifetimeTokens;
  return row[sort];
}
