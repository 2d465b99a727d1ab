// Sessions that Plimsoll holds: an agent's library or HTTP client makes one, stores outputs in it, and is given the text
// that the model is to see.
import { z } from "zod";
import { PRUNE_DEFAULTS } from "#lib/kernel/context/prune.ts";
import { artifactRow } from "./artifacts-schema.ts";
import { instructions, toolEvents } from "./memory-schema.ts";

/** A word of the agent's: kept as it is, shown as text, never part of a path. */
const word = z.string().min(1).max(400);

const isExtractive = (summarizer = "extractive"): boolean => summarizer === "extractive";

/**
 * Automatic compaction of a session, off when absent. The budget of a prompt is the window (the session's, else the model's,
 * else 200,000) less the output less a margin.
 */
const compactionSettings = z.strictObject({
  /** Tokens of the window that are in use; goes before the session's window. */
  contextTokens: z.number().int().min(1).max(100_000_000).optional(),
  /** What the provider takes as input, where that is less. */
  maxInputTokens: z.number().int().min(1).max(100_000_000).optional(),
  /** Tokens of the window that the answer may need. */
  maxOutputTokens: z.number().int().min(0).max(100_000_000).optional(),
  safetyMarginTokens: z.number().int().min(0).max(100_000_000).optional(),
  /** Share of the budget above which the next request is compacted. */
  ratio: z.number().positive().max(1).optional(),
  /** Turns that stay whole. */
  tail: z.number().int().min(0).max(1000).optional(),
  toolEvents: toolEvents.optional(),
  instructions: instructions.optional(),
  /** The same by the names that other agents' configurations have: off, `ratio` in percent, `tail`, `toolEvents`, `instructions`. */
  enabled: z.boolean().optional(),
  threshold_percent: z.number().min(50).max(95).optional(),
  keep_recent_inputs: z.number().int().min(1).max(1000).optional(),
  tool_event_policy: toolEvents.optional(),
  compaction_message: instructions.optional(),
  /** `extractive`, or a model that was set up in Settings. */
  summarizer: z.string().min(1).max(200).optional(),
});
export const heldCompaction = compactionSettings.refine(
  (said) => (said.instructions ?? said.compaction_message) === undefined || !isExtractive(said.summarizer),
  { path: ["instructions"], error: "Instructions need a model. Name one as summarizer, or omit them" },
);
export type HeldCompaction = z.infer<typeof heldCompaction>;

const share = z.number().min(0).max(1);

/** What is done to each request of a session; nothing when absent. The log stays as it is. */
export const heldRequest = z.strictObject({
  /** Artifacts that the last user message asks for, told in front of it. */
  recall: z
    .strictObject({
      topK: z.number().int().min(1).max(100).default(8),
      maxChars: z.number().int().min(100).max(100_000).default(2000),
    })
    .optional(),
  /** Old results are shortened, then cleared, once the provider's cache of the prompt is cold: `ttlMs` after the last answer that has a time. */
  prune: z
    .strictObject({
      ttlMs: z.number().int().min(1).max(1e9).default(PRUNE_DEFAULTS.ttlMs),
      keepLastAssistants: z.number().int().min(0).max(1000).default(PRUNE_DEFAULTS.keepLastAssistants),
      softTrimRatio: share.default(PRUNE_DEFAULTS.softTrimRatio),
      hardClearRatio: share.default(PRUNE_DEFAULTS.hardClearRatio),
      minPrunableToolChars: z.number().int().min(0).max(1e9).default(PRUNE_DEFAULTS.minPrunableToolChars),
      allow: z.array(word).max(100).default([]),
      deny: z.array(word).max(100).default([]),
    })
    .optional(),
  /** What of a result enters the context: at most 32,000 characters, less in a small window. The whole is an artifact. */
  capResults: z.boolean().optional(),
});
export type HeldRequest = z.infer<typeof heldRequest>;

