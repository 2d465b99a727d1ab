// Sessions of OpenCode, and of Kilo, which is built on it: rows of a database, one line each. The row of the session comes first, then
// each message with its parts below it; files of 2025, one for each of them; and documents that `opencode export` wrote. docs/formats/opencode.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { rowRecord } from "./database-rows.ts";
import { openCodeContinuation } from "./opencode/opencode-continuation.ts";
import { openCodeDatabase } from "./opencode/opencode-database.ts";
import { exportDrafts, exportedSession } from "./opencode/opencode-export.ts";
import { rowDrafts } from "./opencode/opencode-rows.ts";
import { sessionRowOf, startOpenCode, type OpenCodeState } from "./opencode/opencode-state.ts";
import { homeFolder } from "./home-folder.ts";

/** Builds that are none of its releases: from source, of distributions, of every night. */
const CHANNELS = ["-local", "-dev", "-stable", "-nightly"];

const isDatabase = (path: string): boolean => /(?:^|[\\/])(?:opencode|kilo)(?:-[\w.-]+)?\.db$/.test(path);

export const opencode: Format<OpenCodeState> = {
  id: "opencode",
  label: "OpenCode",
  signs: "a database of sessions with messages or parts, or a document with info and messages",
  // 4: what a compaction keeps whole, behind its summary. 5: messages as later releases of OpenCode 2 write them, and
  // answers that were cut off are calls without usage. 6: who asked for a compaction. 7: sessions without a folder.
  // 8: costs that stand as texts.
  // 9: a record without content begins no turn. 10: copies in a fork of the agent's own count where they were made.
  // 11: a command of the person that a message behind it says to the model stands in the context once; so do changes of the folder.
  // 12: compactions that the provider made itself; reasoning that only it can read, as newer releases write it.
  version: 12,
  reader: "lines",
  isDocument: ({ head }) => sessionRowOf(head) === null && exportedSession(head) !== null,
  database: openCodeDatabase,
  continuation: openCodeContinuation,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const own = env["XDG_DATA_HOME"];
    const root = own !== undefined && own !== "" ? own : home ? [home, ".local", "share"].join(separator) : null;
    // The file, and not its folder, which has a copy of each project's files.
    if (root === null) return [];
    const databases = ["opencode", "kilo"].flatMap((name) => {
      const folder = [root, name].join(separator);
      const named = env[`${name.toUpperCase()}_DB`] ?? "";
      const other = /^(?:[\\/]|[A-Za-z]:)/.test(named) ? named : [folder, named].join(separator);
      const files = ["", ...(name === "opencode" ? CHANNELS : [])].map((channel) => `${name}${channel}.db`);
      return [...files.map((file) => [folder, file].join(separator)), ...(isDatabase(named) ? [other] : [])];
    });
    return [...databases, [root, "opencode", "storage", "session"].join(separator)];
  },
  wants: (path) => isDatabase(path) || /[\\/]storage[\\/]session[\\/][^\\/]+[\\/]ses_[\w-]+\.json$/.test(path),
  detect: ({ head }) => sessionRowOf(head) !== null || exportedSession(head) !== null,
  start: (file) => startOpenCode(file),
  parse: (record, state) =>
    state.isExported === true
      ? exportDrafts(record, (row) => rowDrafts(row, state))
      : rowRecord(record, (row) => rowDrafts(row, state)),
  identify: (state) => state.id,
  fullOutputPaths: (_path, storedPath) => [storedPath],
  fullOutputFolder: (storedPath) =>
    /^(.*[\\/](?:opencode|kilo)[\\/]tool-output)[\\/]tool_\w+$/.exec(storedPath)?.[1] ?? null,
};
