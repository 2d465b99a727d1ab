// Chats of Gemini CLI: one record a line, in which a message stands again when it grew; before, one JSON document a chat, written
// anew each time. docs/formats/gemini.md says what is read, and how.
import type { Draft, Format, SourceRecord } from "#lib/kernel/draft.ts";
import { isObject } from "./json.ts";
import { draftsOfLine } from "./json-lines.ts";
import { geminiCleanup } from "./gemini/gemini-cleanup.ts";
import { geminiContinuation } from "./gemini/gemini-continuation.ts";
import { documentDrafts, messageIds } from "./gemini/gemini-document.ts";
import { recordDrafts } from "./gemini/gemini-records.ts";
import { isChatDocument, isChatLine, projectRootPath, startGemini, type GeminiState } from "./gemini/gemini-state.ts";
import { homeFolder } from "./home-folder.ts";

export const gemini: Format<GeminiState> = {
  id: "gemini",
  label: "Gemini CLI",
  signs: "a chat with sessionId and projectHash",
  // 3: lines behind a blank first line, and behind one of more than 64 KB; a part that is not known is no title.
  // 4: a part that begins with a compaction's messages.
  // 5: outputs beside the chats that were followed. 6: names that are not random are of their chat alone.
  // 7: tokens that first stand in a list of all messages. 8: such a list brings no call of a copy, and no call or thought again.
  version: 8,
  reader: "lines",
  isDocument: ({ head }) => isChatDocument(head),
  recordNames: messageIds,
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const roots = [env["GEMINI_CLI_HOME"], home].filter((path) => path !== undefined && path.trim() !== "");
    // Early releases of Qwen Code wrote the same documents.
    return [
      ...[...new Set(roots)].map((root) => [root, ".gemini", "tmp"].join(separator)),
      ...(home ? [[home, ".qwen", "tmp"].join(separator)] : []),
    ];
  },
  wants: (path) => /[\\/]chats[\\/](?:[^\\/]+[\\/])?[^\\/]+\.jsonl?$/.test(path),
  cleanup: geminiCleanup,
  detect: ({ head }) => isChatLine(head) || isChatDocument(head),
  sidecars: (path) => [projectRootPath(path)],
  start: startGemini,
  parse,
  identify: ({ id, parent }) => (id === null || parent === null || parent === id ? id : `${parent}/${id}`),
  // Random ids.
  callNames: `${"[0-9a-f]".repeat(8)}-${"[0-9a-f]".repeat(4)}-4*`,
  // A header may say of a file in a session's folder that it is no sub-agent's.
  isNamed: ({ id, parent }) => id !== null && parent === null,
  fullOutputPaths: (_path, storedPath) => [storedPath],
  // Beside the chats lie the outputs.
  sessionFolder: (path) => path.replace(/[\\/]chats[\\/].*$/, ""),
  continuation: geminiContinuation,
};

const KEYS = ["$set", "$rewindTo", "sessionId", "type"];
const isRecord = (value: unknown): boolean => isObject(value) && KEYS.some((key) => Object.hasOwn(value, key));

function parse(source: SourceRecord, state: GeminiState): Draft[] {
  if (source.oversized === true) return [];
  if (state.isDocument) return documentDrafts(source, state);
  return draftsOfLine(source, isRecord, (value) => recordDrafts(value, state));
}
