// What a session format yields, record by record, and what a reader gives to it. Formats and readers know this file, and not each other.
import type { CleanupBySetting } from "./cleanup-rules.ts";
import type { Continuation } from "./continuation.ts";
import type { ProjectLists } from "./project-lists.ts";
import type { RequestReader } from "./request-records.ts";
import type { EventBody } from "./event.ts";

/** One record of a source: a line, a document, a row. Bytes are exact; the range says where they lie. */
export type SourceRecord = {
  readonly bytes: Uint8Array;
  readonly byteStart: number;
  readonly byteEnd: number;
  /** Line number from 1, where the source has lines. */
  readonly line: number;
  /** The record is longer than LIMITS.lineBytes: `bytes` is only its head. */
  readonly oversized?: boolean;
  readonly key?: string;
};

/** Tokens of one model call, disjoint except the two that are parts of others; and the searches that it is billed for. */
export type Usage = {
  inputUncached: number;
  cacheRead: number;
  /** All cache writes. */
  cacheWrite: number;
  /** Part of cacheWrite: written for one hour, at twice the input price. The rest is for five minutes. */
  cacheWrite1h: number;
  output: number;
  /** Part of output. */
  reasoning: number;
  /** Web searches that the provider ran: a fee for each. */
  webSearches: number;
};

export const USAGE_FIELDS = [
  "inputUncached",
  "cacheRead",
  "cacheWrite",
  "cacheWrite1h",
  "output",
  "reasoning",
  "webSearches",
] as const satisfies readonly (keyof Usage)[];

export const NO_USAGE: Usage = {
  inputUncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
  webSearches: 0,
};

/** The size of a call's prompt: everything that was sent, never what came back. */
export const promptTokens = (usage: Usage): number => usage.inputUncached + usage.cacheRead + usage.cacheWrite;

/** Where an attachment's bytes are: base64 text of a data block. */
export type Attachment = { readonly mediaType: string; readonly base64: string };

/**
 * A piece of the log. `lane` is "" for the file's own session, else the id of a sub-agent whose run
 * is inside the same file.
 */
export type Draft =
  | {
      readonly kind: "event";
      readonly lane: string;
      readonly ts: number | null;
      readonly body: EventBody;
      /** Identity of the record across copies of the file (a uuid), or null. */
      readonly recordKey: string | null;
      /** Groups the events of one model call; the same key as its "call" draft. */
      readonly callKey: string | null;
      /** A person or a parent agent wrote it: a turn starts here. */
      readonly startsTurn: boolean;
      readonly attachments?: readonly Attachment[];
      /** The whole output, where the record holds it beside the shorter text that the model saw. */
      readonly fullText?: string;
      /** A closing that the format adds for a call that was interrupted. */
      readonly synthetic?: boolean;
      /** Where inside the record, when several records share a line. */
      readonly byteStart?: number;
      readonly byteEnd?: number;
      /** False for a piece that is no record: it stands in the log, and is not counted. */
      readonly isRecord?: false;
    }
  | {
      /** A model call, seen once or several times: the archive keeps the field-wise maximum. */
      readonly kind: "call";
      readonly lane: string;
      readonly key: string;
      readonly ts: number | null;
      readonly model: string | null;
      readonly usage: Usage | null;
      /** A tokenizer counted `usage`; no provider reported it. */
      readonly counted?: true;
      /** `output` is a lower bound: the agent wrote the count at the start of the stream. */
      readonly outputLowerBound: boolean;
      /** The window that the agent named for this call. */
      readonly window?: number | null;
      /** How its events name it, where they come before its key is known. */
      readonly eventsKey?: string;
      /** So many events of the same record were sent with the call: it comes behind them. */
      readonly follows?: number;
    }
  | { readonly kind: "session"; readonly lane: string; readonly patch: SessionPatch }
  | {
      /** A tool call of this lane started the sub-agent `agentId`. */
      readonly kind: "link";
      readonly lane: string;
      readonly toolCallId: string;
      readonly agentId: string;
    }
  | {
      /** The context that the last compaction left, where a later record says so. */
      readonly kind: "compacted";
      readonly lane: string;
      readonly tokensAfter: number;
    }
  | {
      /** Tokens that the totals name but no call carries (a lost record). */
      readonly kind: "lost";
      readonly lane: string;
      readonly usage: Usage;
    }
  | {
      /** The agent's own totals: of the session, its sub-agents, and calls that no record is about (a title's). The latest hold. */
      readonly kind: "reported";
      readonly lane: string;
      /** Up to when, where that is not the last event so far. */
      readonly ts?: number;
      readonly usd: number | null;
      /** By model. */
      readonly usage: Readonly<Record<string, Usage>>;
    }
  | {
      readonly kind: "problem";
      readonly line: number;
      readonly byteStart: number;
      readonly byteEnd: number;
      readonly reason: string;
    };

