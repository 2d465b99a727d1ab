// What an agent's loop says to its model and hears from it, as records of one session. A loop sends the whole history each
// time, and several layers may tell of the same call: each message, call and result is recorded once.
import { hash, randomUUID } from "node:crypto";
import { textOfValue } from "#lib/kernel/artifacts/pointer.ts";
import type { HistoryPart } from "./history/compact-history.ts";
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

/** A compaction of what is sent: the summary stands for all that was told before `firstKept`. */
export type CompactedHistory = {
  readonly trigger: string;
  readonly summary: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly firstKept: HistoryPart | undefined;
  /** What the person asked for, where the turn goes on behind the summary. */
  readonly asked: HistoryPart | undefined;
};

/** What takes the records: a `Recorder`. */
export type RecordSink = { record(record: EventRecord | CallRecord): void };

export class Conversation {
  readonly #sink: RecordSink;
  /** How often each message was recorded: the same words may be said again. */
  readonly #told = new Map<string, number>();
  /** Name of each call's tool: a result may come without. */
  readonly #called = new Map<string, string>();
  readonly #answered = new Set<string>();
  /** Calls that wait for their result, by id, in order. */
  readonly #open = new Map<string, CalledTool>();
  /** Identity of each message, call and result, by what it is known by. */
  readonly #uuids = new Map<string, string>();
  readonly #prompts = new Set<string>();
  readonly #run = randomUUID();
  #events = 0;

  constructor(sink: RecordSink) {
    this.#sink = sink;
  }

  /** What is sent to the model: the whole history, or with `isNew` only what is new. */
  sent(messages: readonly SentMessage[], isNew = false): void {
    const seen = isNew ? new Map(this.#told) : new Map<string, number>();
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
      const uuid = this.#event(eventOf(message.role, message.text), key);
      if (message.role === "system") this.#prompts.add(uuid);
    }
  }

  /** A summary is sent from now on in place of the older messages. */
  compacted({ trigger, summary, tokensBefore, tokensAfter, firstKept, asked }: CompactedHistory): void {
    const [first, question] = [firstKept, asked].map((part) => part && this.#uuids.get(keyOfPart(part)));
    const preserved = [...this.#prompts, ...(question === undefined ? [] : [question])];
    this.#event({
      record: "event",
      body: {
        ...{ type: "compaction", kind: "full", trigger, tokensBefore, tokensAfter, text: summary, preserved },
        ...(first !== undefined && { keptFrom: first }),
      },
    });
    // Whoever records what is sent finds the summary there.
    const key = keyOf("user", summary);
    this.#told.set(key, (this.#told.get(key) ?? 0) + 1);
    this.#event({ record: "event", body: { type: "user", text: summary, injected: "summary" } }, key);
  }

  #event(record: EventRecord, key?: string): string {
    const uuid = `${this.#run}:${this.#events++}`;
    if (key !== undefined) this.#uuids.set(key, uuid);
    this.#sink.record({ ...record, uuid });
    return uuid;
  }

  /** What the model answered, with the provider's count of the call. */
  answered({ text, reasoning = "", toolCalls = [], model, usage }: ModelAnswer): void {
    const key = `call:${randomUUID()}`;
    const counted = usage === undefined ? {} : { usage: { ...usage, origin: "reported" as const } };
    this.#sink.record({ record: "call", key, ...(model !== undefined && { model }), ...counted });
    if (reasoning !== "") this.#event({ record: "event", call: key, body: { type: "reasoning", text: reasoning } });
    if (text !== "") {
      const told = keyOf("assistant", text);
      this.#told.set(told, (this.#told.get(told) ?? 0) + 1);
      this.#event({ record: "event", call: key, body: { type: "assistant", text } }, told);
    }
    for (const call of toolCalls) this.toolCall(call, key);
  }

  toolCall({ id, name, input }: CalledTool, call?: string): void {
    if (this.#called.has(id)) return;
    this.#called.set(id, name);
    this.#open.set(id, { id, name, input });
    const body = { type: "tool_call", toolCallId: id, toolName: name, input: input ?? {} } as const;
    this.#event({ record: "event", ...(call !== undefined && { call }), body }, `tool_call ${id}`);
  }

  /** The call whose result this may be, for frameworks that run a tool without its id: one of the same input before others. */
  openCall(name: string, input: unknown): string | undefined {
    const open = [...this.#open.values()].filter((call) => call.name === name);
    const text = textOfValue(input);
    return (open.find((call) => textOfValue(call.input) === text) ?? open[0])?.id;
  }

  toolResult({ id, name, text, isError, full, input }: ToolAnswerRecord): void {
    if (this.#answered.has(id)) return;
    this.#answered.add(id);
    this.toolCall({ id, name, input });
    this.#open.delete(id);
    const saw = full === undefined ? "full" : "preview";
    const offloaded = full === undefined ? {} : { offloadedBy: "plimsoll" as const };
    const body = { type: "tool_result", toolCallId: id, text, isError, saw, ...offloaded } as const;
    this.#event({ record: "event", body, ...(full !== undefined && { full }) }, `tool_result ${id}`);
  }
}

const keyOf = (role: string, text: string): string => `${role} ${hash("sha1", text, "base64")}`;

const keyOfPart = (part: HistoryPart): string =>
  "id" in part ? `${part.type} ${part.id}` : keyOf(part.type, part.text);

function eventOf(role: "system" | "user" | "assistant", text: string): EventRecord {
  if (role === "user") return { record: "event", startsTurn: true, body: { type: "user", text } };
  const body =
    role === "system" ? ({ type: "system", subtype: "prompt", text } as const) : ({ type: "assistant", text } as const);
  return { record: "event", body };
}
