// What the reader chose, as it stands in the URL, and the question to the server that follows from it.
import {
  debounce,
  parseAsArrayOf,
  parseAsBoolean,
  parseAsString,
  parseAsStringLiteral,
  type inferParserType,
} from "nuqs/server";
import { STATES } from "#lib/kernel/load/compaction-state.ts";
import { sessionSort } from "#lib/wire/sessions-schema.ts";
import { askedQuery } from "../ui/typed.ts";

const TYPING_MS = 150;

/** Filters, order and view of the sessions table. */
export const choiceParsers = {
  q: parseAsString.withDefault("").withOptions({ history: "replace", limitUrlUpdates: debounce(TYPING_MS) }),
  state: parseAsStringLiteral([...STATES, "running"] as const),
  /** What links of older versions call the state. */
  badge: parseAsStringLiteral(["over", "near", "running"] as const),
  agent: parseAsString,
  project: parseAsString,
  model: parseAsString,
  since: parseAsStringLiteral(["day", "week", "month"] as const),
  artifacts: parseAsBoolean.withDefault(false),
  file: parseAsStringLiteral(["deleted", "soon"] as const),
  sort: parseAsStringLiteral(sessionSort.options).withDefault("active"),
  dir: parseAsStringLiteral(["asc", "desc"] as const).withDefault("desc"),
  /** Sessions whose sub-agents are unfolded. */
  open: parseAsArrayOf(parseAsString).withDefault([]).withOptions({ history: "replace" }),
  /** Columns that are hidden. */
  hide: parseAsArrayOf(parseAsString).withDefault([]).withOptions({ history: "replace" }),
  /** One line a session; without it, as this browser had it last. */
  dense: parseAsBoolean.withOptions({ history: "replace" }),
  group: parseAsStringLiteral(["project"] as const),
  /** Projects whose sessions are folded away. */
  fold: parseAsArrayOf(parseAsString).withDefault([]).withOptions({ history: "replace" }),
};

export type Choices = Omit<inferParserType<typeof choiceParsers>, "dense"> & { readonly dense: boolean };

/** The state that is filtered by, also where a link of an older version says so. */
export const stateChosen = ({ state, badge }: Pick<Choices, "state" | "badge">): Choices["state"] =>
  state ?? (badge === "over" ? "refused" : badge);

/** The part of the choices that the server answers. */
export function questionOf(choices: Omit<Choices, "dense">) {
  return {
    q: askedQuery(choices.q),
    state: stateChosen(choices),
    format: choices.agent,
    project: choices.project,
    model: choices.model,
    since: choices.since,
    artifacts: choices.artifacts ? "1" : null,
    file: choices.file,
    sort: choices.sort,
    dir: choices.dir,
    pin: "running",
    group: choices.group,
  };
}
export type Question = ReturnType<typeof questionOf>;

/** No filter at all: what `Clear` sets. */
export const NO_FILTER = {
  q: "",
  state: null,
  badge: null,
  agent: null,
  project: null,
  model: null,
  since: null,
  artifacts: null,
  file: null,
} as const;

export function isFiltered(choices: Choices): boolean {
  return (
    choices.q.trim() !== "" ||
    choices.artifacts ||
    [stateChosen(choices), choices.agent, choices.project, choices.model, choices.since, choices.file].some(
      (choice) => choice !== null,
    )
  );
}
