// Context, memory and compaction, as doors and the command line give them. Names of `compact` and `recall` are fixed by the
// command line's contract (docs/memory.md).
import { z } from "zod";
import { TOOL_EVENT_POLICIES } from "#lib/kernel/memory/compaction-policy.ts";
import { category, origin } from "./common-schema.ts";
import { requestPurpose } from "./sent-request-schema.ts";

export const RENDERERS = ["openai-chat", "openai-responses", "anthropic", "gemini", "text"] as const;
/** `sent`: the request itself, where the session's file holds it; else the form of the session's own provider. */
export const CONTEXT_FORMS = ["sent", ...RENDERERS] as const;
export type ContextForm = (typeof CONTEXT_FORMS)[number];

const seq = z.coerce.number().int().min(1);

/** Events and model calls, as records of our own session format (docs/formats/plimsoll.md): the archive reads each. */
export const ingestRequest = z.strictObject({
  records: z.array(z.unknown()).min(1),
  /** Epoch of the request that the calls answered, as the request said it. Absent: of the one under way. */
  epoch: z.number().int().min(1).optional(),
});

/** `seqs`: for each record the event that it is now, null for a call. */
export const ingestAnswer = z.object({ seqs: z.array(z.number().nullable()), version: z.string() });
export type IngestAnswer = z.infer<typeof ingestAnswer>;

export const contextQuery = z.object({
  /** The context that a call at this event would see; absent: at the end. */
  at: seq.optional(),
  as: z.enum(CONTEXT_FORMS).default("openai-chat"),
  /** A compaction or a plan: the context that it leaves, with what left by it. */
  plan: z.string().max(100).optional(),
});
export type ContextQuery = z.infer<typeof contextQuery>;

/** One message of a context whole: its position in `messages`, or in `left`, of the answer at the same event. */
export const contextMessageQuery = z.object({
  at: seq.optional(),
  plan: z.string().max(100).optional(),
  as: z.enum(CONTEXT_FORMS).optional(),
  list: z.enum(["messages", "left"]).default("messages"),
  index: z.coerce.number().int().min(0).max(1_000_000),
});
export type ContextMessageQuery = z.infer<typeof contextMessageQuery>;
/** All its words; `text` is cut at 256 K characters of `chars`. */
export const contextMessageAnswer = z.object({ text: z.string(), chars: z.number() });
export type ContextMessageAnswer = z.infer<typeof contextMessageAnswer>;

/** One message of the context, with the events that it came from. */
export const contextMessage = z.object({
  /** `tools`: of a request as it was sent, the tools that it offered. */
  role: z.enum(["system", "user", "assistant", "tool", "tools"]),
  seqs: z.array(z.number()),
  /** The first words, for a row. */
  label: z.string(),
  chars: z.number(),
  tokens: z.number(),
  origin,
  /** What a tokenizer alone counts of its text; null for what is in no event: a made result, a placeholder. */
  textTokens: z.number().nullable(),
  /** It left without a word in the log: the reported prompts have no room for it. It is not in the sum. */
  hasLeft: z.boolean(),
  /** Against the call before: came in, or stood there. `synthetic`: a result made so that the provider takes the request. */
  change: z.enum(["new", "same"]),
  synthetic: z.boolean(),
  /** A cache mark stands at it: what comes before it is kept by the provider. */
  isMarked: z.boolean().optional(),
  /** Reasoning that only the provider can read: bytes as they are sent, and what of `tokens` it weighs. */
  sealed: z.object({ bytes: z.number(), tokens: z.number(), origin }).optional(),
});
export type ContextMessage = z.infer<typeof contextMessage>;

