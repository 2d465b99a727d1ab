// Artifacts: pointers to blobs. Bytes never travel through these shapes; they are streamed.
import { z } from "zod";
import { LIMITS } from "#lib/kernel/limits.ts";
import { origin, page } from "./common-schema.ts";

export const artifactOrigin = z.enum(["imported", "auto", "manual", "upload", "migrated"]);
export type ArtifactOrigin = z.infer<typeof artifactOrigin>;

export const artifactState = z.enum(["live", "expired", "deleted"]);
export type ArtifactState = z.infer<typeof artifactState>;

export const artifactRow = z.object({
  /** `art:<uuid>` */
  pointer: z.string(),
  /** `art_<first 16 hex of the digest>`, the name of the content inside its session. */
  id: z.string(),
  digest: z.string(),
  name: z.string().nullable(),
  sessionId: z.string(),
  sessionTitle: z.string().optional(),
  seq: z.number().nullable(),
  toolName: z.string().nullable(),
  toolCallId: z.string().nullable(),
  contentType: z.string(),
  sizeBytes: z.number(),
  lineCount: z.number().nullable(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
  /** How it came to be here: read from a session file, offloaded by a decision, stored on purpose, … */
  origin: artifactOrigin,
  isError: z.boolean(),
  /** What is past its time counts as expired at once, swept or not. */
  state: artifactState,
  /** A tombstone keeps its row. */
  deletedAt: z.string().nullable(),
  /** In lists: what it is made of, in one line; null where nothing was told when it came in. */
  shape: z.string().nullable().optional(),
  /** In lists and of one: the tool and what it was asked, as its row in the transcript says; null where no event stored it. */
  label: z.string().nullable().optional(),
  /** In lists: what it weighs in its session, as the ledger says; null until its session was counted. */
  load: z
    .object({
      /** What its event weighs: what the model saw of it. Where no event holds it, what it would weigh; null where that is no text. */
      tokens: z.number().nullable(),
      origin: origin.nullable(),
      /** Model calls that carried its event; 0 when none did. */
      calls: z.number(),
      /** What these calls paid for it; null without a price. */
      usd: z.number().nullable(),
      /** `preview`: the model was sent a part or an envelope. Tokens, calls and cost are of that. */
      saw: z.enum(["full", "preview"]),
      /** The session changed since. */
      isOld: z.boolean(),
    })
    .nullable()
    .optional(),
});
export type ArtifactRow = z.infer<typeof artifactRow>;

export const artifactsQuery = z.object({
  session: z.string().max(400).optional(),
  q: z.string().max(1000).default(""),
  tool: z.string().max(200).optional(),
  type: z.string().max(100).optional(),
  state: artifactState.optional(),
  origin: artifactOrigin.optional(),
  /** `tokens`, `calls` and `cost` are of `load`: artifacts without it come last. */
  sort: z.enum(["size", "created", "name", "tool", "type", "expires", "tokens", "calls", "cost"]).default("size"),
  dir: z.enum(["asc", "desc"]).default("desc"),
  ...page,
});
export type ArtifactsQuery = z.infer<typeof artifactsQuery>;

export const artifactsAnswer = z.object({
  artifacts: z.array(artifactRow),
  next: z.number().nullable(),
  total: z.number(),
  totalBytes: z.number(),
  /** Artifacts whose session was not counted yet: their `load` is null. */
  unweighed: z.number(),
  tools: z.array(z.object({ value: z.string(), count: z.number() })),
  types: z.array(z.object({ value: z.string(), count: z.number() })),
  /** Asked for an agent's session: the session that holds what the agent's hook put away of it, or null. */
  hooked: z.object({ id: z.string(), artifacts: z.number(), bytes: z.number() }).nullable(),
});
export type ArtifactsAnswer = z.infer<typeof artifactsAnswer>;

export const artifactView = artifactRow.extend({
  /** A line of the shape grammar for JSON, JSONL, CSV and text; null for binary. */
  shape: z.string().nullable(),
  /** The root keys of a JSON object, each with what stands behind it; empty for anything else. */
  outline: z.array(z.tuple([z.string(), z.string()])),
  deletedWhy: z.string().nullable(),
  description: z.string().nullable(),
  /** `sound`: the bytes were compared with their digest; `unchecked`: too large to do so for a page. */
  bytes: z.enum(["sound", "unchecked", "missing", "damaged", "removed"]),
  width: z.number().nullable(),
  height: z.number().nullable(),
  tokens: z.number().nullable(),
  tokensOrigin: origin.nullable(),
  saw: z.enum(["full", "preview"]),
  offloadedBy: z.string().nullable(),
  /** First model call that was sent it, how many were, and the calls' sum. */
  enteredAt: z.number().nullable(),
  callsResident: z.number().nullable(),
  /** Other artifacts with the same bytes. */
  sameBytes: z.array(
    z.object({ pointer: z.string(), sessionId: z.string(), title: z.string(), seq: z.number().nullable() }),
  ),
  registry: z.object({ ok: z.boolean() }),
});
export type ArtifactView = z.infer<typeof artifactView>;

/** Characters of a window of lines: 2,000 lines that are cut at `lineChars`. */
const WINDOW_CHARS = 2000 * LIMITS.lineChars;

/** Lines of a text artifact from `from` (1-based). A line longer than `chars` characters is cut, with its length. */
export const linesQuery = z
  .object({
    from: z.coerce.number().int().min(1).default(1),
    count: z.coerce.number().int().min(1).max(2000).default(500),
    chars: z.coerce.number().int().min(1).max(LIMITS.longLineChars).default(LIMITS.lineChars),
  })
  .refine(({ count, chars }) => count * chars <= WINDOW_CHARS, {
    message: `Lines times characters are at most ${WINDOW_CHARS}: ask for fewer lines, or for less of each.`,
  });
export const linesAnswer = z.object({
  from: z.number(),
  lines: z.array(z.object({ text: z.string(), chars: z.number(), cut: z.boolean() })),
  lineCount: z.number(),
});
export type LinesAnswer = z.infer<typeof linesAnswer>;

/** Highlighted text: one list of [text, light colour, dark colour] a line. */
export const highlightAnswer = z.object({
  language: z.string(),
  lines: z.array(z.array(z.tuple([z.string(), z.string(), z.string()]))),
  cutAtBytes: z.number().nullable(),
});
export type HighlightAnswer = z.infer<typeof highlightAnswer>;