const PROGRESS = ".progress";

/** The lane of a sub-agent's run of which its parent tells in passing: it stands for the agent's own log, while that is absent. */
export const progressLane = (agentId: string): string => agentId + PROGRESS;

/** The sub-agent of such a lane; null for others. */
export const agentOfProgress = (lane: string): string | null =>
  lane.endsWith(PROGRESS) ? lane.slice(0, -PROGRESS.length) : null;

export type Archived = "reset" | "deleted";

/** What a format learns about a session. Later values win, except title, which ranks by `titleRank`. */
export type SessionPatch = {
  readonly title?: string;
  /** 0 first user text, 1 a summary or generated title, 2 a title that a person gave. */
  readonly titleRank?: 0 | 1 | 2;
  readonly cwd?: string;
  readonly branch?: string;
  readonly agentVersion?: string;
  readonly model?: string;
  readonly startedAt?: number;
  readonly begunAt?: number; // The same, where earlier records are copies of another session's.
  /** Native id (without format) of the parent, and how it is related. */
  readonly parent?: string;
  readonly parentToolCallId?: string | null;
  readonly relation?: "root" | "subagent" | "fork" | "resume" | "continuation";
  readonly agentName?: string;
  /** A sentence on data quality, kept once. */
  readonly quality?: string;
  readonly demo?: boolean;
  /** What a person marked it with in the archive that it was exported from; `seq` null: the session itself. */
  readonly marks?: readonly {
    readonly seq: number | null;
    readonly kind: "label" | "note" | "star";
    readonly value: string;
    readonly at: string;
  }[];
};

/** What is known of a file before its records are read. */
export type SourceFile = {
  readonly path: string;
  /** First bytes of the file, from its first text on: 64 KiB, or the first line, where that is longer. */
  readonly head: Uint8Array;
  /** Small files beside it that the format asked for, by path. */
  readonly sidecars: ReadonlyMap<string, string>;
  /** The parser's state that an older version left: what the files beside it said, where they are gone. */
  readonly before?: unknown;
};

/** Columns of each table of a database, by its name. */
export type Tables = ReadonlyMap<string, readonly string[]>;
export type Row = Readonly<Record<string, unknown>>;

/** Rows that become records, in order: `sql` has the session's id as its one parameter, or the id of the row above. */
export type RecordRows = { readonly table: string; readonly sql: string; readonly children?: RecordRows };

/** A database that holds many sessions. Each becomes a source of its own, whose records are its rows as lines of JSON. */
export type DatabaseReader = {
  /** Queries for a database with these tables; a sentence on what is missing, where it is one of this agent's. Null: it is another's. */
  queries(tables: Tables): DatabaseQueries | string | null;
  /** A row that its agent still writes: while it is the last one, it waits. */
  isOpen(table: string, row: Row): boolean;
};

export type DatabaseQueries = {
  /** `id`, a `stamp` that is another when any row of the session is, and when it `changed` (milliseconds). */
  readonly sessions: string;
  readonly records: readonly RecordRows[];
  /** Functions of one value that the queries call, for what SQL cannot read. None throws. */
  readonly functions?: Readonly<Record<string, (value: unknown) => string | null>>;
};

