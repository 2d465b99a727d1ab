// Sessions by format, model and state, and what a list says of them beside its choices.
import type { SessionsAnswer } from "#lib/wire/sessions-schema.ts";
import type { Choice, ListFilters } from "./list-filters.ts";
import { mostFirst, type Value } from "./list-totals.ts";

export type CountedGroup = {
  readonly format: string;
  readonly model: string | null;
  readonly state: string | null;
  /** False where nobody looked. */
  readonly running: boolean;
  readonly n: number;
};

type GroupFigures<Group> = Pick<SessionsAnswer, "counts" | "total"> & {
  readonly formats: readonly Value[];
  readonly models: readonly Value[];
  /** What is listed. */
  readonly groups: readonly Group[];
};

/** Of groups that all filters but a format, a model and a state leave. */
export function figuresOf<Group extends CountedGroup>(
  { query, state }: ListFilters,
  groups: readonly Group[],
): GroupFigures<Group> {
  const fits = (left: Choice | null): readonly Group[] =>
    groups.filter(
      (one) =>
        (query.format === undefined || left === "format" || one.format === query.format) &&
        (query.model === undefined || left === "model" || one.model === query.model) &&
        (state === undefined || left === "state" || isOfState(one, state)),
    );
  const states = fits("state");
  const count = (of: keyof SessionsAnswer["counts"]): number => added(states.filter((one) => isOfState(one, of)));
  const rows = fits(null);
  return {
    counts: {
      ...{ all: added(states), running: count("running"), refused: count("refused") },
      ...{ compacted: count("compacted"), near: count("near"), fine: count("fine") },
    },
    ...{ total: added(rows), groups: rows },
    ...{ formats: facetOf(fits("format"), "format"), models: facetOf(fits("model"), "model") },
  };
}

const isOfState = (one: CountedGroup, state: string): boolean =>
  state === "running" ? one.running : one.state === state;
const added = (groups: readonly CountedGroup[]): number => groups.reduce((sum, { n }) => sum + n, 0);

function facetOf(groups: readonly CountedGroup[], by: "format" | "model"): readonly Value[] {
  const counts = new Map<string, number>();
  for (const { [by]: value, n } of groups) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + n);
  return mostFirst([...counts].map(([value, count]) => ({ value, count })));
}
