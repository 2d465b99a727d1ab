// What a blob backend can do. A blob is bytes under the name that their sha-256 gives them: written once,
// never changed, the same bytes stored once. Nothing is promised before flush() has resolved; after it
// everything staged so far outlives a crash and a power failure.
import { fail } from "#lib/kernel/errors.ts";

export type BlobRange = {
  readonly start: number;
  /** Exclusive. Past the end it means the end. */
  readonly end: number;
};

export type StagedBlob = { readonly digest: string; readonly size: number; readonly lineCount: number };

export type StreamOptions = {
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** What the bytes must hash to: others are refused with `invalid`, and nothing of them is kept. */
  readonly expect?: string;
} & StageOptions;

export type StageOptions = {
  /**
   * Staged for one put: it stays through discard() until release(), and release() of the last one drops what no barrier
   * has kept. Without it the bytes belong to the batch that the next flush() or discard() ends.
   */
  readonly claim?: boolean;
};

export type BlobStore = {
  readonly scheme: string;
  /**
   * Takes bytes in and names them, by their `digest` where it was computed already. Cheap: no wait for the disk, and not
   * visible before flush(), until which the bytes are not to change.
   */
  stage(bytes: Uint8Array, options?: StageOptions & { readonly digest?: string }): string;
  /** The same for bytes that come in pieces; counts lines on the way, a last one without its newline included. */
  stageStream(chunks: AsyncIterable<Uint8Array>, options?: StreamOptions): Promise<StagedBlob>;
  /**
   * The barrier: resolves when everything staged is durable and visible. A put names its digest, and hears of it when an
   * earlier barrier could not keep that one.
   */
  flush(digest?: string): Promise<void>;
  /**
   * Puts few bytes at their path at once, unsynced: their durability is somebody else's care. Whether they were not there
   * already.
   */
  putNow(digest: string, bytes: Uint8Array): boolean;
  /**
   * The same with a new file, whatever stands there. Of one whose sync has failed once, or that a crash left, the next sync
   * says nothing: what is read of it may be in memory alone.
   */
  putAnew(digest: string, bytes: Uint8Array): void;
  /** Resolves when the files of these blobs, as far as they are there, are on the disk. */
  sync(digests: readonly string[]): Promise<void>;
  /** Forgets what is staged and not claimed. */
  discard(): Promise<void>;
  /** Gives a claim back, when it is known what becomes of the put; the claims that are left. */
  release(digest: string): number;
  /** When the bytes were last stored or staged again (ms); null when they are not there. */
  touchedAt(digest: string): number | null;
  /** Bytes of the file as it is, damaged or not; 0 when it is not there. */
  sizeNow(digest: string): number;
  /** Removes at once: between asking what names a blob and removing it nothing else is to run. */
  removeNow(digest: string): void;
  /** Removes what crashed writers left half written; says how many files. */
  sweepLeftovers(): number;
  /** What stands in quarantine. */
  damaged(): Promise<{ readonly count: number; readonly bytes: number }>;
  /** Takes note of a disk that failed to sync: nothing is promised any more then. */
  noteFailure(error: unknown): void;
  /** Why nothing that this store says about durability can be believed until it is opened again, or null. */
  broken(): unknown;
  size(digest: string): Promise<number>;
  has(digest: string): Promise<boolean>;
  /** The bytes, or a range of them. No byte of a blob that does not match its name is ever given out. */
  read(digest: string, range?: BlobRange): AsyncIterable<Uint8Array>;
  verify(digest: string): Promise<"ok" | "missing" | "corrupt">;
  /** The digests, in order. */
  list(): AsyncIterable<string>;
  remove(digest: string): Promise<void>;
  close(): void;
  /** Where a local program finds the bytes, when the backend has files. */
  path?(digest: string): string;
};

const DIGEST = /^[0-9a-f]{64}$/;

export const isDigest = (text: string): boolean => DIGEST.test(text);

/** The digest itself. A digest becomes part of a path, so anything else is refused. */
export function checkedDigest(digest: string): string {
  if (!isDigest(digest))
    fail("invalid", `"${digest.slice(0, 80)}" is not a digest. A digest has 64 lower-case hex digits.`);
  return digest;
}

/** Refuses bytes that hash to something else than what was said of them. */
export function requireDigest(digest: string, expect: string): void {
  if (digest !== expect)
    fail("invalid", `The received bytes have the digest ${digest}, not ${expect}. Nothing was saved; send them again.`);
}
