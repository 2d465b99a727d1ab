// Chats of VS Code, which are Copilot's: a log of changes that make up one object, or that object as one document. Either is read whole each
// time, since a later line may change what an earlier one said. docs/formats/copilot-chat.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { chatPieces, requestNames } from "./copilot-chat/chat-document.ts";
import { isChatFile, isChatLog, startChat, workspacePath, type ChatState } from "./copilot-chat/chat-state.ts";
import { editorFolders } from "./editor-folders.ts";
import { joined } from "./placed-drafts.ts";

/** Editors that have VS Code's own chat; Cursor and its kin have another one. */
const EDITORS = ["Code", "Code - Insiders", "Code - Exploration", "VSCodium"];
const SERVERS = [".vscode-server", ".vscode-server-insiders", ".vscodium-server"];
/** Below the user's folder. A workspace's folder has a hash as its name. */
const FOLDERS = [
  ["workspaceStorage", "*", "chatSessions"],
  ["globalStorage", "emptyWindowChatSessions"],
  ["globalStorage", "transferredChatSessions"],
];

export const copilotChat: Format<ChatState> = {
  id: "copilot-chat",
  label: "Copilot Chat",
  signs: "an object with requests and responderUsername, or changes of one by kind and k",
  // 2: an empty list is damage, and not a chat in which nothing was said.
  version: 2,
  reader: "document",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    return editorFolders(env, os, EDITORS, SERVERS).flatMap((user) =>
      FOLDERS.map((folder) => [user, ...folder].join(separator)),
    );
  },
  wants: (path) => CHAT_PATH.test(path),
  // Since 1.109 the log has what the document had, which stays beside it.
  repeats: (path) => (CHAT_PATH.test(path) && path.endsWith(".json") ? `${path}l` : null),
  cleanup: "never",
  detect: ({ head }) => isChatLog(head) || isChatFile(head),
  recordNames: requestNames,
  sidecars: (path) => workspacePath(path) ?? [],
  start: startChat,
  parse: (record, state) => joined(chatPieces(record, state)),
  pieces: chatPieces,
  identify: ({ id }) => id,
  callNames: "request_*",
};

const CHAT_PATH = /[\\/](?:chatSessions|emptyWindowChatSessions|transferredChatSessions)[\\/][^\\/]+\.jsonl?$/;
