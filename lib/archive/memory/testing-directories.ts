// A made-up memory folder for tests of doors and commands, which do not know how one is written.
import { bytesIn, makeDirectory } from "#lib/agent-dirs/autobyteus/testing-directory.ts";

/** Writes a folder of the second generation with so many active turns and four archived ones. */
export const makeFolder = (path: string, turns: number): void =>
  makeDirectory(path, { generation: 2, style: "javascript", turns });

/** The bytes of every file by name. */
export const filesIn = (path: string): ReadonlyMap<string, string> => bytesIn(path);
