// What an agent's loop says to its model and hears from it, as records of one session. A loop sends the whole history each
// time, and several layers may tell of the same call: each message, call and result is recorded once.
import { hash, randomUUID } from "node:crypto";
import type { CallRecord, EventRecord, RecordedUsage } from "./recorder/record-types.ts";

/** A message as it is sent to a model; results of tools name the call that they answer. */
export type SentMessage =
  | { readonly role: "system" | "user" | "assistant"; readonly text: string }
  | {
      readonly role: "tool";
      readonly id: string;
      readonly name: string;
      readonly text: string;
      readonly isError?: boolean;
    };

export type CalledTool = { readonly id: string; readonly name: string; readonly input: unknown };

export type ModelAnswer = {
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly CalledTool[];
  readonly model?: string | undefined;
  readonly usage?: RecordedUsage | undefined;
};

export type ToolAnswerRecord = {
  readonly id: string;
  readonly name: string;
  /** What the model sees. */
  readonly text: string;
  readonly isError: boolean;
  /** The whole output, where the model sees a shorter text. */
  readonly full?: string;
  readonly input?: unknown;
};

/** What takes the records: a `Recorder`. */
export type RecordSink = { record(record: EventRecord | CallRecord): void };

export class Conversation {
  readonly #sink: RecordSink;
  /** How often each message was recorded: the same words may be said again. */
  readonly #told = new Map<string, number>();
  readonly #called = new Set<string>();
  readonly #answered = new Set<string>();

  constructor(sink: RecordSink) {
    this.#sink = sink;
  }

  /** What is sent to the model: all of it, or what is new. */
  sent(messages: readonly SentMessage[]): void {
    const seen = new Map<string, number>();
    for (const message of messages) {
      if (message.role === "tool") {
        this.toolResult({ ...message, isError: message.isError === true });
        continue;
      }
      if (message.text === "") continue;
      const key = keyOf(message.role, message.text);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      if (count <= (this.#told.get(key) ?? 0)) continue;
      this.#told.set(key, count);
      this.#sink.record(eventOf(message.role, message.text));
    }
  }

  /** What the model answered, with the provider's count of the call. */
  answered({ text, reasoning = "", toolCalls = [], model, usage }: ModelAnswer): void {
    const key = `call:${randomUUID()}`;
    const counted = usage === undefined ? {} : { usage: { ...usage, origin: "reported" as const } };
    this.#sink.record({ record: "call", key, ...(model !== undefined && { model }), ...counted });
    if (reasoning !== "")
      this.#sink.record({ record: "event", call: key, body: { type: "reasoning", text: reasoning } });
    if (text !== "") {
      const told = keyOf("assistant", text);
      this.#told.set(told, (this.#told.get(told) ?? 0) + 1);
      this.#sink.record({ record: "event", call: key, body: { type: "assistant", text } });
    }
    for (const call of toolCalls) this.toolCall(call, key);
  }

  toolCall({ id, name, input }: CalledTool, call?: string): void {
    if (this.#called.has(id)) return;
    this.#called.add(id);
    const body = { type: "tool_call", toolCallId: id, toolName: name, input: input ?? {} } as const;
    this.#sink.record({ record: "event", ...(call !== undefined && { call }), body });
  }

  toolResult({ id, name, text, isError, full, input }: ToolAnswerRecord): void {
    if (this.#answered.has(id)) return;
    this.#answered.add(id);
    this.toolCall({ id, name, input });
    const saw = full === undefined ? "full" : "preview";
    const offloaded = full === undefined ? {} : { offloadedBy: "plimsoll" as const };
    const body = { type: "tool_result", toolCallId: id, text, isError, saw, ...offloaded } as const;
    this.#sink.record({ record: "event", body, ...(full !== undefined && { full }) });
  }
}

const keyOf = (role: string, text: string): string => `${role} ${hash("sha1", text, "base64")}`;

function eventOf(role: "system" | "user" | "assistant", text: string): EventRecord {
  if (role === "user") return { record: "event", startsTurn: true, body: { type: "user", text } };
  const body =
    role === "system" ? ({ type: "system", subtype: "prompt", text } as const) : ({ type: "assistant", text } as const);
  return { record: "event", body };
}
