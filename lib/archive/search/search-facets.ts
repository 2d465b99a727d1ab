// Counts beside the results: how many of the matches found are of an agent, a project, a model, a tool, a type.
import { SEARCH_KINDS } from "#lib/kernel/search/search-fields.ts";
import type { SearchAnswer } from "#lib/wire/search-schema.ts";
import { labelOf } from "../import/format-label.ts";
import { agentsNamed, isNamedSession } from "../import/named-agents.ts";
import type { SearchedSession } from "./searched-sessions.ts";
import { TOOLS } from "./tool-key.ts";

export type CountedSession = Pick<SearchedSession, "format" | "agent_name" | "cwd" | "model">;

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
  const agents = new Map<string, AgentCount>();
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
    add("agents", agentOf(session), whole);
    const agent = `${session.format} ${session.agent_name}`;
    agents.set(agent, { session, count: (agents.get(agent)?.count ?? 0) + whole });
    add("projects", session.cwd, whole);
    add("models", session.model, whole);
  }
  const list = (facet: keyof Facets) =>
    [...sums[facet]]
      .sort(([a, n], [b, m]) => m - n || a.localeCompare(b))
      .slice(0, MOST)
      .map(([value, count]) => ({ value, label: value, count }));
  return {
    agents: list("agents")
      .map((one) => ({ ...one, count: namedCount(agents, one.value) }))
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count),
    projects: list("projects"),
    models: list("models"),
    tools: list("tools"),
    types: list("types"),
  };
}

type AgentCount = { readonly session: CountedSession; readonly count: number };

/** As results, lists and usage name it. */
const agentOf = ({ format, agent_name }: CountedSession): string => labelOf(agent_name ?? format);

/** What a click on the agent leaves: those of a format have its name too, whatever their files name. */
function namedCount(agents: ReadonlyMap<string, AgentCount>, name: string): number {
  const isNamed = agentsNamed(name);
  return [...agents.values()].reduce(
    (sum, { session, count }) => sum + (isNamedSession(isNamed, session.format, session.agent_name) ? count : 0),
    0,
  );
}
