// Conversations of gptme: a folder for each, in it the messages, one a line, and beside them what it is about. docs/formats/gptme.md says
// what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { gptmeDrafts } from "./gptme/gptme-messages.ts";
import {
  configPath,
  hasGptmeRole,
  isGptmeHead,
  resumeGptme,
  startGptme,
  type GptmeState,
} from "./gptme/gptme-state.ts";
import { homeFolder } from "./home-folder.ts";
import { asObject, isObject } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { unknownLine } from "./unknown-line.ts";

export const gptme: Format<GptmeState> = {
  id: "gptme",
  label: "gptme",
  signs: "messages with timestamp and pinned, file_hashes or counts",
  version: 1,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const inHome = (...names: string[]): string[] => (home ? [[home, ...names].join(separator)] : []);
    const local = os === "win32" ? (env["LOCALAPPDATA"] ? [env["LOCALAPPDATA"]] : inHome("AppData", "Local")) : [];
    const data = [
      ...(env["XDG_DATA_HOME"] ? [env["XDG_DATA_HOME"]] : inHome(".local", "share")),
      ...(os === "darwin" ? inHome("Library", "Application Support") : []),
      ...local.map((folder) => [folder, "gptme"].join(separator)),
    ];
    const logs = env["GPTME_LOGS_HOME"] ? [env["GPTME_LOGS_HOME"]] : [];
    return [...logs, ...data.map((folder) => [folder, "gptme", "logs"].join(separator))];
  },
  // Branches and shortened views of it lie in folders below.
  wants: (path) => /[\\/][^\\/]+[\\/]conversation\.jsonl$/.test(path),
  detect: ({ head }) => isGptmeHead(head),
  sidecars: (path) => (/[\\/]conversation\.jsonl$/.test(path) ? [configPath(path)] : []),
  ownsSidecars: true,
  start: startGptme,
  resume: resumeGptme,
  parse: (record, state) =>
    draftsOfLine(record, isRecord, (value) =>
      isRecord(value) ? gptmeDrafts(asObject(value), record, state) : [unknownLine(value)],
    ),
  identify: ({ id }) => id,
};

const isRecord = (value: unknown): boolean => isObject(value) && hasGptmeRole(value);
