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

export type SentRequest = {
  readonly id: string;
  /** What the agent made the request for, in its own words: the conversation, a sub-agent, a compaction. */
  readonly source: string | null;
  /** The body as it was sent; null where a part of it is missing. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Features of the provider that were asked for in a header. */
  readonly betas: readonly string[];
  /** Messages that the request had, and those whose text the file's own digests prove. */
  readonly messages: { readonly count: number; readonly proven: number };
  /** Why there is no body. */
  readonly why: string | null;
  /** What was sent beside it and is not in the file. */
  readonly notInFile: string | null;
};

export type RequestReader = {
  /** Subtypes of the events whose records are parts of a request. */
  readonly subtypes: readonly string[];
  /** The id of the request that an answer's record is the answer to, or null. */
  readonly requestOf: (answer: unknown) => string | null;
  readonly read: (id: string, records: RequestRecords) => SentRequest;
};
