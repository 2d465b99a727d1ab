// Chats of Qwen Code: one record a line, a tree by `uuid` and `parentUuid`, with contents of Google's interface. Sub-agents have
// files of their own beside. docs/formats/qwen.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { asText, isObject } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { qwenContinuation } from "./qwen/qwen-continuation.ts";
import { recordDrafts } from "./qwen/qwen-records.ts";
import { firstQwenRecord, isQwenRecord, metaPath, startQwen, type QwenState } from "./qwen/qwen-state.ts";
import { homeFolder } from "./home-folder.ts";

export const qwen: Format<QwenState> = {
  id: "qwen",
  label: "Qwen Code",
  signs: "lines with uuid, sessionId and a message of parts",
  // 3: a block that is not known is no title.
  // 4: a record without content begins no turn; a part of a sub-agent's file has no calls of the part before.
  // 5: an answer whose note is in the part before is no other call.
  version: 5,
  reader: "lines",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const own = [env["QWEN_RUNTIME_DIR"], env["QWEN_HOME"]].filter((path) => path !== undefined && path.trim() !== "");
    const roots = [...own, ...(home ? [`${home}${separator}.qwen`] : [])];
    return [...new Set(roots)].map((root) => `${root}${separator}projects`);
  },
  wants: (path) => /[\\/](?:chats(?:[\\/]archive)?|subagents[\\/][^\\/]+)[\\/][^\\/]+(?<!\.ledger)\.jsonl$/.test(path),
  detect: (file) => firstQwenRecord(file.head) !== null,
  sidecars: (path) => (/[\\/]agent-[^\\/]+\.jsonl$/.test(path) ? [metaPath(path)] : []),
  ownsSidecars: true,
  // Not tried: nothing says so far what it deletes by itself.
  cleanup: "unknown",
  start: startQwen,
  parse,
  identify: ({ id, agentId }) => (id === null || agentId === null ? id : `${id}/${agentId}`),
  fullOutputPaths: (_path, storedPath) => [storedPath],
  fullOutputFolder: (storedPath) => OUTPUT.exec(storedPath)?.[1] ?? null,
  continuation: qwenContinuation,
};

/** Whole outputs lie beside the projects, in a folder named by the project's hash. */
const OUTPUT = /^(.*[\\/]\.qwen[\\/]tmp[\\/][0-9a-f]{64})[\\/][\w.-]+\.output$/;

const isRecord = (value: unknown): boolean =>
  isObject(value) && (isQwenRecord(value) || asText(value["uuid"]) !== null);

function parse(source: SourceRecord, state: QwenState): Draft[] {
  return draftsOfLine(source, isRecord, (value) => recordDrafts(value, state));
}
