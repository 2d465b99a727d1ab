// Transcripts of Cursor's agent: one message a line, before as plain text with a mark before each part; and conversations of its editor,
// rows of a database; and stores of the agent in a terminal, a database each. docs/formats/cursor.md says what is read, and what is not in them.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { firstRow, rowRecord } from "./database-rows.ts";
import { editorFolders } from "./editor-folders.ts";
import { areRecordsOf } from "./first-records.ts";
import { readValues } from "./json-lines.ts";
import { firstLine, headValue } from "./json-parts.ts";
import { isCursorMessage, isTurnEnd, messageDrafts, startCursor, type CursorState } from "./cursor/cursor-messages.ts";
import { cursorRowDrafts } from "./cursor/cursor-bubbles.ts";
import { storeRowDrafts } from "./cursor/cursor-store-rows.ts";
import { cursorDatabase } from "./cursor/cursor-database.ts";
import { textDrafts } from "./cursor/text-transcript.ts";
import { isTextTranscript } from "./cursor/transcript-head.ts";
import { homeFolder } from "./home-folder.ts";

const TRANSCRIPT = /[\\/]agent-transcripts[\\/](?:.+[\\/])?[^\\/]+\.(?:jsonl|txt)$/;

export const cursor: Format<CursorState> = {
  id: "cursor",
  label: "Cursor",
  signs: "messages with role and content, blocks below user: or assistant:, tables cursorDiskKV or blobs",
  // 3: a transcript that its path does not name keeps its name as it grows.
  // 4: costs that stand as texts.
  // 5: a record without content begins no turn.
  // 6: times of prompts, and how a turn ended. 7: conversations of the editor that are sub-agents.
  // 8: results that name calls without a name; of early releases of the editor the times, names of tools and those beside a prompt.
  // 9: summaries of the editor.
  version: 9,
  reader: "lines",
  database: cursorDatabase,
  secondHand: (path) => (TRANSCRIPT.test(path) ? "excerpt" : null),
  isDocument: ({ head }) => isTextTranscript(head),
  sources(env, os) {
    const separator = os === "win32" ? "\\" : "/";
    const home = homeFolder(env, os);
    // The file, and not its folder, which has what all extensions keep.
    const editor = editorFolders(env, os, ["Cursor"]).map((user) =>
      [user, "globalStorage", "state.vscdb"].join(separator),
    );
    const agent = home === undefined ? [] : [[home, ".cursor"].join(separator)];
    // The agent in a terminal goes by these first.
    const config =
      env["CURSOR_CONFIG_DIR"] || (env["XDG_CONFIG_HOME"] && [env["XDG_CONFIG_HOME"], "cursor"].join(separator));
    const chats = [...(config ? [config] : []), ...agent].map((folder) => [folder, "chats"].join(separator));
    return [...agent.map((folder) => [folder, "projects"].join(separator)), ...new Set(chats), ...editor];
  },
  wants: (path) =>
    TRANSCRIPT.test(path) ||
    /[\\/]chats[\\/](?:[^\\/]+[\\/]){1,2}store\.db$/.test(path) ||
    /[\\/]Cursor[^\\/]*[\\/]User[\\/]globalStorage[\\/]state\.vscdb$/.test(path),
  detect: ({ head }) =>
    firstRow(head, "composer") !== null ||
    firstRow(head, "chat") !== null ||
    isTextTranscript(head) ||
    isCursorMessage(headValue(firstLine(head))) ||
    areRecordsOf(head, (one) => isCursorMessage(one) || isTurnEnd(one), isCursorMessage),
  cleanup: "unknown",
  start: (file: SourceFile) => startCursor(file),
  parse,
  identify: ({ id }) => id,
};

function parse(source: SourceRecord, state: CursorState): Draft[] {
  if (source.oversized === true) return [];
  if (state.isRows === true)
    return rowRecord(source, (row) => cursorRowDrafts(row, state) ?? storeRowDrafts(row, state));
  if (state.isText) return textDrafts(source, state);
  const { values, problems } = readValues(source, (value) => isCursorMessage(value) || isTurnEnd(value));
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values)
    drafts.push(...messageDrafts(value, { lane: "", ts: null, key: null, byteStart, byteEnd }, state));
  return drafts;
}
