// What is not pure is given: a clock, tokenizers, prices. The kernel and the archive never reach for them.
import type { Usage } from "./draft.ts";
import type { Rates } from "./load/ledger-types.ts";
import type { CompactionSettings } from "./memory/settings.ts";
import type { Summarizers } from "./model-endpoint.ts";
import type { ReadGit } from "./git-question.ts";
import type { PostWebhook } from "./webhook-post.ts";

/** Counts tokens as a family of models does. Loaded when first used: vocabularies are megabytes. */
export type Tokenizer = {
  readonly id: string;
  count(text: string): number;
};

export type Tokenizers = {
  /** The tokenizer of a model's family, or null when none is known: sizes are then estimated. */
  idFor(model: string | null, format: string): string | null;
  load(id: string): Promise<Tokenizer>;
};

export type PriceTable = {
  /** What such a call is billed at, or null when the model has no price. The size of its prompt decides the tier. */
  rates(model: string, usage: Usage, at: number | null): Rates | null;
  /** Tokens of the model's context window, or null. */
  window(model: string): number | null;
};

export type Host = {
  now(): number;
  /** Milliseconds that the machine has been up: it goes on when somebody sets the clock. */
  uptime(): number;
  /** The person's home folder, which paths are shown without. */
  readonly home?: string;
  readonly tokenizers: Tokenizers;
  readonly prices: PriceTable;
  /** Makes clients of models; absent where none may be asked. */
  readonly summarizers?: Summarizers;
  /** Sends to a webhook; absent where nothing may be sent. */
  readonly postWebhook?: PostWebhook;
  /** Reads a session's git repository; absent where none may be read. */
  readonly readGit?: ReadGit;
  /** What the environment says about automatic compaction; absent: nothing. */
  readonly compaction?: CompactionSettings;
};

/** Bytes of UTF-8 a token takes where nothing was counted: measured on agent transcripts, code and JSON included. */
export const BYTES_PER_TOKEN = 3.3;
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);
