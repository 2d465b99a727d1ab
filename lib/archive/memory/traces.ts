// Events of a context as raw traces: what a compaction is planned over, and what a model that summarises is given.
import { eventText, isSentNote } from "#lib/kernel/event.ts";
import type { RawTrace } from "#lib/kernel/memory/memory-types.ts";
import type { ContextRow } from "./context-rows.ts";

export type EventTrace = RawTrace & {
  /** Its event; null for what marks a border and is none. */
  readonly eventSeq: number | null;
};

export type TraceOptions = {
  /** True when the results that a turn still waits for will not come. */
  readonly isOver: (turn: number) => boolean;
  /** The whole text where a row has only its head. */
  readonly textOf?: (row: ContextRow) => string | undefined;
};

/** Like turn_0007; what stands before the first turn is in none, unless the agent answered there. */
export const turnIdOf = (turn: number): string => `turn_${String(turn).padStart(4, "0")}`;

/**
 * Traces in the order of the rows. A turn is made of steps: each begins where the model goes on after its tools, so that
 * a long turn can be cut between two of them.
 */
export function tracesOf(rows: readonly ContextRow[], { isOver, textOf }: TraceOptions): EventTrace[] {
  const hasFirst = rows.some(({ turn, body }) => turn === 0 && ANSWERS.has(body.type));
  const inTurn = new Map<string | null, number>();
  const traces: EventTrace[] = [];
  const answered = new Set(rows.flatMap(({ body }) => (body.type === "tool_result" ? [body.toolCallId] : [])));
  const last = new Map<number, { readonly hasResult: boolean; readonly call: number | null }>();
  const open = new Set<number>();
  for (const row of rows) {
    const { turn, body, seq } = row;
    const turnId = turn === 0 && !hasFirst ? null : turnIdOf(turn);
    const add = (id: string, traceType: string, more: Partial<EventTrace> = {}): void => {
      const nth = (inTurn.get(turnId) ?? 0) + 1;
      inTurn.set(turnId, nth);
      const common = {
        id,
        ts: (row.ts ?? 0) / 1000,
        turnId,
        seq: nth,
        traceType,
        content: "",
        sourceEvent: "archive",
      };
      traces.push({ ...common, eventSeq: null, ...more });
    };
    // The model goes on after a result, in another call than before: blocks of one call stay together.
    const answers = ANSWERS.has(body.type);
    if (answers && last.get(turn)?.hasResult === true && (row.call === null || last.get(turn)!.call !== row.call))
      add(`step_${seq}`, "tool_continuation");
    last.set(turn, {
      hasResult: body.type === "tool_result",
      call: answers ? row.call : (last.get(turn)?.call ?? null),
    });
    const text = textOf?.(row) ?? eventText(body);
    const id = `event_${seq}`;
    switch (body.type) {
      case "user":
        add(id, body.injected === undefined ? "user" : "note", { content: text, eventSeq: seq });
        break;
      case "assistant":
      case "reasoning":
        add(id, body.type, { content: text, eventSeq: seq });
        break;
      case "tool_call": {
        const { toolCallId, toolName } = body;
        add(id, "tool_call", { toolName, toolCallId, toolArgs: body.input ?? null, eventSeq: seq });
        // The provider ran it: its result is inside of the answer, and none will come.
        if (body.hosted === true && !answered.has(toolCallId))
          add(`hosted_${seq}`, "tool_result", { toolName, toolCallId, toolResult: "" });
        else if (!answered.has(toolCallId)) open.add(turn);
        break;
      }
      case "tool_result":
        add(id, "tool_result", {
          toolCallId: body.toolCallId,
          toolName: row.toolName,
          ...(body.isError ? { toolError: text === "" ? "failed" : text } : { toolResult: text }),
          // What the model had whole was never named to it.
          ...(row.artifact !== null && body.saw === "preview" && { toolResultRef: row.artifact }),
          eventSeq: seq,
        });
        break;
      case "meta":
        if (isSentNote(body)) add(id, "note", { content: text, eventSeq: seq });
        break;
      default:
        break;
    }
  }
  return withBoundaries(traces, [...open].filter(isOver));
}

const ANSWERS = new Set(["assistant", "reasoning", "tool_call"]);

/** Behind turns that are over stands that they are: their open calls wait for nothing any more. */
function withBoundaries(traces: readonly EventTrace[], over: readonly number[]): EventTrace[] {
  if (over.length === 0) return [...traces];
  const ends = new Map(
    over.map((turn) => [turnIdOf(turn), traces.findLastIndex(({ turnId }) => turnId === turnIdOf(turn))]),
  );
  return traces.flatMap((trace, at) => {
    if (trace.turnId === null || ends.get(trace.turnId) !== at) return [trace];
    const boundary = { ...trace, id: `over_${trace.id}`, seq: trace.seq + 1, eventSeq: null };
    return [trace, { ...boundary, traceType: "operation_boundary", content: "", toolCallId: null, toolResult: null }];
  });
}
