// Sessions of Kiro and of Amazon Q's command line, of which it came. Three stores, one for each of its engines: rows of a database, a log
// with a file of metadata beside it, and a folder for each session. docs/formats/kiro.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { firstRow, isRowLine, rowRecord } from "./database-rows.ts";
import { homeFolder } from "./home-folder.ts";
import { draftsOfLine } from "./json-lines.ts";
import { kiroDatabase, TURNS_OF } from "./kiro/kiro-database.ts";
import { logDrafts } from "./kiro/kiro-log.ts";
import { payloadDrafts } from "./kiro/kiro-payloads.ts";
import { besideKiro, isKiro, isLogEntry, isMessage, resumeKiro, startKiro, type KiroState } from "./kiro/kiro-state.ts";
import { kiroRowDrafts } from "./kiro/kiro-turns.ts";
import { unknownLine } from "./unknown-line.ts";

/** Folders of the command line, of now and of before. */
const PROGRAMS = ["kiro-cli", "amazon-q"];

export const kiro: Format<KiroState> = {
  id: "kiro",
  label: "Kiro",
  signs: "lines with version, kind and data, or with id, timestamp and payload, or a table conversations_v2",
  // 2: records of other programs with a payload are left to them. 3: the model that stands in the session's state itself.
  version: 3,
  reader: "lines",
  database: kiroDatabase,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const data =
      os === "win32"
        ? env["LOCALAPPDATA"] || (home && [home, "AppData", "Local"].join(separator))
        : os === "darwin"
          ? home && [home, "Library", "Application Support"].join(separator)
          : env["XDG_DATA_HOME"] || (home && [home, ".local", "share"].join(separator));
    // Its newest engine keeps sessions below the home folder, whatever the variable says.
    const roots = [env["KIRO_HOME"], home && [home, ".kiro"].join(separator)].filter((root) => root);
    return [
      ...new Set(roots.map((root) => [root, "sessions"].join(separator))),
      ...(data ? PROGRAMS.map((name) => [data, name, "data.sqlite3"].join(separator)) : []),
    ];
  },
  wants: (path) => SESSION.test(path) || /[\\/](?:kiro-cli|amazon-q)[\\/]data\.sqlite3$/.test(path),
  detect: ({ head }) => firstRow(head, TURNS_OF) !== null || isKiro(head),
  sidecars: (path) => besideKiro(path),
  ownsSidecars: true,
  cleanup: "unknown",
  start: startKiro,
  resume: resumeKiro,
  parse,
  identify: ({ id }) => id,
  isNamed: ({ id }) => id !== null,
};

const SESSION =
  /[\\/]sessions[\\/](?:cli[\\/][\w-]{8,}|[\w-]+[\\/][\w-]+[\\/](?:messages|sub-executions[\\/][\w-]{8,}))\.jsonl$/;

const isRecord = (value: unknown): boolean => isLogEntry(value) || isMessage(value);

function parse(record: SourceRecord, state: KiroState): Draft[] {
  if (isRowLine(record.bytes)) return rowRecord(record, (row) => kiroRowDrafts(row, state));
  return draftsOfLine(record, isRecord, (value) => valueDrafts(value, state));
}

function valueDrafts(value: unknown, state: KiroState): Draft[] {
  if (isLogEntry(value)) return logDrafts(value, state);
  return isMessage(value) ? payloadDrafts(value, state) : [unknownLine(value)];
}
