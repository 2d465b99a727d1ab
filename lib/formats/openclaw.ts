// Transcripts of OpenClaw: the entries of pi. The first generation has one folder of sessions for each agent, and an index beside them
// with what each is called; the second one database for each agent. docs/formats/openclaw.md says what is read, and how.
import type { Format, SourceFile } from "#lib/kernel/draft.ts";
import { firstRow, isRowLine, rowRecord } from "./database-rows.ts";
import { expanded, parsePi, temporaryFolder } from "./pi.ts";
import { isOpenClaw } from "./pi/is-openclaw.ts";
import { listedRow, openClawDatabase, openClawRow, SESSION_ROW } from "./pi/openclaw-database.ts";
import { indexPath, listedSession } from "./pi/openclaw-index.ts";
import { CALL_NAMES } from "./pi/pi-messages.ts";
import { headerOf, isPi, startPi, type PiState } from "./pi/pi-state.ts";
import { homeFolder } from "./home-folder.ts";

export const openclaw: Format<PiState> = {
  id: "openclaw",
  label: "OpenClaw",
  signs: "a first line of type session, and entries of OpenClaw",
  // 2: branches, and titles that are no commands. 3: times of messages inside a run.
  // 4: a block that is not known is no title.
  // 5: costs that stand as texts.
  // 6: a record without content begins no turn; an answer has one name in a part of its file too.
  // 7: what summaries, tools and a warmed cache cost, as in pi's.
  // 8: the sections of a system message, and its tools.
  version: 8,
  reader: "lines",
  database: openClawDatabase,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const named = expanded(env["OPENCLAW_STATE_DIR"], home);
    if (named !== null) return [`${named}${separator}agents`];
    if (!home) return [];
    // A profile's folder has its name behind a hyphen; before, the program had another name.
    return [".openclaw", ".openclaw-*", ".clawdbot*"].map((folder) => [home, folder, "agents"].join(separator));
  },
  wants: (path) => (TRANSCRIPT.test(path) && !CHECKPOINT.test(path)) || DATABASE.test(path) || COLD.test(path),
  archivedAs: (path) => archivedAs(path),
  detect: (file) => isRows(file) || (isPi(file.head) && isOpenClaw(file)),
  // Its maintenance depends on the version and on settings of several files.
  cleanup: "unknown",
  sidecars: (path) => [indexPath(path)],
  start: (file: SourceFile) => {
    const row = firstRow(file.head, SESSION_ROW);
    if (row !== null) return startPi(file, listedRow(row));
    const listed = listedSession(file.sidecars.get(indexPath(file.path)), headerOf(file.head)?.["id"]);
    return startPi(file, listed);
  },
  parse: (record, state) =>
    isRowLine(record.bytes) ? rowRecord(record, (row) => openClawRow(row, state)) : parsePi(record, state, "OpenClaw"),
  identify: (state) => state.id,
  callNames: CALL_NAMES,
  isNamed: ({ id }) => id !== null,
  fullOutputPaths: (_path, storedPath) => [storedPath],
  fullOutputFolder: temporaryFolder,
};

const isRows = ({ head }: SourceFile): boolean => firstRow(head, SESSION_ROW) !== null;

const DATABASE = /[\\/]agent[\\/]openclaw-agent\.sqlite$/;
/** Transcripts that were moved out of the database. */
const COLD = /[\\/]sessions[\\/]cold[\\/][0-9a-f]{64}\.jsonl\.zst$/;
/** Beside it may lie a trace of the run. */
const TRANSCRIPT = /[\\/]sessions[\\/][^\\/]+(?<!\.trajectory)\.jsonl$/;
/** A copy that is made before a compaction. */
const CHECKPOINT = /\.checkpoint\.[0-9a-f-]{36}\.jsonl$/i;
const ARCHIVED = /\.jsonl\.(reset|deleted)\.[0-9][0-9TZ.:_-]*(?:\.[0-9a-f]{32})?(?:\.zst)?$/i;

/** What OpenClaw's name of a file says: the person began anew, or deleted the session. Null for one that goes on. */
export const archivedAs = (path: string): "reset" | "deleted" | null =>
  (ARCHIVED.exec(path)?.[1]?.toLowerCase() as "reset" | "deleted" | undefined) ?? null;
