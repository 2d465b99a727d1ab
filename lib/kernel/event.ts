// The log. A session is an append-only list of events; turns, tool interactions, the context the
// model saw, its load and its cost are views of it. Read this file first.
//
// One content block of a record is one event. A record may yield several, all with the same raw
// byte range. `unknown` means not understood (raw bytes kept); `meta` means known, but not conversation.
import { z } from "zod";
import { jsonText } from "./json-text.ts";

export const EVENT_TYPES = [
  "user",
  "assistant",
  "reasoning",
  "tool_call",
  "tool_result",
  "system",
  "compaction",
  "rewind",
  "error",
  "meta",
  "unknown",
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** An image inside a message; its bytes become an artifact. */
export const imagePart = z.object({
  mediaType: z.string(),
  /** Index into the draft's `attachments`; in a stored event the artifact's pointer is beside it. */
  attachment: z.number().int().nonnegative(),
  artifact: z.string().nullable().default(null),
  width: z.number().int().nullable().default(null),
  height: z.number().int().nullable().default(null),
});
export type ImagePart = z.infer<typeof imagePart>;

/** What a tool's client knew beyond the text that the model saw. All optional, all bounded. */
export const resultDetail = z.object({
  exitCode: z.number().int().nullable().optional(),
  interrupted: z.boolean().optional(),
  durationMs: z.number().nonnegative().optional(),
  /** Unified hunks of an edit: `{oldStart, newStart, lines}`; lines begin with space, + or -. */
  patch: z.array(z.object({ oldStart: z.number(), newStart: z.number(), lines: z.array(z.string()) })).optional(),
  /** The sub-agent that this call started, in the format's own id. */
  agentId: z.string().optional(),
  agentTokens: z.number().optional(),
  /** How many tokens the whole output had, where the agent says that it cut it. */
  originalTokens: z.number().optional(),
  filePath: z.string().optional(),
  totalLines: z.number().optional(),
});
export type ResultDetail = z.infer<typeof resultDetail>;

const text = z.string();
const images = z.array(imagePart).optional();

export const eventBody = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("user"),
    text,
    images,
    /** Why it is not a prompt: command, reminder, summary, interrupted, environment, … */
    injected: z.string().optional(),
  }),
  z.object({ type: z.literal("assistant"), text, images }),
  z.object({
    type: z.literal("reasoning"),
    text,
    /** Length of a signature or of encrypted content: the input weight of reasoning that is not readable. */
    signatureChars: z.number().int().optional(),
    encrypted: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("tool_call"),
    toolCallId: z.string().nullable(),
    toolName: z.string(),
    /** The first part of a name in two parts, `namespace.name`, as the model gave it. */
    namespace: z.string().optional(),
    /** The input is free text by the tool's own definition: the Responses interface tells such calls apart. */
    custom: z.literal(true).optional(),
    input: z.unknown(),
    /** What its provider sent with it and wants back: kept as it is, and read by that provider's renderer alone. */
    native: z.record(z.string(), z.unknown()).optional(),
    /** Run by the provider, with its result inside: counted apart. */
    hosted: z.boolean().optional(),
  }),
  z.object({
    type: z.literal("tool_result"),
    toolCallId: z.string().nullable(),
    text,
    images,
    isError: z.boolean().default(false),
    /** `full`: the model had all of it. `preview`: it saw a shorter text. */
    saw: z.enum(["full", "preview"]).default("full"),
    /** Lengths of its blocks, where it was sent in several: `text` has them a line break apart. */
    blocks: z.array(z.number().int().nonnegative()).optional(),
    offloadedBy: z.enum(["agent", "plimsoll"]).optional(),
    /** Where the agent says that it kept the whole output, and how large that is. */
    storedPath: z.string().optional(),
    storedBytes: z.number().optional(),
    detail: resultDetail.optional(),
  }),
  z.object({
    type: z.literal("system"),
    subtype: z.string(),
    text,
    /** The role that it was sent in, where that is not `system`. */
    role: z.literal("developer").optional(),
  }),
  z.object({
    type: z.literal("compaction"),
    /** full: a summary takes the place of what came before. micro: named results were blanked. */
    kind: z.enum(["full", "micro"]),
    trigger: z.string().nullable(),
    tokensBefore: z.number().nullable(),
    tokensAfter: z.number().nullable(),
    text,
    /** Record keys that stay in context, verbatim, after a full compaction. */
    preserved: z.array(z.string()).optional(),
    /** Record key of the first that stays, with all that came after it: where an agent names no more than that. */
    keptFrom: z.string().optional(),
    /** Record keys of all that the new context begins with, in the order in which it is sent; null: the next event of this record. */
    order: z.array(z.string().nullable()).optional(),
    /** Tool calls whose results a micro compaction blanked. */
    cleared: z.array(z.string()).optional(),
    /** Lengths of what was sent in place of each of `cleared`: `text` has them a line break apart. Absent: the file does not say. */
    blocks: z.array(z.number().int().nonnegative()).optional(),
    /** Record keys of what else it took out: files and notes that the client had put beside the conversation. */
    clearedRecords: z.array(z.string()).optional(),
  }),
  z.object({
    type: z.literal("rewind"),
    text,
    /** Key of the last record that stays; null: the conversation began anew. What lies between it and this event left the context. */
    after: z.string().nullable(),
  }),
  z.object({ type: z.literal("error"), text, code: z.string().optional() }),
  z.object({
    type: z.literal("meta"),
    subtype: z.string(),
    text,
    /** The client sent this text to the model, as part of what its category names; absent: the model never saw it. */
    sent: z.enum(["prefix", "memory", "user", "tools"]).optional(),
    /** What it is about: a tool's name, a file's path. */
    name: z.string().optional(),
    /** The text is what was sent, frame and all, in a message of this role. */
    rendered: z.enum(["user", "system"]).optional(),
    /** A block of the system prompt, or a tool: it stands before every request until a later note's `parts` lacks it. */
    part: z.string().optional(),
    parts: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal("unknown"), reason: z.string(), text }),
]);
export type EventBody = z.infer<typeof eventBody>;