/** What a session's agent said when it made the session, as it is kept. */
export type HeldSettings = HeldCompaction & {
  readonly request?: HeldRequest;
  /** Only the request was spoken of. */ readonly isOff?: true;
};

export const createSessionRequest = z
  .object({
    /** The agent's own name of the session; a new one when absent. Asking again for the same gives the same session. */
    id: word.optional(),
    title: z.string().max(2000).optional(),
    agentName: word.optional(),
    model: word.optional(),
    /** Tokens of the model's window; the policy's percentages are of it. */
    contextWindow: z.number().int().min(1).max(100_000_000).optional(),
    /** A preset's name, or a policy object (seeds B.2.1); the archive's default when absent. */
    policy: z.union([z.string().max(40), z.record(z.string(), z.unknown())]).optional(),
    /** Automatic compaction; `{}` takes it as it comes. */
    compaction: heldCompaction.optional(),
    request: heldRequest.optional(),
  })
  .strict();
export type CreateSessionRequest = z.infer<typeof createSessionRequest>;

export const heldSession = z.object({
  id: z.string(),
  nativeId: z.string(),
  title: z.string(),
  policy: z.record(z.string(), z.unknown()),
  created: z.boolean(),
});
export type HeldSession = z.infer<typeof heldSession>;

const flag = z.enum(["0", "1", "true", "false"]).transform((text) => text === "1" || text === "true");

/** `POST /api/sessions/{id}/artifacts?…`: the body is the bytes. */
export const storeQuery = z.object({
  name: z.string().min(1).max(1000).optional(),
  tool: word.optional(),
  call: word.optional(),
  turn: z.coerce.number().int().min(0).max(1e9).optional(),
  type: z.string().max(200).optional(),
  description: z.string().max(500).optional(),
  /** Seconds until it expires; absent: as long as the session. */
  ttl: z.coerce.number().positive().max(1e10).optional(),
  /** What the bytes must hash to: another digest is refused, and nothing is kept. */
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
});

export const storedArtifact = artifactRow.extend({
  /** `artifact_id` of the tools. */
  artifactId: z.string(),
  preview: z.string(),
  shape: z.union([z.string(), z.record(z.string(), z.string())]),
});
export type StoredArtifact = z.infer<typeof storedArtifact>;

/** `POST /api/sessions/{id}/outputs?…`: the body is what a tool returned. */
export const outputQuery = z.object({
  tool: word,
  call: word.optional(),
  turn: z.coerce.number().int().min(0).max(1e9).optional(),
  type: z.string().max(200).optional(),
  is_error: flag.default(false),
  /** Tokens of the context before this output, where the agent knows them: the headroom gate needs them. */
  used_tokens: z.coerce.number().int().min(0).max(1e9).optional(),
  /** What the call asked, as JSON, where the address has room for it: the transcript shows it. */
  input: z.string().max(8000).optional(),
  /** The read-back tools that the agent has, joined by commas; all of them when absent. */
  tools: z.string().max(400).optional(),
});

export const offloadDecisionRow = z.object({
  seq: z.number().nullable(),
  toolCallId: z.string().nullable(),
  toolName: z.string(),
  sizeBytes: z.number(),
  chars: z.number().nullable(),
  thresholdBytes: z.number().nullable(),
  gate: z.string(),
  action: z.enum(["inline", "artifact", "truncate", "drop"]),
  status: z.enum(["ok", "failed"]),
  pointer: z.string().nullable(),
  preset: z.string().nullable(),
  reason: z.string(),
  at: z.string(),
});
export type OffloadDecisionRow = z.infer<typeof offloadDecisionRow>;

export const outputAnswer = z.object({
  decision: offloadDecisionRow,
  /** What the model is to see: the output, an envelope, or a cut text with a notice. */
  text: z.string(),
  artifact: storedArtifact.nullable(),
  /** The event of the result; null when the turn takes no more writes. */
  seq: z.number().nullable(),
});
export type OutputAnswer = z.infer<typeof outputAnswer>;

export const closeTurnAnswer = z.object({ turn: z.number(), closed: z.boolean() });
