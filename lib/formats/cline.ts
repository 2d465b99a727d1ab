// Conversations of Cline and of those that are built on it: of the command line one document a session, of the editors one list of
// messages a task, with the panel's messages beside it. docs/formats/cline.md says what is read, and how.
import type { Format } from "#lib/kernel/draft.ts";
import { besidePaths } from "./cline/cline-beside.ts";
import { documentPieces } from "./cline/cline-document.ts";
import { isHistoryFile, isMessage, isMessagesFile, nameOf, startCline, type ClineState } from "./cline/cline-state.ts";
import { parsedJson, partsOfDocument } from "./document-parts.ts";
import { editorFolders } from "./editor-folders.ts";
import { asObject } from "./json.ts";
import { joined } from "./placed-drafts.ts";
import { homeFolder } from "./home-folder.ts";

/** The extensions by the beginning of their folder's name. */
const EXTENSIONS = [
  ...["saoudrizwan.claude-dev", "saoudrizwan.cline-nightly", "kilocode.kilo-code"],
  ...["rooveterinaryinc.roo-cline", "rooveterinaryinc.roo-code-nightly", "zoocodeorganization.zoo-code"],
];

/** Where the command lines of Roo and of Kilo kept what their extensions store. */
const COMMAND_LINES = [
  [".vscode-mock", "global-storage*"],
  [".kilocode", "cli", "global*"],
];

export const cline: Format<ClineState> = {
  id: "cline",
  label: "Cline",
  signs: "messages of a task, or a list of tasks",
  // 5: counts that stand as texts of digits.
  // 6: costs that stand as texts.
  // 7: a record without content begins no turn. 8: other keys may come first. 9: the model that Roo and Kilo name in a prompt's environment. 10: more of
  // Roo's kin by their folders. 11: children of the command line by their own ids, with the session that they belong to. 12: copies of an
  // older task are no calls. 13: also behind the client's newer warning, and not where a tool read one.
  // 14: documents that do not say who wrote them. 15: words that answer calls of the provider's own; messages without a time; counts of an
  // answer alone. 16: attached files are no words of the person.
  version: 16,
  reader: "document",
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    const own = [env["CLINE_DATA_DIR"], env["CLINE_DIR"] && `${env["CLINE_DIR"]}${separator}data`];
    const root =
      own.find((path) => path !== undefined && path !== "") ?? (home ? [home, ".cline", "data"].join(separator) : null);
    const sessions = env["CLINE_SESSION_DATA_DIR"];
    return [
      ...(sessions ? [sessions] : root === null ? [] : [`${root}${separator}sessions`]),
      ...(root === null ? [] : [`${root}*${separator}tasks`]),
      ...(home ? COMMAND_LINES.map((folders) => [home, ...folders, "tasks"].join(separator)) : []),
      // A star, so that only those that are there are looked for.
      ...editorFolders(env, os).flatMap((user) =>
        EXTENSIONS.map((name) => [user, "globalStorage", `${name}*`, "tasks"].join(separator)),
      ),
    ];
  },
  wants: (path) => /[\\/](?:[^\\/]+\.messages|api_conversation_history)\.json$/.test(path),
  detect: ({ head }) => isMessagesFile(head) || isHistoryFile(head),
  recordNames(bytes) {
    const { records, header } = partsOfDocument(bytes, "messages");
    if (header === null) return null;
    return records.map(([from, to], i) => {
      const value = parsedJson(bytes.subarray(from, to));
      return nameOf(isMessage(value) ? value : asObject(value), i);
    });
  },
  sidecars: (path) => Object.values(besidePaths(path)),
  ownsSidecars: true,
  start: startCline,
  parse: (record, state) => joined(documentPieces(record, state)),
  pieces: documentPieces,
  identify: (state) => state.id,
  isNamed: (state) => state.id !== null,
};
