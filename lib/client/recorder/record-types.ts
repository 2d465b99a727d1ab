// What a recorder takes: events and model calls, as docs/formats/plimsoll.md describes them.
import type { z } from "zod";
import type { eventBody } from "#lib/kernel/event.ts";

export type EventRecord = {
  readonly record: "event";
  /** Its identity: a second one of the same is not stored twice. Given by the recorder when absent. */
  readonly uuid?: string;
  /** ISO time; now when absent. */
  readonly ts?: string;
  /** `key` of the model call whose answer it is part of. */
  readonly call?: string;
  /** A person or a parent agent wrote it. */
  readonly startsTurn?: boolean;
  readonly body: z.input<typeof eventBody>;
  /** The whole output, where the model saw a shorter text (`saw: "preview"`). */
  readonly full?: string;
};

/** Tokens of a model call. The prompt is the sum of the first three; `reasoning` is part of `output`. */
export type RecordedUsage = {
  readonly inputUncached: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Part of cacheWrite: written for one hour. */
  readonly cacheWrite1h?: number;
  readonly output: number;
  readonly reasoning: number;
};

export type CallRecord = {
  readonly record: "call";
  readonly key: string;
  readonly ts?: string;
  readonly model?: string;
  readonly usage?: RecordedUsage & { readonly origin: "reported" | "counted" };
};
