// The lines of a file of captured requests, which the proxy writes and the format `captured` reads: a header, then one line for
// each request with its answer. docs/proxy.md tells what they hold.
import { z } from "zod";

/** Below the archive; files of the requests end so. */
export const CAPTURE_FOLDER = "captured";
export const CAPTURE_ENDING = ".captured.jsonl";

/** The shape of a provider's requests: Anthropic's Messages, OpenAI's Responses and chat completions, Gemini. */
export const CAPTURED_APIS = ["messages", "responses", "chat", "gemini"] as const;
export type CapturedApi = (typeof CAPTURED_APIS)[number];

const session = z.object({
  /** Format and native id of the session that the agent writes itself. */
  format: z.string(),
  id: z.string(),
});

export const capturedHeader = z.object({
  captured: z.literal(1),
  id: z.string(),
  at: z.int(),
  /** As its `user-agent` says; null where there is none. */
  agent: z.string().nullable(),
  /** Null for a program that names no session: its conversation is in the lines. */
  session: session.nullable(),
});
export type CapturedHeader = z.infer<typeof capturedHeader>;

/**
 * Exact bytes. `base` is the number of an earlier exchange of the file: its first `head` bytes come before, its last `tail` bytes
 * behind. Whole where it is null.
 */
const capturedBytes = z.object({
  base: z.number().int().nullable(),
  head: z.number().int(),
  tail: z.number().int(),
  /** UTF-8, or base64 where the bytes are no UTF-8. */
  text: z.string(),
  base64: z.literal(true).optional(),
  size: z.number().int(),
  sha256: z.string(),
});
export type CapturedBytes = z.infer<typeof capturedBytes>;

const headers = z.record(z.string(), z.string());

/** A block of the system prompt, or a tool. `key` names it in the file; told where it comes first. */
export const capturedPart = z.object({ key: z.string(), tool: z.string().nullable(), text: z.string() });
export type CapturedPart = z.infer<typeof capturedPart>;

export const capturedExchange = z.object({
  exchange: z.number().int().positive(),
  at: z.int(),
  /** Milliseconds from the request to the answer's first byte, and to its last; null where none came. */
  firstByteMs: z.number().nullable(),
  totalMs: z.number().max(1e12),
  method: z.string(),
  path: z.string(),
  api: z.enum(CAPTURED_APIS).nullable(),
  /** Names of the client's turn and of what it made the request for, where it says so. */
  turn: z.string().nullable(),
  purpose: z.string().nullable(),
  model: z.string().nullable(),
  headers,
  /** Decoded. Null where it was over the cap: `cut` says so. */
  request: capturedBytes.nullable(),
  /** Keys of the parts that stand before the conversation; null where the body could not be read. */
  parts: z.array(z.string()).nullable(),
  newParts: z.array(capturedPart),
  /** Messages that came since the request before, in the provider's own form; empty where the agent's file has them. */
  messages: z.array(z.unknown()),
  answer: z.object({
    /** Null where none came. */
    status: z.number().nullable(),
    headers,
    /** Decoded, as it came; null where it was cut or could not be decoded. */
    text: z.string().nullable(),
    /** Its events as one message, as the provider gives it to who does not stream. */
    message: z.record(z.string(), z.unknown()).nullable(),
  }),
  /** What was not recorded, and why the exchange ended early. */
  notes: z.array(z.string()),
});
export type CapturedExchange = z.infer<typeof capturedExchange>;
