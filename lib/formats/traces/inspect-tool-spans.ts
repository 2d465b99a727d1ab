// Which tool call stands above an agent. Inspect opens a span for each call: the call's own event is inside of it, beside the agent's.
import { asText, type Json } from "../json.ts";

export type ToolSpans = {
  /** What stands above a span or above a tool's event, where it is not what the event itself names. */
  readonly parents: ReadonlyMap<string, string | null>;
  /** Spans of calls whose tool called a model itself: an agent that has no span of its own. */
  readonly agents: ReadonlySet<string>;
};

export const eventId = (event: Json, number: string): string => asText(event["uuid"]) ?? `event-${number}`;

export function toolSpans(events: readonly Json[]): ToolSpans {
  const begun = new Map<string, Json>();
  for (const event of events) {
    const id = event["event"] === "span_begin" ? asText(event["id"]) : null;
    if (id !== null) begun.set(id, event);
  }
  const isTool = (id: string | null): id is string => id !== null && begun.get(id)?.["type"] === "tool";
  const parents = new Map<string, string | null>();
  const agents = new Set<string>();
  for (const [i, event] of events.entries()) {
    const within = asText(event["span_id"]);
    if (event["event"] === "model" && isTool(within)) agents.add(within);
    if (event["event"] !== "tool") continue;
    const id = eventId(event, String(i));
    if (isTool(within) || (within !== null && within === asText(event["agent_span_id"]))) {
      parents.set(within, id);
      parents.set(id, asText(begun.get(within)?.["parent_id"]));
    }
    const agent = asText(event["agent_span_id"]);
    if (agent !== null) parents.set(agent, id);
  }
  return { parents, agents };
}
