// The ledger's nouns. Items are what was put before a model: an event, or what the provider's numbers say was there beside
// the file. Calls are in order of their first event; `from` and `to` are indexes into them, `to` the first without it.
import type { WeighingCategory } from "./weigh.ts";

/** What an event's constants are fitted for: its category, parted where two kinds of text weigh differently. */
export const ITEM_CLASSES = ["result", "call", "assistant", "user", "reasoning", "note", "listing", "summary"] as const;
export type ItemClass = (typeof ITEM_CLASSES)[number];

/** Whose tokenizer and whose rules: the key of the table of constants. */
export const FAMILIES = ["claude-4", "claude-5", "openai", "other"] as const;
export type Family = (typeof FAMILIES)[number];

/** An event as the ledger is given it. */
export type WeighedEvent = {
  readonly seq: number;
  readonly category: WeighingCategory;
  readonly itemClass: ItemClass;
  readonly toolName: string | null;
  readonly label: string;
  /** Tokens of its text, by a tokenizer or from its bytes; 0 where its weight is not its text. */
  readonly textTokens: number;
  readonly isCounted: boolean;
  /** Bytes of its text. */
  readonly bytes: number;
  readonly signatureChars: number;
  readonly imageTokens: number;
  /** The model call that wrote it; null for what came from elsewhere. */
  readonly call: number | null;
  readonly startsTurn: boolean;
  /** A block of the system prompt, or a tool: the file holds all of what stands before the conversation. */
  readonly isFrame?: boolean;
  /** The position in the log that it was sent from, where that is before its own: copied calls had it already. */
  readonly since?: number;
};

/** A part that copied calls were sent and that is in another session's file alone. `event` is of that session. */
export type BorrowedPart = {
  readonly event: WeighedEvent;
  /** Sent to the calls that begin behind this position of the log … */
  readonly since: number;
  /** … up to this one; null: to the end. */
  readonly until: number | null;
};

export type LedgerCallInput = {
  readonly call: number;
  readonly firstSeq: number;
  readonly model: string | null;
  /** Milliseconds since 1970, or null. */
  readonly ts: number | null;
  readonly uncached: number;
  readonly cacheRead: number;
  /** All cache writes … */
  readonly cacheWrite: number;
  /** … and those of them for one hour. */
  readonly cacheWrite1h: number;
  readonly output: number;
  readonly reasoning: number;
  readonly webSearches: number;
  /** The agent wrote `output` at the start of the stream: it says nothing of the answer's size. */
  readonly outputLowerBound: boolean;
  /** False: nothing was reported, and the counts above mean nothing. */
  readonly hasUsage: boolean;
  /** Copied from the session that this one goes on from, and paid for there. */
  readonly inherited: boolean;
};

/** `exact`: the provider's numbers leave one value. `tight`: they confirm the estimate within 10 %. */
export const GRADES = ["exact", "tight", "estimated"] as const;
export type Grade = (typeof GRADES)[number];

export type LedgerItem = {
  /** Null for what is not in the file: the hidden prefix, answers that were not kept, unattributed tokens. */
  readonly seq: number | null;
  readonly kind: WeighingCategory | "unattributed";
  readonly itemClass: ItemClass | null;
  readonly toolName: string | null;
  readonly label: string;
  readonly from: number;
  readonly to: number;
  /** Tokens before reconciliation; equal to `tokens` for what is not in the file. */
  readonly estimated: number;
  /** What the ledger gives it, whole. Negative only for unattributed tokens: something was taken out. */
  readonly tokens: number;
  /** How `estimated` came about. */
  readonly basis: "reported" | "counted" | "estimated";
  readonly grade: Grade;
  /** Nine of ten items of this class and grade lie within `tokens` ± this. */
  readonly plusMinus: number;
  readonly isHidden: boolean;
};

export type LedgerCall = LedgerCallInput & {
  readonly epoch: number;
  readonly family: Family;
  /** Reported prompt tokens; null when nothing was reported. */
  readonly reported: number | null;
  /** prefix + visible + unattributed. Equal to `reported` on every call that has it. */
  readonly sum: number;
  /** Hidden prefix: system prompt, tool schemas, memory files, what the agent attached again after a compaction. */
  readonly prefix: number;
  readonly visible: number;
  readonly unattributed: number;
  /** Growth since the call before, inside an epoch and under one model; null elsewhere. */
  readonly growthReported: number | null;
  /** What the items that came and went would have grown it by, before reconciliation. */
  readonly growthEstimated: number | null;
  /** Estimates of what was known to leave, which growthEstimated is less by. Never what only the fall itself told of. */
  readonly growthLeft: number | null;
  /** Tokens that left before this call without a word in the log, by the prompt's fall and the cache; 0 where none did. */
  readonly cleared: number;
  /** The first call after a rewind: its prompt goes on from an earlier one than the call before had. */
  readonly isRewound?: true;
};

export type Ledger = {
  readonly calls: readonly LedgerCall[];
  /** By `from`, then by position in the prompt: the hidden prefix of an epoch first. */
  readonly items: readonly LedgerItem[];
  /** Events that no call was sent, with what they would weigh: the last answer, what a compaction took at once. */
  readonly unsent?: readonly LedgerItem[];
};

/** $ a token; of an inherited call nothing, because no dollar is counted in two sessions. */
export type Rates = {
  readonly uncached: number;
  readonly read: number;
  /** To a cache of five minutes, and of one hour. */
  readonly write: number;
  readonly write1h: number;
  readonly output: number;
  /** $ a web search, and $ a request. */
  readonly webSearch: number;
  readonly request: number;
  /** No price table names write1h: it follows from uncached. */
  readonly isDerived: boolean;
  /** A person set one of them. */
  readonly isSet: boolean;
};

/** The rates of a call, or null when its model has no price. `prompt` decides the tier. */
export type RatesOf = (call: LedgerCallInput, prompt: number) => Rates | null;
