import { resolve } from "node:path";
import { defaultArchiveDir } from "#lib/archive/base/archive-folder.ts";
import type { Words } from "./args.ts";

/** The folder that a command works on: `--archive`, or the default. */
export const archiveDir = (words: Words): string =>
  typeof words.options["archive"] === "string" ? resolve(words.options["archive"]) : defaultArchiveDir(process.env);
