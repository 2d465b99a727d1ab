// Reads beside the thread that writes. A verb reads the database several times, and between two of them a file may have been read
// again from its beginning: its session has other rows then, and what was found first names nothing any more.
import { scalar } from "#db/statement.ts";
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "./archive-type.ts";

/** A file that is rewritten all the time is to hold nobody for ever. */
const TRIES = 3;

/** The answer of `read`, which runs again where it failed and another connection wrote meanwhile. */
export async function readSteadily<T>(archive: Archive, read: () => T | Promise<T>): Promise<T> {
  for (let left = TRIES; ; left--) {
    const before = versionOf(archive);
    try {
      return await read();
    } catch (error) {
      if (left === 1 || !mayBeTorn(error) || versionOf(archive) === before) throw error;
    }
  }
}

/** Changes with every commit of another connection. */
const versionOf = ({ sqlite }: Archive): number => scalar(sqlite, "integer", "PRAGMA data_version").get()!;

const mayBeTorn = (error: unknown): boolean =>
  isAppError(error) ? error.code === "conflict" : (error as Error).name !== "AbortError";