export const contextAnswer = z.object({
  sessionId: z.string(),
  at: z.number(),
  /** What is shown; never `sent` where the request is not known. */
  as: z.enum(CONTEXT_FORMS),
  /** The request of this call is in the session's file; or why, of a file that holds requests, this one is not. */
  isSentKnown: z.boolean(),
  whyNotSent: z.string().nullable(),
  call: z.number().nullable(),
  /** Where the event is the record of a request that no call answers: its id, and what the agent made it for. */
  request: z.object({ id: z.string(), source: z.string().nullable(), purpose: requestPurpose }).nullable(),
  epoch: z.number(),
  tokens: z.number(),
  origin,
  /** What the provider reported for this call, and what of it is hidden prefix: the rest that no message holds is unattributed. */
  reported: z.number().nullable(),
  prefix: z.number().nullable(),
  messages: z.array(contextMessage),
  /** Messages of the call before that are gone. */
  left: z.array(contextMessage),
  /** The provider's payload; `json` is its compact text, cut at 1 MB with `isCut` (the whole is at …/context/raw). */
  payload: z.object({ json: z.string(), isCut: z.boolean(), bytes: z.number() }),
  /** What pairing had to mend: results moved, made, dropped. */
  repair: z.object({
    moved: z.number(),
    synthetic: z.number(),
    duplicates: z.number(),
    orphans: z.number(),
    droppedCalls: z.number(),
  }),
  /** What the messages hold and this provider's request cannot: kind, reason, how many. */
  leftOut: z.array(z.object({ what: z.string(), why: z.string(), count: z.number() })).optional(),
  version: z.string(),
});
export type ContextAnswer = z.infer<typeof contextAnswer>;

/** What of tool events the summary is made of: all of them when absent. Artifacts are named in any case. */
export const toolEvents = z.enum(TOOL_EVENT_POLICIES);
/** What a model is asked to mind. */
export const instructions = z.string().trim().min(1).max(10_000);

/** Lines of an edited summary, at most, and characters of one of them. */
const EDITED_LINES = 5000;
const EDITED_LINE_CHARS = 10_000;

export const compactRequest = z.strictObject({
  at: seq.optional(),
  /** `extractive`, or a model that was set up in Settings. */
  summarizer: z.string().max(200).default("extractive"),
  /** Characters of the summary, at most. */
  budgetChars: z.coerce.number().int().min(200).max(400_000).default(12_000),
  /** Turns that stay whole. */
  tail: z.coerce.number().int().min(0).max(1000).default(4),
  toolEvents: toolEvents.optional(),
  instructions: instructions.optional(),
  dryRun: z.boolean().default(true),
  /** The draft of a dry run: its summary is applied, and the model not asked again. */
  draft: z.string().max(40).optional(),
  /** The summary as a person edited it: these lines in place of those of the dry run. Of a model: with its draft. */
  lines: z
    .array(z.strictObject({ text: z.string().max(EDITED_LINE_CHARS), seqs: z.array(seq).max(500).default([]) }))
    .min(1)
    .max(EDITED_LINES)
    .optional(),
});
export type CompactRequest = z.infer<typeof compactRequest>;

/** `by`: a person wrote it, or changed what the summarizer wrote. */
const line = z.object({ text: z.string(), seqs: z.array(z.number()), by: z.literal("person").optional() });
const part = z.object({
  seq: z.number(),
  kind: z.string(),
  /** As in the load chart; absent in compactions that were kept before it was told. */
  category: category.nullable().optional(),
  label: z.string(),
  tokens: z.number(),
});

/** Episodic: what happened. Semantic: what holds. */
export const memoryItem = z.object({
  id: z.string(),
  kind: z.enum(["episodic", "semantic"]),
  text: z.string(),
  category: z.string().nullable(),
  salience: z.number(),
  confidence: z.number().nullable(),
  tags: z.array(z.string()),
  turns: z.array(z.number()),
  seqs: z.array(z.number()),
  pinned: z.boolean(),
  /** summary: read off a summary that the agent wrote itself. */
  madeBy: z.enum(["compaction", "person", "agent", "summary"]),
  compactionId: z.string().nullable(),
  createdAt: z.string(),
  changedAt: z.string(),
  deletedAt: z.string().nullable(),
});
export type MemoryItemRow = z.infer<typeof memoryItem>;

