// Requests that an agent wrote to its own session file, as it sent them. A format that has such records reads them; who asks
// gives it the records of one session and a digest.

/** Subtypes of the events that are parts of a request, before its conversation: a block of the system prompt, a tool. */
export const SYSTEM_PART = "system_prompt";
export const TOOL_PART = "tool_schema";
/** True for such an event's label: what it is has a name, in whatever file it stands. */
export const isNamedPart = (label: string): boolean =>
  label.startsWith(`${SYSTEM_PART} `) || label.startsWith(`${TOOL_PART} `);

/** A record that a request is written in, or a part of one. */
export type RequestRecord = {
  readonly seq: number;
  readonly subtype: string;
  /** As the format's event has it. */
  readonly text: string;
  /** The record itself, read when it is asked for. */
  readonly value: () => unknown;
};

export type RequestRecords = {
  /** In the order of the file. */
  readonly parts: readonly RequestRecord[];
  /** The records of the conversation, which parts may refer to. */
  readonly messages: readonly Pick<RequestRecord, "seq" | "value">[];
  /** SHA-256 of a text, in hex. */
  readonly sha256: (text: string) => string;
};

/** What the agent made a request for, by its own word for it. */
export type RequestPurpose = "conversation" | "sub-agent" | "compaction" | "other";

export type ListedRequest = {
  readonly id: string;
  /** The event of its record. */
  readonly seq: number;
};

export type RequestSummary = ListedRequest & {
  readonly model: string | null;
  /** Whom the agent made it for, in its own words. */
  readonly source: string | null;
  readonly purpose: RequestPurpose | null;
  /** Messages that the request had, and those whose text the file's own digests prove. */
  readonly messages: { readonly count: number; readonly proven: number };
  /** Why it cannot be shown whole, as far as its parts say. */
  readonly why: string | null;
};

export type SentRequest = Omit<RequestSummary, "seq" | "model"> & {
  /** Null where the file has no such request. */
  readonly seq: number | null;
  /** The body as it was sent; null where a part of it is missing. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Features of the provider that were asked for in a header. */
  readonly betas: readonly string[];
  /** The file's digest of the whole request is that of the body; null where it has none. */
  readonly isProven: boolean | null;
  /** What was sent beside it and is not in the file. */
  readonly notInFile: string | null;
};

export type RequestReader = {
  /** The first version of the agent that writes its requests down. */
  readonly since: string;
  /** Subtypes of the events whose records are parts of a request. */
  readonly subtypes: readonly string[];
  /** The id of the request that an answer's record is the answer to, or null. */
  readonly requestOf: (answer: unknown) => string | null;
  /** Every request of the file, in its order. */
  readonly list: (records: RequestRecords) => readonly ListedRequest[];
  /** Some of them, in the order of their ids: what their records say, and what of them is in the file. Reads every record once. */
  readonly describe: (ids: readonly string[], records: RequestRecords) => readonly RequestSummary[];
  readonly read: (id: string, records: RequestRecords) => SentRequest;
};
