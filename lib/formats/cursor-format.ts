// Transcripts of Cursor's agent: one message a line, before as plain text with a mark before each part; and conversations of its editor,
// rows of a database. docs/formats/cursor.md says what is read, and what is not in them.
import type { Draft, Format, SourceFile, SourceRecord } from "#lib/kernel/draft.ts";
import { firstRow, rowRecord } from "./database-rows.ts";
import { editorFolders } from "./editor-folders.ts";
import { isObject } from "./json.ts";
import { readValues } from "./json-lines.ts";
import { firstLine, headValue } from "./json-parts.ts";
import { isCursorMessage, messageDrafts, startCursor, type CursorState } from "./cursor/cursor-messages.ts";
import { cursorRowDrafts } from "./cursor/cursor-bubbles.ts";
import { cursorDatabase } from "./cursor/cursor-database.ts";
import { textDrafts } from "./cursor/text-transcript.ts";
import { isTextTranscript } from "./cursor/transcript-head.ts";
import { homeFolder } from "./home-folder.ts";

const TRANSCRIPT = /[\\/]agent-transcripts[\\/](?:.+[\\/])?[^\\/]+\.(?:jsonl|txt)$/;

export const cursor: Format<CursorState> = {
  id: "cursor",
  label: "Cursor",
  signs: "messages with role and content, blocks below user: and assistant:, or a table cursorDiskKV",
  version: 1,
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
    return home ? [[home, ".cursor", "projects"].join(separator), ...editor] : [];
  },
  wants: (path) =>
    TRANSCRIPT.test(path) ||
    /[\\/]Cursor[^\\/]*[\\/]User[\\/]globalStorage[\\/]state\.vscdb$/.test(path),
  detect: ({ head }) =>
    firstRow(head, "composer") !== null || isTextTranscript(head) || isCursorMessage(headValue(firstLine(head))),
  cleanup: "unknown",
  start: (file: SourceFile) => startCursor(file),
  parse,
  identify: ({ id }) => id,
};

function parse(source: SourceRecord, state: CursorState): Draft[] {
  if (source.oversized === true) return [];
  if (state.isRows === true) return rowRecord(source, (row) => cursorRowDrafts(row, state));
  if (state.isText) return textDrafts(source, state);
  const { values, problems } = readValues(source, (value) => isObject(value) && isCursorMessage(value));
  const drafts: Draft[] = problems.map((problem) => ({ kind: "problem", line: source.line, ...problem }));
  for (const { value, byteStart, byteEnd } of values)
    drafts.push(...messageDrafts(value, { lane: "", ts: null, key: null, byteStart, byteEnd }, state));
  return drafts;
}
