// What a node of a fleet tells of a write to a session that Plimsoll holds: enough to carry it out again on another node with the
// same rows. Bytes of outputs are in the bucket by then; only their digest is told.
import type { KeptAnswer } from "./request-key.ts";

export type HeldEntry = {
  readonly session: string;
  readonly write: string;
  readonly input: object;
  /** When it was carried out, by the clock of its node. */
  readonly at: number;
  /** Ids that the write itself makes are made of it. */
  readonly seed: string;
  readonly kept: KeptAnswer | null;
  /** The numbers that it gave to its events: whoever carries it out again must give the same. */
  readonly numbers: string;
  /** Of the first write of a session: whose it is, where a node knows. */
  readonly person?: string;
  /** Of a session that was sent here: all that people keep beside it after the write, as `besideOf` gives it. */
  readonly beside?: string;
};

/** Makes entries durable for all nodes. One answer each: null, or why it is refused. Never throws. */
export type Ship = (entries: readonly HeldEntry[]) => Promise<readonly (Error | null)[]>;

/** What a write says of bytes, as far as it matters here. */
type BlobInput = { readonly digest: string; readonly bytes?: Uint8Array; readonly lineIndex: Uint8Array | null };

type WithBlob = { readonly blob?: BlobInput; readonly artifact?: { readonly blob?: BlobInput } | null };

/** The bytes that a write names; null where it names none. */
export const blobOf = (input: object): BlobInput | null =>
  (input as WithBlob).blob ?? (input as WithBlob).artifact?.blob ?? null;

type Packed = { readonly isSmall: boolean; readonly lineIndex: string | null };

/** The bytes of an entry do not travel between threads; that they were few is told. */
export function withoutBytes(entry: HeldEntry): HeldEntry {
  const blob = blobOf(entry.input);
  return blob?.bytes === undefined ? entry : { ...entry, input: withBlob(entry.input, { ...blob, bytes: NOTHING }) };
}

const NOTHING = new Uint8Array(0);

/** An entry as text. */
export function entryText(told: Omit<HeldEntry, "session">): string {
  const { input, write, at, seed, kept, numbers, person } = told;
  const entry = { write, at, seed, kept, numbers, person };
  const blob = blobOf(input);
  if (blob === null) return JSON.stringify({ ...entry, input });
  const { bytes, lineIndex, ...rest } = blob;
  const packed: Packed = {
    isSmall: bytes !== undefined,
    lineIndex: lineIndex === null ? null : Buffer.from(lineIndex).toString("base64"),
  };
  return JSON.stringify({ ...entry, input: withBlob(input, { ...rest, lineIndex: null }), packed });
}

export type ReadEntry = Omit<HeldEntry, "session"> & { readonly needs: { digest: string; isSmall: boolean } | null };

/** The entry of a text. What it `needs` is given to it by `withBytes` before it is carried out. */
export function readEntry(text: string): ReadEntry {
  const { packed, ...entry } = JSON.parse(text) as Omit<HeldEntry, "session"> & { packed?: Packed };
  const blob = blobOf(entry.input);
  if (packed === undefined || blob === null) return { ...entry, needs: null };
  const lineIndex = packed.lineIndex === null ? null : new Uint8Array(Buffer.from(packed.lineIndex, "base64"));
  const needs = { digest: blob.digest, isSmall: packed.isSmall };
  return { ...entry, input: withBlob(entry.input, { ...blob, lineIndex }), needs };
}

export const withBytes = (entry: ReadEntry, bytes: Uint8Array): ReadEntry => ({
  ...entry,
  input: withBlob(entry.input, { ...blobOf(entry.input)!, bytes: new Uint8Array(bytes) }),
});

const withBlob = (input: object, blob: BlobInput): object =>
  "blob" in input ? { ...input, blob } : { ...input, artifact: { ...(input as WithBlob).artifact, blob } };

/** The numbers that an answer tells of. */
export function numbersOf(answer: unknown): string {
  const { seqs, seq, eventSeq } = (answer ?? {}) as Record<string, unknown>;
  return JSON.stringify([seqs ?? null, seq ?? null, eventSeq ?? null]);
}
