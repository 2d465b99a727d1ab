// What a detector is given and what it names. A detector is one function from a session's load to culprits; what a culprit
// would have saved is worked out by one replay for all of them (../what-if), so that the figures of two detectors agree.
import type { ServerShare } from "../servers.ts";
import type { Reading } from "../reading-calls.ts";
import type { SeenLines } from "../seen-lines.ts";
import type { Ledger, RatesOf, Grade } from "../ledger-types.ts";

/** What is known of an item's event beside its weight. Read by the archive; absent for most events. */
export type EventFacts = {
  readonly seq: number;
  /** The file that a call named, as it wrote it. */
  readonly path: string | null;
  /** First line and lines asked for, where the call named a part. */
  readonly range: { readonly start: number; readonly lines: number | null } | null;
  /** The shell command of a call. */
  readonly command: string | null;
  /** Same input of the same tool, same bytes of output: equal keys. */
  readonly inputKey: string | null;
  readonly outputKey: string | null;
  readonly isError: boolean;
  /** Of a result: the call that asked for it; of a call: its result. */
  readonly pairSeq: number | null;
  /** The call changed `path` (an edit or a write) … */
  readonly writes: boolean;
  /** … and these files, where it is a patch of several. */
  readonly patches: readonly string[];
  /** The call only reads. */
  readonly reading: Reading | null;
  /** The lines that a reading showed. */
  readonly lines: SeenLines | null;
  /** Index of the last model call whose own words named what this output says (a path or identifiers of it), or null. */
  readonly lastUsed: number | null;
};

/** Nothing is known of it. */
export const NO_FACTS: EventFacts = {
  seq: 0,
  path: null,
  range: null,
  command: null,
  inputKey: null,
  outputKey: null,
  isError: false,
  pairSeq: null,
  writes: false,
  patches: [],
  reading: null,
  lines: null,
  lastUsed: null,
};

/** A schema of a tool that stood in the prompt, where a session's file tells of them. */
export type ToolSchema = {
  readonly name: string;
  /** The MCP server it came from, or null. */
  readonly server: string | null;
  readonly tokens: number;
  readonly calls: number;
  /** The event that listed it, where the file has one. */
  readonly seq: number | null;
};

export type CompactionFacts = {
  readonly seq: number;
  readonly kind: "full" | "micro";
  readonly trigger: string | null;
  readonly tokensBefore: number | null;
  readonly tokensAfter: number | null;
  /** What a micro compaction blanked. */
  readonly cleared: ReadonlySet<number>;
};

export type SessionLoadFacts = {
  readonly ledger: Ledger;
  readonly facts: ReadonlyMap<number, EventFacts>;
  readonly compactions: readonly CompactionFacts[];
  /** A prompt was refused for its length: the seq of that error. */
  readonly overflows: readonly number[];
  readonly schemas: readonly ToolSchema[];
  /** Of events that list tools of MCP servers, or their instructions: which servers, and how much of it each is. */
  readonly servers?: ReadonlyMap<number, readonly ServerShare[]>;
  /** Names of the tools that the run started with, where its file has them; their schemas are in the hidden prefix. */
  readonly tools?: readonly string[];
  /** The input budget of the session; null when unknown. */
  readonly loadLine: number | null;
  readonly ratesOf: RatesOf;
};

export const DETECTORS = [
  "oversized-output",
  "stale-result",
  "re-read",
  "fan-out",
  "unused-schemas",
  "memory-file",
  "reasoning",
  "cache-break",
  "compaction-thrash",
  "retry-loop",
] as const;
export type DetectorId = (typeof DETECTORS)[number];

/** What a replay would take out to undo a culprit. */
export type Cure =
  /** These items weigh `keep` tokens each from the call after they came in. */
  | { readonly do: "shrink"; readonly seqs: readonly number[]; readonly keep: number }
  /** These items leave at call index `at`. */
  | { readonly do: "drop"; readonly seqs: readonly number[]; readonly at: number }
  /** Of each of these items only so many tokens came, in their order. */
  | { readonly do: "trim"; readonly seqs: readonly number[]; readonly keep: readonly number[] }
  /** These items never came. */
  | { readonly do: "omit"; readonly seqs: readonly number[] }
  /** So many tokens of the hidden prefix are gone from every call, or from those of a span. */
  | { readonly do: "prefix"; readonly tokens: number; readonly from?: number; readonly to?: number }
  /** The cache held at these calls. */
  | { readonly do: "keep-cache"; readonly calls: readonly number[] };

/** A culprit before it is priced. Call numbers are indexes into the ledger's calls. */
export type Suspect = {
  readonly detector: DetectorId;
  /** The event to look at; null when nothing in the file stands for it. */
  readonly seq: number | null;
  /** All events that it is made of, `seq` among them. */
  readonly seqs: readonly number[];
  readonly label: string;
  readonly toolName: string | null;
  readonly from: number;
  /** Index of the last call that carried it. */
  readonly last: number;
  /** Tokens in one prompt (of several items: their sum). */
  readonly tokens: number;
  /** 0 to 1: how sure it is that this was waste. 1 is certain, e.g. the same bytes twice. */
  readonly confidence: number;
  readonly lastUsed: number | null;
  /** One thing to do, in the imperative, under 60 characters. */
  readonly fix: string;
  readonly cure: Cure;
};

export type Detector = (session: SessionLoadFacts) => readonly Suspect[];

export type CulpritKind = { readonly grade: Grade; readonly plusMinus: number };

export type AlsoAvoided = {
  /** The rest of the prompts at a lower tier of prices, or compactions that would not have been needed. */
  readonly what: "tier" | "compaction";
  readonly count: number;
  readonly usd: number | null;
};

/** A suspect with what it cost and what its cure would have saved. Dollars are null where a call has no price. */
export type Culprit = Suspect &
  CulpritKind & {
    readonly callsResident: number;
    /** Tokens × calls until compaction. */
    readonly lifetimeTokens: number;
    readonly lifetimeUsd: number | null;
    readonly avoidableTokens: number;
    /** Of `lifetimeUsd`; never more. */
    readonly avoidableUsd: number | null;
    /** Some calls that its cure changes have no price: the true sum of dollars is more. */
    readonly isPartial: boolean;
    /** What else its cure would have avoided, each a line of its own: it is no part of what the item cost. */
    readonly also: readonly AlsoAvoided[];
    /** Tokens off the largest prompt of the epoch that it was in. */
    readonly offPeak: number;
    readonly whatIf: {
      readonly peak: number;
      readonly promptTokens: number;
      readonly usd: number | null;
      readonly compactions: number;
    };
  };
