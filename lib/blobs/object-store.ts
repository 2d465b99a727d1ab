// A place for whole objects by name that many machines share: a bucket, or a folder. An object is written once and never
// changed: a second put of the same name says that it is there, and leaves it as it is.
import { fail } from "#lib/kernel/errors.ts";

export type ObjectRange = {
  readonly start: number;
  /** Exclusive. Past the end it means the end. */
  readonly end: number;
};

export type ListedObject = { readonly name: string; readonly size: number; readonly modifiedMs: number };

/** A request that somebody else makes in our name: these headers are part of what was signed. */
export type SignedRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type ObjectStore = {
  /** For messages: where it is, without its keys. */
  readonly label: string;
  /** Stores bytes under a name that has none. "there": it had some, which stay. */
  put(name: string, bytes: Uint8Array): Promise<"stored" | "there">;
  /**
   * The same for bytes that come in pieces, in parts of `partBytes` where they are many. Until it resolves nothing is
   * visible, and what failed leaves nothing.
   */
  putStream(name: string, pieces: AsyncIterable<Uint8Array>, partBytes?: number): Promise<"stored" | "there">;
  /** The bytes, or a range of them; fails with `not_found`. */
  get(name: string, range?: ObjectRange): Promise<Uint8Array>;
  /** The same, piece by piece. */
  read(name: string): AsyncIterable<Uint8Array>;
  /** The size; null where there is none. */
  head(name: string): Promise<{ readonly size: number } | null>;
  /** Objects whose names begin so, in the order of their names. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes it, if it is there. */
  remove(name: string): Promise<void>;
  /**
   * A PUT for somebody without keys, for bytes of this sha-256 alone: others are refused by the store, and so is a name that
   * has bytes (status 412). Null where the store has no addresses.
   */
  signPut(name: string, sha256: string, seconds: number): Promise<SignedRequest | null>;
  signGet(name: string, seconds: number): Promise<SignedRequest | null>;
  /** Makes the place where it is not there, and fails with what is wrong with it. */
  ensure(): Promise<void>;
  /** Fails where it does not answer within this time; without one, it has as long as any request. */
  check(withinMs?: number): Promise<void>;
};

/** 5 MB is the least that S3 takes for a part that is not the last. */
export const PART_BYTES = 8 * 1024 * 1024;

const NAME = /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/;

/** The name itself. It becomes part of a path and of an address. */
export function checkedName(name: string): string {
  if (name.length > 500 || !NAME.test(name))
    fail("invalid", `"${name.slice(0, 80)}" is not an object name. It has lower-case letters, digits, . _ - and /.`);
  return name;
}

export function checkedRange({ start, end }: ObjectRange): ObjectRange {
  if (!Number.isSafeInteger(start) || start < 0 || end < start)
    fail("invalid", `Bytes ${start} to ${end} are not a range. Give a start from 0 and an end after it.`);
  return { start, end };
}

export const absentObject = (label: string, name: string): never =>
  fail("not_found", `${label} has no object ${name}. plimsoll fleet check lists what is missing.`);