/** What a micro compaction put in place of each of its `cleared` results, in their order; null where the log does not say. */
export function clearedTexts(body: Extract<EventBody, { type: "compaction" }>): string[] | null {
  if (body.kind !== "micro" || body.blocks === undefined) return null;
  let at = 0;
  return body.blocks.map((length) => {
    const one = body.text.slice(at, at + length);
    at += length + 1;
    return one;
  });
}

/** A client's note that stands among the messages; tools have a field of the request to themselves. */
export const isSentNote = (body: EventBody): boolean =>
  body.type === "meta" && body.sent !== undefined && body.sent !== "tools";

/** Where an event's bytes lie in its source. */
export const rawRange = z.object({ byteStart: z.number().int(), byteEnd: z.number().int() });
export type RawRange = z.infer<typeof rawRange>;

/** An event as the archive keeps it. `seq` counts from 1 inside a session. */
export type StoredEvent = {
  readonly seq: number;
  readonly ts: number | null;
  readonly turn: number;
  /** The model call that produced it; null for what did not come from the model. */
  readonly call: number | null;
  readonly body: EventBody;
  /** Bytes of UTF-8 of the text that the model saw. */
  readonly bytes: number;
  readonly artifact: string | null;
  readonly recordKey: string | null;
  readonly synthetic: boolean;
  readonly inherited: boolean;
  readonly raw: RawRange;
};

/** The text that an event puts before the model: its own words, or a call's name and input. */
export function eventText(body: EventBody): string {
  if (body.type === "tool_call") return typeof body.input === "string" ? body.input : jsonText(body.input ?? null);
  return body.text;
}