export const compactAnswer = z.object({
  status: z.enum(["planned", "complete", "nothing_to_compact", "failed", "undone"]),
  id: z.string().nullable(),
  /** applied: in the log of a session of ours. plan: beside an imported one. */
  kind: z.enum(["applied", "plan"]),
  unit: z.enum(["turn", "block"]).nullable(),
  turns: z.array(z.number()),
  /** First and last event that the summary takes the place of. */
  events: z.tuple([z.number(), z.number()]).nullable(),
  at: z.number(),
  summarizer: z.string(),
  tokensBefore: z.number(),
  tokensAfter: z.number(),
  origin,
  summary: z.string(),
  lines: z.array(line),
  episodic: z.array(memoryItem),
  semantic: z.array(memoryItem),
  /** The context as it would be, message by message. */
  snapshot: z.array(contextMessage),
  kept: z.object({
    files: z.object({ kept: z.number(), total: z.number() }),
    commands: z.object({ kept: z.number(), total: z.number() }),
    errors: z.object({ kept: z.number(), total: z.number() }),
    userMessages: z.object({ kept: z.number(), total: z.number() }),
    decisions: z.object({ kept: z.number(), total: z.number() }),
  }),
  /** Ledger of the compaction: what stays whole, what the summary stands for, what leaves the context (all of it stays in the log). */
  whole: z.array(part),
  summarised: z.array(part),
  dropped: z.array(part),
  reason: z.string().nullable(),
  /** Names what a model wrote in a dry run, so that it can be applied as it is; null without a model. */
  draft: z.string().nullable(),
  ms: z.number(),
});
export type CompactAnswer = z.infer<typeof compactAnswer>;

export const undoAnswer = z.object({
  status: z.literal("undone"),
  id: z.string(),
  sessionId: z.string(),
  tokensAfter: z.number().nullable(),
});
export type UndoAnswer = z.infer<typeof undoAnswer>;

export const compactionRow = z.object({
  id: z.string(),
  kind: z.enum(["applied", "plan", "agent"]),
  status: z.string(),
  trigger: z.string().nullable(),
  at: z.number(),
  events: z.tuple([z.number(), z.number()]).nullable(),
  turns: z.array(z.number()),
  tokensBefore: z.number().nullable(),
  tokensAfter: z.number().nullable(),
  summary: z.string(),
  summarizer: z.string().nullable(),
  reason: z.string().nullable(),
  startedAt: z.string().nullable(),
  undoneAt: z.string().nullable(),
});
export type CompactionRow = z.infer<typeof compactionRow>;

export const compactionsAnswer = z.object({ compactions: z.array(compactionRow) });

export const memoryAnswer = z.object({
  sessionId: z.string(),
  /** Compactions of it are real: it is ours, or an attached memory folder. */
  held: z.boolean(),
  epochs: z.array(
    z.object({
      epoch: z.number(),
      fromSeq: z.number(),
      toSeq: z.number(),
      calls: z.number(),
      compactionId: z.string().nullable(),
      tokens: z.number().nullable(),
    }),
  ),
  compactions: z.array(compactionRow),
  items: z.array(memoryItem),
  recalls: z.array(
    z.object({
      turn: z.number().nullable(),
      at: z.number().nullable(),
      query: z.string(),
      /** `summary`: name and first words; null in recalls that an older version kept. */
      items: z.array(z.object({ artifactId: z.string(), pointer: z.string(), summary: z.string().nullable() })),
      chars: z.number(),
      omitted: z.number(),
      createdAt: z.string(),
    }),
  ),
  version: z.string(),
});
export type MemoryAnswer = z.infer<typeof memoryAnswer>;

export const memoryChange = z.discriminatedUnion("do", [
  z.strictObject({
    do: z.literal("add"),
    kind: z.enum(["episodic", "semantic"]),
    text: z.string().min(1).max(4000),
    category: z.string().max(40).nullable().default(null),
    salience: z.number().min(0).max(1000).default(0),
    tags: z.array(z.string().max(100)).max(50).default([]),
    seqs: z.array(seq).max(1000).default([]),
  }),
  z.strictObject({
    do: z.literal("edit"),
    id: z.string(),
    text: z.string().min(1).max(4000).optional(),
    salience: z.number().min(0).max(1000).optional(),
    tags: z.array(z.string().max(100)).max(50).optional(),
  }),
  z.strictObject({ do: z.enum(["pin", "unpin", "delete", "restore"]), id: z.string() }),
]);
export type MemoryChange = z.infer<typeof memoryChange>;

/** What an item was before each change; `before` is null where it was made. */
export const memoryHistory = z.object({
  item: memoryItem,
  changes: z.array(z.object({ did: z.string(), before: memoryItem.nullable(), by: z.string(), at: z.string() })),
});
export type MemoryHistory = z.infer<typeof memoryHistory>;
