// Events, turns and tool interactions of one session.
import { z } from "zod";
import { eventBody, EVENT_TYPES } from "#lib/kernel/event.ts";
import { origin } from "./common-schema.ts";

const eventBase = z.object({
  seq: z.number(),
  type: z.enum(EVENT_TYPES),
  ts: z.string().nullable(),
  turn: z.number(),
  call: z.number().nullable(),
  toolCallId: z.string().nullable(),
  toolName: z.string().nullable(),
  text: z.string().nullable(),
  saw: z.enum(["full", "preview"]).nullable(),
  artifact: z.string().nullable(),
  bytes: z.number(),
  /** What it weighs in a prompt, by the session's ledger: the same number on every page. Null for what no model is sent. */
  tokens: z.number().nullable(),
  origin: origin.nullable(),
  /** What a tokenizer alone counts of its text, before the provider's prompts put it right. */
  textTokens: z.number().nullable(),
  synthetic: z.boolean(),
  inherited: z.boolean(),
  raw: z.object({ file: z.string(), byteStart: z.number(), byteEnd: z.number() }),
});
/** One event as `plimsoll events --json` prints it. */
export const eventRow = eventBase;
export type EventRow = z.infer<typeof eventRow>;

/** One event for the transcript: the row, its body with long text cut, and its other half. */
export const eventView = eventBase.extend({
  body: eventBody,
  /** The body's text is only its beginning: `bytes` says how long it is. */
  textCut: z.boolean(),
  /** Turn starts here. */
  startsTurn: z.boolean(),
  /** The other half of a tool interaction. */
  pairSeq: z.number().nullable(),
  status: z.enum(["pending", "success", "error", "orphan"]).nullable(),
  durationMs: z.number().nullable(),
  /** The sub-agent session that this call started. */
  childSession: z.string().nullable(),
  /** Of a full compaction or a rewind: the prompts before and after it, as the provider reported them where it did. */
  sizes: z.object({ before: z.number().nullable(), after: z.number().nullable() }).nullable(),
  /** Of a compaction that was undone: the event that undid it. */
  undoneBy: z.number().nullable().optional(),
  /** Of a rewind: the first and the last event that it took out; null where it took none. */
  rewound: z.object({ from: z.number(), to: z.number() }).nullable().optional(),
  /** What is stored, beside what the model saw. */
  stored: z
    .object({
      pointer: z.string(),
      digest: z.string(),
      name: z.string().nullable(),
      contentType: z.string(),
      sizeBytes: z.number(),
      lineCount: z.number().nullable(),
      tokens: z.number().nullable(),
      origin: origin.nullable(),
      head: z.string().nullable(),
      /** Of one that has expired or was deleted only the row is left. */
      state: z.enum(["live", "expired", "deleted"]),
    })
    .nullable(),
  /** First model call that was sent it, and how many were. */
  enteredAt: z.number().nullable(),
  callsResident: z.number().nullable(),
});
export type EventView = z.infer<typeof eventView>;

export const eventsQuery = z.object({
  from: z.coerce.number().int().min(0).default(1),
  to: z.coerce.number().int().min(0).optional(),
  type: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(200),
});
export const eventsAnswer = z.object({ events: z.array(eventView), next: z.number().nullable() });
export type EventsAnswer = z.infer<typeof eventsAnswer>;

/**
 * The skeleton of a transcript, one entry a row, in order: enough to lay out, scrub and outline a session of any
 * size before its events are fetched. Rows are events that the transcript shows; a result that has its
 * call stands in the call's row. Columns are arrays of equal length.
 */
export const outlineAnswer = z.object({
  seq: z.array(z.number()),
  /** Index into `types`. */
  type: z.array(z.number()),
  types: z.array(z.string()),
  /** Index into `tools`, from 1, of a tool call's row or a result's; else 0. */
  tool: z.array(z.number()),
  /** Names of the tools that the session called. */
  tools: z.array(z.string()),
  turn: z.array(z.number()),
  /** Model calls whose prompt holds everything before this row: the cursor's call. */
  call: z.array(z.number()),
  /** Seq of the result in a tool call's row, else 0. */
  pair: z.array(z.number()),
  /** Bytes that the row put before the model. */
  bytes: z.array(z.number()),
  tokens: z.array(z.number()),
  /** How each is known: an index into ORIGINS. */
  origins: z.array(z.number()),
  /** Index into `labels`: tool name and argument, or the first words. */
  labels: z.array(z.string()),
  /** 1 error, 2 pending, 4 inherited, 8 hidden by default (meta), 16 cleared or dropped, 32 offloaded, 64 starts a sub-agent. */
  flags: z.array(z.number()),
  turns: z.array(
    z.object({ turn: z.number(), seq: z.number(), title: z.string(), tokens: z.number(), ts: z.string().nullable() }),
  ),
  compactions: z.array(
    z.object({ seq: z.number(), tokensBefore: z.number().nullable(), tokensAfter: z.number().nullable() }),
  ),
  rewinds: z.array(
    z.object({ seq: z.number(), tokensBefore: z.number().nullable(), tokensAfter: z.number().nullable() }),
  ),
  /** Changes when events are added or replaced. */
  version: z.string(),
});
export type OutlineAnswer = z.infer<typeof outlineAnswer>;

export const findQuery = z.object({ q: z.string().min(1).max(1000) });
export const findAnswer = z.object({
  /** Events that hold every word, in order. */
  seqs: z.array(z.number()),
  /** How often what is looked for stands in each of them; at least once. */
  counts: z.array(z.number()),
  total: z.number(),
  /** There are more events, or more text in them, than were looked through. */
  capped: z.boolean(),
  /** Events whose words stand in what was offloaded: in which artifact, and on which line. The first twenty. */
  stored: z.array(z.object({ seq: z.number(), artifact: z.string(), line: z.number() })).optional(),
});

export const interactionRow = z.object({
  callSeq: z.number().nullable(),
  resultSeq: z.number().nullable(),
  toolCallId: z.string().nullable(),
  toolName: z.string(),
  label: z.string(),
  status: z.enum(["pending", "success", "error", "orphan"]),
  hosted: z.boolean(),
  turn: z.number(),
  call: z.number().nullable(),
  startedAt: z.string().nullable(),
  durationMs: z.number().nullable(),
  bytes: z.number(),
  /** The result's, as its event has it. */
  tokens: z.number(),
  origin,
  textTokens: z.number(),
  enteredAt: z.number().nullable(),
  callsResident: z.number().nullable(),
  lifetimeTokens: z.number().nullable(),
  artifact: z.string().nullable(),
  /** How often the same tool was called with the same input in this session. */
  repeats: z.number(),
});
export type InteractionRow = z.infer<typeof interactionRow>;

export const toolsAnswer = z.object({
  interactions: z.array(interactionRow),
  totals: z.array(
    z.object({
      toolName: z.string(),
      calls: z.number(),
      errors: z.number(),
      pending: z.number(),
      bytes: z.number(),
      tokens: z.number(),
      origin,
      durationMs: z.number(),
      lifetimeTokens: z.number(),
    }),
  ),
});
export type ToolsAnswer = z.infer<typeof toolsAnswer>;
