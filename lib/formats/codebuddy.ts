// Sessions of CodeBuddy Code, Tencent's agent, and of WorkBuddy: Claude Code's folders, with records of their own, one a line.
// docs/formats/codebuddy.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { codeBuddyDrafts } from "./codebuddy/codebuddy-records.ts";
import {
  isCodeBuddyHead,
  isCodeBuddyRecord,
  startCodeBuddy,
  type CodeBuddyState,
} from "./codebuddy/codebuddy-state.ts";
import { homeFolder } from "./home-folder.ts";
import { isObject } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";

export const codebuddy: Format<CodeBuddyState> = {
  id: "codebuddy",
  label: "CodeBuddy",
  signs: "lines with a type, timestamp and callId, or with providerData",
  // 2: calls that share a record's id; a name that comes behind the first records.
  version: 2,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const inHome = (folder: string): string | undefined => home && [home, folder].join(separator);
    const roots = [env["CODEBUDDY_CONFIG_DIR"] || inHome(".codebuddy"), inHome(".workbuddy")];
    return roots.flatMap((root) => (root ? [[root, "projects"].join(separator)] : []));
  },
  wants: (path) => /[\\/]projects[\\/][^\\/]+[\\/](?:[^\\/]+[\\/]subagents[\\/])?[^\\/]+\.jsonl$/.test(path),
  detect: ({ head }) => isCodeBuddyHead(head),
  cleanup: "unknown",
  start: startCodeBuddy,
  parse,
  identify: ({ id }) => id,
  isNamed: ({ isNamed }) => isNamed,
};

const isRecord = (value: unknown): boolean => isObject(value) && isCodeBuddyRecord(value);

function parse(record: SourceRecord, state: CodeBuddyState): Draft[] {
  return draftsOfLine(record, isRecord, (value) => codeBuddyDrafts(value, state));
}
