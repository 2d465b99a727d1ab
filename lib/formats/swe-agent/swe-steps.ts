// A step of SWE-agent: a thought, an action, and what came back.
import type { Draft, Usage } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { asArray, asNumber, asText, isObject, type Json } from "../json.ts";
import { callOf, pieceOf } from "../messages/message-parts.ts";
import { paired, type Pairing } from "../messages/call-pairing.ts";
import { eventAt, nameOf, noteAt, type Position } from "../placed-drafts.ts";

export type Steps = {
  readonly lane: string;
  readonly model: string | null;
  /** What the agent counts: none for a person's, or for a replay of recorded actions. */
  readonly apiCalls: number | null;
  /** How many steps there are, and how many of them were calls so far. */
  readonly steps: number;
  called: number;
  hasTitle: boolean;
  /** Some replays repeat ids of calls. */
  readonly pairing: Pairing;
};

/** Commands of SWE-agent's own; what begins with any other word is the shell's. */
const TOOLS =
  /^(open|goto|scroll_up|scroll_down|create|edit|insert|search_dir|search_file|find_file|submit|str_replace_editor|exit_\w+|filemap|view_image|decompile|disassemble|connect_\w+|debug_\w+|exit_forfeit)\b/;

export const toolOf = (action: string): string => TOOLS.exec(action.trim())?.[1] ?? "bash";

export function stepDrafts(step: Json, answer: Json, position: Position, steps: Steps): Draft[] {
  const thought = asText(step["thought"]) ?? asText(step["response"]) ?? "";
  const made = asArray(step["tool_calls"]).length > 0 ? step["tool_calls"] : answer["tool_calls"];
  const thinking = asArray(answer["thinking_blocks"] ?? step["thinking_blocks"]).flatMap(pieceOf);
  const bodies: EventBody[] = [
    ...thinking.flatMap((piece) => (piece.kind === "event" ? [piece.body] : [])),
    ...(thought.trim() === "" ? [] : [{ type: "assistant" as const, text: thought }]),
    ...callsOf(asArray(made), asText(step["action"]) ?? ""),
  ];
  const isCall = (steps.apiCalls ?? steps.steps) >= steps.steps || (asText(step["response"]) ?? "") !== "";
  const { drafts, toolCallId } = answerDrafts(bodies, position, isCall ? steps : { ...steps, apiCalls: 0 });
  if (isCall) steps.called++;
  const observation = asText(step["observation"]);
  return observation === null ? drafts : [...drafts, eventAt(position, resultOf(observation, toolCallId, step))];
}

/** The calls as the model made them, else the action as a command. */
export function callsOf(made: readonly unknown[], action: string): EventBody[] {
  const named = made.filter(isObject).map((call) => callOf(call));
  if (named.length > 0) return named;
  if (action.trim() === "") return [];
  return [{ type: "tool_call", toolCallId: null, toolName: toolOf(action), input: { command: action } }];
}

/** An answer, and the call whose result comes next. */
export function answerDrafts(
  given: readonly EventBody[],
  position: Position,
  { lane, model, apiCalls, pairing }: Steps,
  usage: Usage | null = null,
): { drafts: Draft[]; toolCallId: string | null } {
  // Where the agent counts no request, a person or a recording took the steps.
  const callKey = apiCalls === 0 ? null : nameOf(position);
  const bodies = given.map((body, i) => paired(body, `${nameOf(position)}.${i}`, pairing));
  const drafts: Draft[] = bodies.map((body) => eventAt(position, body, { callKey }));
  if (bodies.length === 0) drafts.push(noteAt(position, "empty answer", "", { callKey }));
  if (callKey !== null)
    drafts.push({ kind: "call", lane, key: callKey, ts: position.ts, model, usage, outputLowerBound: false });
  const last = bodies.findLast((body) => body.type === "tool_call");
  return { drafts, toolCallId: last?.type === "tool_call" ? last.toolCallId : null };
}

// A format error is asked about at most 10 times in a step.
const MOST_REFUSED = 1000;

/** Answers that the agent refused: it counts them, and asked again. Only the last of them is a step. */
export function refusedDrafts({ lane, model, apiCalls, called }: Steps, position: Position): Draft[] {
  const more = called === 0 || apiCalls === null ? 0 : Math.min(Math.max(0, apiCalls - called), MOST_REFUSED);
  return Array.from({ length: more }, (_, i) => `${nameOf(position)}.refused-${i + 1}`).flatMap((key): Draft[] => [
    noteAt(position, "model call", "The agent refused this answer and asked again.", {
      callKey: key,
      isRecord: false,
    }),
    { kind: "call", lane, key, ts: position.ts, model, usage: null, outputLowerBound: false },
  ]);
}

const CLIPPED = /<response clipped>|<observation clipped>|Observations should not exceeded/;

function resultOf(text: string, id: string | null, step: Json): EventBody {
  if (id === null) return { type: "user", text, injected: "environment" };
  const seconds = asNumber(step["execution_time"]);
  const detail: ResultDetail = { ...(seconds !== null && seconds >= 0 && { durationMs: Math.round(seconds * 1000) }) };
  return {
    type: "tool_result",
    toolCallId: id,
    text,
    isError: /^\s*EXECUTION TIMED OUT|^\s*COMMAND TIMED OUT/.test(text),
    saw: CLIPPED.test(text.slice(-400)) ? "preview" : "full",
    ...(Object.keys(detail).length > 0 && { detail }),
  };
}
