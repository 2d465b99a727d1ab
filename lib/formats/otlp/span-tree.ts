// Which agent each span belongs to. An agent that another one started is a session of its own, below the tool call that started it.
import type { PlacedRecord } from "./otlp-lines.ts";
import { agentNameOf, spanKind, toolCallIdOf, type SpanKind } from "./span-kinds.ts";

export type TreeSpan = PlacedRecord & { readonly about: SpanKind };

type Above = { readonly agent: TreeSpan | null; readonly tool: TreeSpan | null };
export type SubAgent = {
  readonly lane: string;
  readonly parentLane: string;
  readonly toolCallId: string | null;
  readonly name: string;
};

const NOTHING: Above = { agent: null, tool: null };
/** Agents inside agents: deeper ones belong to the last. */
const LEVELS = 32;

export class SpanTree {
  readonly spans: readonly TreeSpan[];
  /** By the lane of each. */
  readonly subAgents = new Map<string, SubAgent>();
  readonly #byId = new Map<string, TreeSpan>();
  readonly #above = new Map<TreeSpan, Above>();
  /** Agents that call models or tools themselves; one that only starts others is no session. */
  readonly #working = new Set<TreeSpan>();
  /** Of agents that do not work, the nearest above that does. */
  readonly #workers = new Map<TreeSpan, TreeSpan | null>();
  readonly #base: string;

  constructor(records: readonly PlacedRecord[], base: string) {
    this.#base = base;
    this.spans = records.map((record) => ({ ...record, about: spanKind(record) }));
    for (const span of this.spans)
      if (span.spanId !== null && span.kind === "span") this.#byId.set(keyOf(span.traceId, span.spanId), span);
    for (const span of this.spans) {
      if (span.about !== "model" && span.about !== "tool") continue;
      const { agent } = this.#aboveOf(span);
      if (agent !== null) this.#working.add(agent);
    }
  }

  /** The lane of the agent that a span is part of. */
  laneOf(span: TreeSpan): string {
    const agent = span.about === "agent" && this.#working.has(span) ? span : this.#worker(this.#aboveOf(span).agent);
    return this.#lane(agent, LEVELS);
  }

  /** The nearest that works, from an agent upwards; a ring of agents that only start each other has none. */
  #worker(agent: TreeSpan | null): TreeSpan | null {
    const path: TreeSpan[] = [];
    let at = agent;
    while (at !== null && !this.#working.has(at) && !this.#workers.has(at)) {
      // Known from here on, so a ring ends where it began.
      this.#workers.set(at, null);
      path.push(at);
      at = this.#aboveOf(at).agent;
    }
    const found = at === null || this.#working.has(at) ? at : this.#workers.get(at)!;
    for (const one of path) this.#workers.set(one, found);
    return found;
  }

  #lane(agent: TreeSpan | null, levels: number): string {
    const above = agent === null ? NOTHING : this.#aboveOf(agent);
    const parent = this.#worker(above.agent);
    if (agent === null || parent === null) return this.#base;
    const parentLane = levels === 0 ? this.#base : this.#lane(parent, levels - 1);
    if (levels === 0) return parentLane;
    const lane = this.#base === "" ? agent.spanId! : `${this.#base}/${agent.spanId!}`;
    const toolCallId = above.tool === null ? null : toolCallIdOf(above.tool.attributes);
    this.subAgents.set(lane, { lane, parentLane, toolCallId, name: agentNameOf(agent) });
    return lane;
  }

  /** Walks up until something is known; a parent that is not here, or a ring of them, ends it. */
  #aboveOf(span: TreeSpan): Above {
    const path: TreeSpan[] = [];
    const seen = new Set<TreeSpan>();
    let at: TreeSpan | undefined = span;
    while (at !== undefined && !this.#above.has(at) && !seen.has(at)) {
      path.push(at);
      seen.add(at);
      at = this.#parentOf(at);
    }
    for (const one of path.toReversed()) this.#above.set(one, this.#stepUp(this.#parentOf(one)));
    return this.#above.get(span)!;
  }

  #stepUp(parent: TreeSpan | undefined): Above {
    if (parent === undefined) return NOTHING;
    if (parent.about === "agent") return { agent: parent, tool: null };
    const above = this.#above.get(parent) ?? NOTHING;
    return parent.about === "tool" ? { ...above, tool: parent } : above;
  }

  /** A log record belongs to its span. */
  #parentOf(span: TreeSpan): TreeSpan | undefined {
    const id = span.kind === "span" ? span.parentSpanId : span.spanId;
    return id === null ? undefined : this.#byId.get(keyOf(span.traceId, id));
  }
}

const keyOf = (traceId: string | null, spanId: string): string => `${traceId} ${spanId}`;
