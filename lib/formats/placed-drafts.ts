// Drafts of one record of a document: its lane, time, name and bytes are the same for all of them.
import type { Attachment, Draft, SessionPatch } from "#lib/kernel/draft.ts";
import type { EventBody, ImagePart } from "#lib/kernel/event.ts";

export type Position = {
  readonly lane: string;
  readonly ts: number | null;
  /** The record's name in copies of the file. */
  readonly key: string | null;
  readonly byteStart: number;
  readonly byteEnd: number;
};

/** The record's name in its own file at least. */
export const nameOf = ({ key, byteStart }: Position): string => key ?? `n:${byteStart}`;

export type EventDraft = Extract<Draft, { kind: "event" }>;

type Options = Partial<Pick<EventDraft, "callKey" | "startsTurn" | "fullText" | "isRecord" | "synthetic">> & {
  readonly attachments?: readonly Attachment[];
};

export function eventAt(position: Position, body: EventBody, options: Options = {}): EventDraft {
  const { lane, ts, key, byteStart, byteEnd } = position;
  const { callKey = null, startsTurn = false, attachments = [], ...rest } = options;
  return {
    ...{ kind: "event", lane, ts, body, recordKey: key, callKey, startsTurn, byteStart, byteEnd },
    ...(attachments.length > 0 && { attachments }),
    ...rest,
  };
}

/** Known, but not conversation. */
export const noteAt = (
  position: Position,
  subtype: string,
  text: string,
  options: Options & { name?: string } = {},
) => {
  const { name, ...rest } = options;
  return eventAt(position, { type: "meta", subtype, text, ...(name !== undefined && { name }) }, rest);
};

export const patchOf = (lane: string, patch: SessionPatch): Draft => ({ kind: "session", lane, patch });

export const imagesOf = (attachments: readonly Attachment[]): ImagePart[] =>
  attachments.map(({ mediaType }, attachment) => ({
    mediaType,
    attachment,
    artifact: null,
    width: null,
    height: null,
  }));

/** The drafts of a record that was read in pieces. */
export const joined = (pieces: Iterable<readonly Draft[]>): Draft[] => [...pieces].flat();

/** Two sums of a text (FNV-1a from two seeds) and its length: what a record is known by where its file names none. */
export function printOf(text: string): string {
  let [one, two] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
  }
  return `${(one >>> 0).toString(36)}.${(two >>> 0).toString(36)}.${text.length.toString(36)}`;
}
