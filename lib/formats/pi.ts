// Session files of pi (pi-coding-agent): a header line, then one entry a line. Since version 2 entries form a tree by `id` and
// `parentId`. docs/formats/pi.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { isRowLine, rowRecord } from "./database-rows.ts";
import { asText, isObject, type Json } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { piDatabase, piRow } from "./pi/pi-database.ts";
import { piContinuation } from "./pi/pi-continuation.ts";
import { entryDrafts } from "./pi/pi-entries.ts";
import { CALL_NAMES } from "./pi/pi-messages.ts";
import { isPi, startPi, type PiState } from "./pi/pi-state.ts";
import { isOpenClaw } from "./pi/is-openclaw.ts";
import { homeFolder } from "./home-folder.ts";

export type { PiState } from "./pi/pi-state.ts";

export const pi: Format<PiState> = {
  id: "pi",
  label: "pi",
  signs: "a first line of type session with id and cwd, entries with messages, or a database of them",
  // 2: branches, and titles that are no commands. 4: times of messages inside a run.
  // 5: a block that is not known is no title.
  // 6: costs that stand as texts; a title before the header.
  // 7: a record without content begins no turn; an answer has one name in a part of its file too.
  // 8: what summaries, tools and a warmed cache cost; messages that stand in a compaction; system messages.
  // 9: its database. 10: the sections of a system message, and its tools. 11: edits of the context.
  version: 11,
  reader: "lines",
  database: piDatabase,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const named = (name: string): string | null => expanded(env[name], home);
    const root = named("PI_CODING_AGENT_DIR") ?? (home ? [home, ".pi", "agent"].join(separator) : null);
    const own = named("PI_CODING_AGENT_SESSION_DIR");
    return [
      ...(own === null ? [] : [own]),
      ...(root === null ? [] : [`${root}${separator}sessions`, `${root}${separator}sessions.sqlite`]),
    ];
  },
  wants: (path) => path.endsWith(".jsonl") || /[\\/]sessions\.sqlite$/.test(path),
  detect: (file) => isPi(file.head) && !isOpenClaw(file),
  cleanup: "never",
  start: (file) => startPi(file),
  parse: (record, state) =>
    isRowLine(record.bytes) ? rowRecord(record, (row) => piRow(row, state)) : parsePi(record, state, "pi"),
  identify: (state) => state.id,
  callNames: CALL_NAMES,
  fullOutputPaths: (_path, storedPath) => [storedPath],
  fullOutputFolder: temporaryFolder,
  continuation: piContinuation,
};

/** `~` stands for the home folder in what a person wrote. */
export function expanded(path: string | undefined, home: string | undefined): string | null {
  if (path === undefined || path.trim() === "") return null;
  return home !== undefined && /^~(?=$|[\\/])/.test(path) ? home + path.slice(1) : path;
}

/** pi keeps whole outputs in the temporary folder, in files that nobody else names so. */
export function temporaryFolder(storedPath: string): string | null {
  return /^(.*)[\\/]pi-bash-[0-9a-f]{16}\.log$/.exec(storedPath)?.[1] ?? null;
}

/** A whole entry, told from a piece of a broken one: pieces are blocks of content. */
const isEntry = (value: unknown): boolean => isObject(value) && hasEntryFields(value);
const hasEntryFields = (value: Json): boolean => asText(value["type"]) !== null && asText(value["timestamp"]) !== null;

/** Shared with OpenClaw, whose files hold the same entries. */
export function parsePi(record: SourceRecord, state: PiState, agentName: string): Draft[] {
  return draftsOfLine(record, isEntry, (value) => entryDrafts(value, state, agentName));
}
