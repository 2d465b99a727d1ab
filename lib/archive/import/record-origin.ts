// Where what is appended comes from, and by what its records are known.
import type { Draft, SourceRecord } from "#lib/kernel/draft.ts";
import type { NewArtifact } from "../base/artifact-row.ts";
import { recordKey } from "../base/row-keys.ts";
import type { StoredBlob } from "./artifact-writer.ts";

export type Origin =
  | {
      readonly from: "file";
      readonly record: SourceRecord;
      /** Whole outputs that are stored already. */
      readonly found?: ReadonlyMap<Draft, StoredBlob>;
    }
  | {
      readonly from: "held";
      /** It goes on with the record of the append before. */
      readonly continues?: boolean;
      /** The result whose bytes are stored already, and what the session says of the artifact. */
      readonly output?: { readonly draft: Draft; readonly blob: StoredBlob; readonly says: Partial<NewArtifact> };
    };

export type EventDraft = Extract<Draft, { kind: "event" }>;

/** The record that an event belongs to, and its position there. */
export type RecordPart = {
  readonly key: Buffer;
  /** The format names the record; else it is known by its bytes. */
  readonly isKeyed: boolean;
  /** First of its record. */
  readonly isFirst: boolean;
  readonly index: number;
  readonly byteStart: number;
  readonly byteEnd: number;
};

const NO_BYTES = new Uint8Array(0);

/** Follows the records of one session: works out the key once a record, and numbers its events. */
export class RecordParts {
  #record: SourceRecord | null = null;
  #byteStart = -1;
  #last: RecordPart | null = null;

  next(draft: EventDraft, origin: Origin): RecordPart {
    const before = this.#last;
    const record = origin.from === "file" ? origin.record : null;
    const byteStart = draft.byteStart ?? record?.byteStart ?? 0;
    const byteEnd = draft.byteEnd ?? record?.byteEnd ?? 0;
    const isFirst =
      before === null ||
      (origin.from === "held" ? origin.continues !== true : this.#record !== record || this.#byteStart !== byteStart);
    this.#record = record;
    this.#byteStart = byteStart;
    this.#last = {
      key: isFirst ? recordKey(draft.recordKey, bytesOf(draft, record)) : before.key,
      isKeyed: draft.recordKey !== null,
      isFirst,
      index: isFirst ? 0 : before.index + 1,
      byteStart,
      byteEnd,
    };
    return this.#last;
  }
}

/** What stands in the file for a draft: its record, or the part of it that the draft names. */
function bytesOf({ byteStart, byteEnd }: EventDraft, record: SourceRecord | null): Uint8Array {
  if (record === null) return NO_BYTES;
  if (byteStart === undefined) return record.bytes;
  return record.bytes.subarray(byteStart - record.byteStart, (byteEnd ?? byteStart) - record.byteStart);
}
