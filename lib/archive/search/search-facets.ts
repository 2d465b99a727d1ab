// Counts beside the results: how many of the matches found are of an agent, a project, a model, a tool, a type.
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import type { SearchAnswer } from "#lib/wire/search-schema.ts";
import type { SearchedSession } from "./searched-sessions.ts";
import { TOOLS } from "./tool-key.ts";

export type CountedSession = Pick<SearchedSession, "format" | "agent" | "cwd" | "model">;

/** By session, then by kind and tool in one number. */
export type Counted = Map<number, Map<number, number>>;

/** Values of one facet, the most frequent first. */
const MOST = 12;

type Facets = NonNullable<SearchAnswer["facets"]>;

export function facetsOf(
  counted: Counted,
  sessions: ReadonlyMap<number, CountedSession>,
  tools: ReadonlyMap<string, number>,
): Facets {
  const toolNames = new Map([...tools].map(([name, key]) => [key, name]));
  const sums = {
    agents: new Map(),
    projects: new Map(),
    models: new Map(),
    tools: new Map(),
    types: new Map(),
  } as Record<keyof Facets, Map<string, number>>;
  const add = (facet: keyof Facets, value: string | null | undefined, count: number): void => {
    if (value !== null && value !== undefined && value !== "")
      sums[facet].set(value, (sums[facet].get(value) ?? 0) + count);
  };
  for (const [pk, own] of counted) {
    const session = sessions.get(pk);
    if (session === undefined) continue;
    let whole = 0;
    for (const [key, count] of own) {
      whole += count;
      add("types", SEARCH_KINDS[Math.floor(key / TOOLS)], count);
      add("tools", toolNames.get(key % TOOLS), count);
    }
    add("agents", session.format, whole);
    add("projects", session.cwd, whole);
    add("models", session.model, whole);
  }
  const labels = new Map([...sessions.values()].map(({ format, agent }) => [format, agent]));
  const list = (facet: keyof Facets) =>
    [...sums[facet]]
      .sort(([a, n], [b, m]) => m - n || a.localeCompare(b))
      .slice(0, MOST)
      .map(([value, count]) => ({ value, label: facet === "agents" ? (labels.get(value) ?? value) : value, count }));
  return {
    agents: list("agents"),
    projects: list("projects"),
    models: list("models"),
    tools: list("tools"),
    types: list("types"),
  };
}
