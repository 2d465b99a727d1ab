// The records of our own session format, as they are checked on the way in and written on the way out.
// docs/formats/plimsoll.md says what each field means.
import { z } from "zod";
import { eventBody } from "#lib/kernel/event.ts";

/** The version that this code reads and writes. */
export const VERSION = 1;

const time = z.string().refine((text) => Number.isFinite(Date.parse(text)), "is not an ISO time");
const tokens = z.number().int().nonnegative();

export const RELATIONS = ["root", "subagent", "fork", "resume", "continuation"] as const;

export const headerRecord = z.object({
  plimsoll: z.literal(VERSION),
  id: z.string().min(1).max(1000),
  title: z.string().optional(),
  /** How the title came about: 0 first words, 1 generated, 2 given by a person. */
  titleRank: z.union([z.literal(0), z.literal(1), z.literal(2)]).optional(),
  agent: z.string().optional(),
  agentVersion: z.string().optional(),
  model: z.string().optional(),
  cwd: z.string().optional(),
  branch: z.string().optional(),
  relation: z.enum(RELATIONS).optional(),
  /** The `id` of the parent's own header, and the parent's tool call that started this session. */
  parent: z.string().optional(),
  parentToolCallId: z.string().optional(),
  startedAt: time.optional(),
  /** The same, where earlier records are copies of another session's. */
  begunAt: time.optional(),
  endedAt: time.optional(),
  demo: z.boolean().optional(),
  quality: z.array(z.string()).optional(),
  /** Labels, stars and notes of a person; `seq` null: on the session itself. */
  marks: z
    .array(
      z.object({
        seq: z.number().int().positive().nullable(),
        kind: z.enum(["label", "note", "star"]),
        value: z.string().max(4000),
        at: time,
      }),
    )
    .max(10_000)
    .optional(),
});
export type HeaderRecord = z.infer<typeof headerRecord>;

const usage = z.object({
  inputUncached: tokens,
  cacheRead: tokens,
  cacheWrite: tokens,
  /** Part of cacheWrite. Absent: nothing was written for an hour. */
  cacheWrite1h: tokens.default(0),
  output: tokens,
  reasoning: tokens,
  webSearches: tokens.default(0),
});

const isPart = ({ cacheWrite, cacheWrite1h }: z.infer<typeof usage>): boolean => cacheWrite1h <= cacheWrite;
const TOO_LARGE = { path: ["cacheWrite1h"], message: "is larger than cacheWrite, which includes it" };

export const record = z.discriminatedUnion("record", [
  z
    .object({
      record: z.literal("event"),
      /** Identity of the record across copies of the session. Several events may have come from one. */
      uuid: z.string().min(1).optional(),
      ts: time.optional(),
      /** Key of the model call that produced it. */
      call: z.string().optional(),
      startsTurn: z.boolean().optional(),
      synthetic: z.boolean().optional(),
      body: eventBody,
      /** Images of the body, by index: the whole bytes in base64, or "" for one that was not kept. */
      attachments: z.array(z.object({ mediaType: z.string(), base64: z.string() })).optional(),
      /** The whole output, where the model saw a shorter text. */
      full: z.string().optional(),
    })
    .refine(({ body, full }) => full === undefined || (body.type === "tool_result" && body.saw === "preview"), {
      path: ["full"],
      message: 'needs a tool result with "saw":"preview"',
    }),
  z.object({
    record: z.literal("call"),
    key: z.string().min(1),
    ts: time.optional(),
    model: z.string().optional(),
    /** `reported`: the provider's numbers. `counted`: a tokenizer's. */
    usage: usage
      .extend({ origin: z.enum(["reported", "counted"]) })
      .refine(isPart, TOO_LARGE)
      .optional(),
    outputLowerBound: z.boolean().optional(),
    window: z.number().int().positive().optional(),
  }),
  /** The sub-agent that a tool call started, where its result does not name it. Stands after the call. */
  z.object({ record: z.literal("link"), toolCallId: z.string(), agentId: z.string() }),
  /** Tokens that the session's totals name but no call carries. */
  z.object({ record: z.literal("lost"), usage: usage.refine(isPart, TOO_LARGE) }),
  /** The agent's own totals, by model: what they count beyond the calls is no call's. */
  z.object({
    record: z.literal("reported"),
    /** Up to when, where that is not the session's end. */
    ts: time.optional(),
    usd: z.number().nonnegative().nullable(),
    usage: z.record(z.string(), usage.refine(isPart, TOO_LARGE)),
  }),
]);
export type PlimsollRecord = z.infer<typeof record>;
