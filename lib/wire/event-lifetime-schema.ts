// How long an event stayed in the context, and what it cost there; how one call was sent it.
import { z } from "zod";
import { EVENT_TYPES } from "#lib/kernel/event.ts";
import { origin } from "./common-schema.ts";

const usd = z.number().nullable();

/** One event of a transcript row: a tool call and its result are two. The same numbers as in the ledger. */
export const lifetimePart = z.object({
  seq: z.number(),
  type: z.enum(EVENT_TYPES),
  tokens: z.number(),
  origin,
  textTokens: z.number(),
  /** Calls by number; null when none carried it. */
  firstCall: z.number().nullable(),
  lastCall: z.number().nullable(),
  callsResident: z.number(),
  lifetimeTokens: z.number(),
  lifetimeUsd: usd,
});
export type LifetimePart = z.infer<typeof lifetimePart>;

/** One model call whose prompt held the row, or a part of it. */
export const carrierRow = z.object({
  call: z.number(),
  /** Its first event: where Load and Context are opened. */
  seq: z.number(),
  epoch: z.number(),
  model: z.string().nullable(),
  /** Copied from another session, and paid for there. */
  inherited: z.boolean(),
  /** Tokens of the whole prompt; `isReported`: by the provider. */
  prompt: z.number(),
  isReported: z.boolean(),
  /** Tokens of the row in it … */
  tokens: z.number(),
  /** … those of them that the provider read from its cache, by its own count of the prompt … */
  cached: z.number(),
  /** … and their dollars, at the call's own rates; null without a price. */
  usd,
});
export type CarrierRow = z.infer<typeof carrierRow>;

export const eventLifetime = z.object({
  /** The event of the row: of a tool interaction its call. */
  seq: z.number(),
  parts: z.array(lifetimePart),
  /** Least known of its parts. */
  origin,
  lifetimeTokens: z.number(),
  lifetimeUsd: usd,
  /** In order. */
  calls: z.array(carrierRow),
  /** Calls of the session, carrying it or not. */
  sessionCalls: z.number(),
  /** Why the row left the context; null when it did not, or was never in it. */
  left: z
    .discriminatedUnion("why", [
      z.object({
        why: z.literal("compaction"),
        seq: z.number(),
        /** A rewind is one of three ways. */
        how: z.enum(["compacted", "cleared", "rewound"]),
        tokensBefore: z.number().nullable(),
        tokensAfter: z.number().nullable(),
      }),
      /** The prompt became smaller, and the log does not say why. */
      z.object({ why: z.literal("unknown") }),
    ])
    .nullable(),
  version: z.string(),
});
export type EventLifetime = z.infer<typeof eventLifetime>;

export const seenQuery = z.object({
  /** The call to look at, by its number; the first that carried it when absent. */
  call: z.coerce.number().int().min(0).optional(),
});
export type SeenQuery = z.infer<typeof seenQuery>;

/** A message of a call's context that the row is in. */
export const seenMessage = z.object({
  /** Its position among the messages of the context, from 0. */
  index: z.number(),
  role: z.enum(["system", "user", "assistant", "tool", "tools"]),
  /** All events that it is made of. */
  seqs: z.array(z.number()),
  /** At most 256 K characters of `chars`. */
  text: z.string(),
  chars: z.number(),
  tokens: z.number(),
  origin,
  textTokens: z.number().nullable(),
  /** It left without a word in the log: the reported prompt has no room for it. */
  hasLeft: z.boolean(),
});
export type SeenMessage = z.infer<typeof seenMessage>;

export const eventSeen = z.object({
  /** The call that was looked at, its first event, and how many messages it was sent; null when no call carried the row. */
  call: z.object({ call: z.number(), seq: z.number(), messages: z.number(), isSentKnown: z.boolean() }).nullable(),
  messages: z.array(seenMessage),
});
export type EventSeen = z.infer<typeof eventSeen>;