/** A kind of session file. `parse` is pure: it opens nothing, and `state` is all that it remembers. */
export type Format<S = unknown> = {
  readonly id: string;
  readonly label: string;
  /** What in its content it is recognised by, as a noun phrase: "a first line of type session". */
  readonly signs: string;
  /** Raised when the same bytes yield other drafts: what an older version read is read again from the archive's bytes. */
  readonly version: number;
  readonly reader: "lines" | "document" | "zip" | "sqlite";
  /** What an agent printed or sent about a session gives way to the file that it writes itself, and telemetry to both; first an excerpt does. */
  readonly secondHand?: "stream" | "telemetry" | ((path: string) => "excerpt" | null);
  /** The format's files are databases, and its records rows of them. */
  readonly database?: DatabaseReader;
  /** True for a file that is one document, of a format whose files are lines otherwise. */
  isDocument?(file: SourceFile): boolean;
  /** Names of a document's records; null where it cannot be read to its end. A document that is written anew has lost those that it lacks. */
  recordNames?(bytes: Uint8Array): readonly string[] | null;
  /** Default folders, most specific first. A star is the rest of one folder's name: such folders are looked for each time. */
  sources(env: Readonly<Record<string, string | undefined>>, os: string): readonly string[];
  readonly projects?: ProjectLists;
  /** File names that discovery takes under those folders. */
  wants(path: string): boolean;
  /** True for a file of a session that is read with another one, by its path: alone it is nothing. */
  isPart?(path: string): boolean;
  /** The file of the same session, with more in it: where that is beside it, this one is not looked for. */
  repeats?(path: string): string | null;
  detect(file: SourceFile): boolean;
  /** Paths of small files beside this one that help to read it. Of a large one only lines with the text of `sidecarLines` are read. */
  sidecars?(path: string): readonly string[];
  sidecarLines?(path: string): string | null;
  /** Each of these files belongs to one source alone: it is kept, and given back, with it. */
  readonly ownsSidecars?: true;
  start(file: SourceFile): S;
  /** A stored state as it goes on: as this release has it, and with what the files beside say now. */
  resume?(stored: S, file: SourceFile): S;
  /** Drafts of one record, in order. Advances `state`, which stays JSON and small (≤ 4 KB, open calls aside). */
  parse(record: SourceRecord, state: S): Draft[];
  /** The same in pieces, where a record may be long: each has calls with all events of theirs, and the pieces before it are let go of. */
  pieces?(record: SourceRecord, state: S): Iterable<readonly Draft[]>;
  /** Native id of the file's own session, once its records so far are read; null when nothing says. */
  identify(state: S): string | null;
  /** True once no later record gives the file's own session another name. Absent: the last record may. */
  isNamed?(state: S): boolean;
  /** The format of the session that the file belongs to, whose names it and its parent have; null where it is of its own. */
  owner?(state: S): string | null;
  /**
   * Keys of calls (a GLOB of SQLite) that name a call wherever it stands, for formats with the same pattern: ids of the provider, or what
   * no two calls have in common. Any other key does so among a session and its sub-agents.
   */
  readonly callNames?: string;
  /** Its records say themselves where turns begin, though nothing is said in them. */
  readonly saysTurns?: true;
  /** What its agent deletes by itself. Absent: no agent deletes such files. */
  readonly cleanup?: "never" | "unknown" | CleanupBySetting;
  /** What the agent's name of a file says: it was put aside when its session began anew, or when it was deleted. */
  archivedAs?(path: string): Archived | null;
  /** Where the whole output of a result may lie, best first. */
  fullOutputPaths?(path: string, storedPath: string): readonly string[];
  /** The folder that has the file of a session, and its outputs, somewhere below it. Absent: the file's own. */
  sessionFolder?(path: string): string;
  /** A folder beyond the sources that holds whole outputs, of a path that can only be one; null for any other path. */
  fullOutputFolder?(storedPath: string): string | null;
  /** The item of a record whose reasoning only the provider can read, as it takes it back; null for any other record. */
  sealedItem?(record: unknown): Readonly<Record<string, unknown>> | null;
  /** Reads the requests that the agent wrote to its file, as it sent them. Absent: the format has none. */
  requests?: RequestReader;
  /** Makes a new file in which a session goes on. Absent: the agent takes none. */
  continuation?: Continuation;
  /** Reads the sums that the agent counts itself, beside the usage of each call. Absent: the format has none. */
  totals?: RunningTotals;
};

/** One record is the whole file. */
export const isDocument = (format: Format, file: SourceFile): boolean =>
  format.reader === "document" || format.isDocument?.(file) === true;

/** What an agent counts itself, call after call: the sum of a session's tokens up to a record of its file. */
export type RunningTotals = {
  /** Subtype of the events whose records hold a sum. */
  readonly subtype: string;
  /** All tokens of the session so far; null where the record has no sum. */
  readonly totalOf: (record: unknown) => Usage | null;
};
