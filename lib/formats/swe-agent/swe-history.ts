// Messages of SWE-agent: those before the first step, and all of a file that has no steps, as demonstrations have.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import { asArray, asText, asObject, clip, type Json } from "../json.ts";
import { readMessage } from "../messages/message-bodies.ts";
import type { JsonElement, JsonRange } from "../json-parts.ts";
import { eventAt, patchOf, type Position } from "../placed-drafts.ts";
import { answerDrafts, callsOf, type Steps } from "./swe-steps.ts";

const isDemo = (message: Json): boolean => message["is_demo"] === true || message["message_type"] === "demonstration";

/** What the model was sent before it answered first. */
export function preludeOf(history: Iterable<JsonElement>): JsonElement[] {
  const prelude: JsonElement[] = [];
  for (const element of history) {
    const message = asObject(element.value);
    if (message["role"] === "assistant" && !isDemo(message)) break;
    prelude.push(element);
  }
  return prelude;
}

/** A message at a time. */
export function* historyPieces(
  history: Iterable<JsonElement>,
  positionOf: (range: JsonRange) => Position,
  steps: Steps,
): Generator<readonly Draft[]> {
  let open: string | null = null;
  const draftsOf = ({ range, value }: JsonElement): Draft[] => {
    const message = asObject(value);
    const position = positionOf(range);
    const { role, said, usage } = readMessage(message);
    const text = said
      .flatMap(({ body }) =>
        body.type === "user" || body.type === "assistant" || body.type === "system" ? [body.text] : [],
      )
      .join("\n");
    const unknown = said.flatMap((one) => (one.body.type === "unknown" ? [eventAt(position, one.body)] : []));
    if (role === "system") return [eventAt(position, { type: "system", subtype: "message", text }), ...unknown];
    // What is shown of another run is sent, and is no turn of this one.
    if (isDemo(message)) return [eventAt(position, { type: "user", text, injected: "demonstration" }), ...unknown];
    if (role === "assistant") {
      const thought = asText(message["thought"]) ?? text;
      const bodies: EventBody[] = [
        ...said.flatMap(({ body }) => (body.type === "reasoning" ? [body] : [])),
        ...(thought.trim() === "" ? [] : [{ type: "assistant" as const, text: thought }]),
        ...callsOf(asArray(message["tool_calls"]), asText(message["action"]) ?? ""),
      ];
      const answer = answerDrafts(bodies, position, steps, usage);
      open = answer.toolCallId;
      return answer.drafts;
    }
    const result = said.find(({ body }) => body.type === "tool_result");
    const words = result === undefined || result.body.type !== "tool_result" ? text : result.body.text;
    if (open !== null) {
      const toolCallId = open;
      open = null;
      const body = { type: "tool_result", toolCallId, text: words, isError: false, saw: "full" } as const;
      return [eventAt(position, body), ...unknown];
    }
    const drafts: Draft[] = [];
    if (!steps.hasTitle && words.trim() !== "") {
      steps.hasTitle = true;
      drafts.push(patchOf(steps.lane, { title: clip(taskOf(words), 300), titleRank: 0 }));
    }
    const images = said.flatMap(({ attachments }) => attachments);
    const body = said.find((one) => one.body.type === "user")?.body ?? { type: "user" as const, text: words };
    return [...drafts, eventAt(position, body, { startsTurn: true, attachments: images }), ...unknown];
  };
  for (const element of history) yield draftsOf(element);
}

/** The task stands behind sentences that are the same in every run. */
function taskOf(text: string): string {
  const task = /(?:issue text|<pr_description>|CTF challenge\.)[:\s]*(?:ISSUE:)?\s*([^]*)/.exec(text)?.[1]?.trim();
  return task === undefined || task === "" ? text.trim() : task;
}
