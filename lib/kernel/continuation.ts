// How a session goes on in a new file of its own agent: what a format is given of the old one, and the lines that it makes. Pure:
// who asks reads the old file's bytes and writes the new one.

/** A record of the old file that goes into the new one, or of which something does. */
export type KeptRecord = {
  /** Its JSON. */
  readonly value: unknown;
  readonly bytes: number;
  /** Its events that stay. */
  readonly seqs: readonly number[];
  /** Texts in place of outputs, by tool call. */
  readonly replaced: ReadonlyMap<string, string>;
};

export type ContinuationInput = {
  /** The old session, by the agent's own name. */
  readonly origin: string;
  readonly title: string;
  readonly cwd: string | null;
  /** The new one's name. */
  readonly id: string;
  readonly at: number;
  readonly newId: () => string;
  /** Null for a fork: then everything up to an event is kept. */
  readonly summary: string | null;
  readonly tokensBefore: number;
  /** The first three records of the old file. */
  readonly head: readonly unknown[];
  /** The record of the client's own first message, where the format names one; it is not among `records`. */
  readonly opening: KeptRecord | null;
  /** In the order of the context. */
  readonly records: Iterable<KeptRecord>;
};

/**
 * What a line is. kept: as it was, with new names. replaced: an output in it became an envelope. changed: something was left out or
 * rewritten, which `note` says. closed: a result made for a call that had none.
 */
export type ContinuationLineKind = "added" | "summary" | "kept" | "replaced" | "changed" | "closed";

export type ContinuationLine = {
  /** Without its line break. */
  readonly text: string;
  readonly kind: ContinuationLineKind;
  readonly seqs: readonly number[];
  readonly note: string | null;
};

export type Continuation = {
  /** Of the agent, with which the real one took such a file. */
  readonly versions: readonly string[];
  /** Events that no model is sent and that the agent wants all the same: the latest record of each subtype is kept. */
  readonly latest: readonly string[];
  /** The same, kept before each stretch of what stays: the records of the client that a turn begins with. */
  readonly notes: readonly string[];
  /** The same, kept behind each stretch: the records of the client that an answer ends with. */
  readonly endings?: readonly string[];
  /** Injected words that the client sends before all else: the last of them stand before the summary too. */
  readonly opening?: string;
  readonly newSessionId: (at: number, uuid: string, random: string) => string;
  /** The new file, beside the old one; null where the old one does not lie where the agent keeps its sessions. */
  readonly pathOf: (source: string, session: { readonly id: string; readonly at: number }) => string | null;
  /** Why a session of this file, with its first records, cannot be carried on; null for one that can. Absent: all can. */
  readonly refuses?: (source: string, head: readonly unknown[]) => string | null;
  /** The name of the file in any folder. */
  readonly fileName: (session: { readonly id: string; readonly at: number }) => string;
  /** A command that comes first, of an agent that keeps its sessions in a database and is given them in a file. */
  readonly handOver?: (session: { readonly id: string; readonly path: string }) => readonly string[];
  /** The words that go on with it; `isFound`: the file lies where the agent looks, else it is named by its path. */
  readonly resume: (session: {
    readonly id: string;
    readonly path: string;
    readonly isFound: boolean;
  }) => readonly string[];
  readonly lines: (input: ContinuationInput) => Generator<ContinuationLine>;
};

/** What stands in a file that we wrote: whose continuation it is. */
export const CONTINUES = "plimsollContinues";

/** What stands for the result of a call that was open at the cut. */
export const NOT_FINISHED = "This call had not returned when the session was carried on.";

/** A line of the new file. */
export const lineOf = (
  kind: ContinuationLineKind,
  value: object,
  seqs: readonly number[] = [],
  note: string | null = null,
): ContinuationLine => ({ kind, text: JSON.stringify(value), seqs, note });
