// The model calls behind an answer, as the extension stores them for the next request: what each said, thought and called, and what its
// tools gave back, whole.
import type { Draft } from "#lib/kernel/draft.ts";
import type { EventBody, ResultDetail } from "#lib/kernel/event.ts";
import { asArray, asCount, asNumber, asObject, asText, asTime, isObject, type Json } from "../json.ts";
import { inputOf } from "../messages/message-parts.ts";
import { eventAt, imagesOf, type Position } from "../placed-drafts.ts";
import { readToolOutput } from "./chat-outputs.ts";

export type ChatRound = {
  readonly id: string | null;
  /** Among all that the list has. */
  readonly index: number;
  readonly value: Json;
  readonly calls: readonly RoundCall[];
  readonly ts: number | null;
  readonly thoughtTokens: number;
};

export type RoundCall = { readonly id: string; readonly name: string; readonly input: unknown; readonly given: string };

/** What a call is shown as, by its id. */
export type ShownCall = { readonly part: Json; readonly data: Json };

/** Calls of the chat so far: an id that comes twice names the first alone. */
export function roundsOf(metadata: Json, seen: Set<string>): ChatRound[] {
  return asArray(metadata["toolCallRounds"])
    .map((value, index) => ({ value, index }))
    .filter((one): one is { value: Json; index: number } => isObject(one.value))
    .map(({ value, index }) => ({
      id: asText(value["id"]),
      index,
      value,
      calls: asArray(value["toolCalls"])
        .filter(isObject)
        .map((call, i) => callOf(call, `${seen.size}.${i}`, seen)),
      ts: asTime(value["timestamp"]),
      thoughtTokens: asCount(asObject(value["thinking"])["tokens"]),
    }));
}

function callOf(call: Json, position: string, seen: Set<string>): RoundCall {
  const given = asText(call["id"]) ?? "";
  const id = given === "" || seen.has(given) ? `${given}#${position}` : given;
  seen.add(id);
  return { id, given, name: asText(call["name"]) ?? "unnamed", input: inputOf(call["arguments"]) };
}

export function roundDrafts(round: ChatRound, position: Position, callKey: string): Draft[] {
  const { value } = round;
  const own = { callKey };
  const bodies: EventBody[] = [
    ...thoughtOf(asObject(value["thinking"])),
    ...(asText(value["response"]) ? [{ type: "assistant" as const, text: asText(value["response"])! }] : []),
    ...round.calls.map(({ id, name, input }) => ({
      type: "tool_call" as const,
      toolCallId: id,
      toolName: name,
      input,
    })),
  ];
  if (bodies.length === 0) bodies.push({ type: "meta", subtype: "empty answer", text: "" });
  // The server's own summary, which only it can read.
  if (isObject(value["compaction"])) bodies.push({ type: "meta", subtype: "compaction of the provider", text: "" });
  return bodies.map((body) => eventAt(position, body, own));
}

function thoughtOf(thinking: Json): EventBody[] {
  const texts = Array.isArray(thinking["text"]) ? thinking["text"] : [thinking["text"]];
  const text = texts.filter((one) => typeof one === "string").join("");
  const sealed = asText(thinking["encrypted"]) ?? "";
  if (text === "" && sealed === "") return [];
  return [
    {
      type: "reasoning",
      text,
      ...(sealed !== "" && { signatureChars: sealed.length }),
      ...(text === "" && { encrypted: true }),
    },
  ];
}

/** What the extension writes in the place of an output when a tool throws. */
const FAILED = /^\s*(?:ERROR while calling tool\b|ERROR: )/;
const SKIPPED = /^\s*The user (?:chose to skip|cancelled) the tool call/;

/** Results of a round's calls. One that was not done has none. */
export function resultDrafts(
  { calls, value }: ChatRound,
  results: Json,
  shown: (call: RoundCall) => ShownCall | null,
  position: Position,
): Draft[] {
  const drafts: Draft[] = [];
  for (const call of calls) {
    const result = Object.hasOwn(results, call.given) ? results[call.given] : undefined;
    if (!isObject(result)) continue;
    const { text, attachments } = readToolOutput(result["content"]);
    const known = shown(call);
    const isError = FAILED.test(text) || asObject(known?.part["resultDetails"])["isError"] === true;
    const detail = { ...detailOf(known), ...(SKIPPED.test(text) && { interrupted: true }) };
    const body: EventBody = {
      type: "tool_result",
      toolCallId: call.id,
      text,
      isError,
      saw: "full",
      ...(attachments.length > 0 && { images: imagesOf(attachments) }),
      ...(Object.keys(detail).length > 0 && { detail }),
    };
    drafts.push(eventAt({ ...position, ts: null }, body, { attachments }));
  }
  const hook = asText(value["hookContext"]) ?? "";
  if (hook !== "") drafts.push(eventAt({ ...position, ts: null }, { type: "user", text: hook, injected: "hook" }));
  return drafts;
}

export function detailOf(known: ShownCall | null): ResultDetail {
  const { exitCode, duration } = asObject(known?.data["terminalCommandState"]);
  const [code, ms] = [asNumber(exitCode), asNumber(duration)];
  return {
    ...(code !== null && Number.isInteger(code) && { exitCode: code }),
    ...(ms !== null && ms >= 0 && { durationMs: ms }),
  };
}
