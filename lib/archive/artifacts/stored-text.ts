// What was offloaded, as text: the first part of the stored bytes up to a whole line. The event has only the envelope that the
// model saw; whoever looks for what came out of a tool, or tells of it, reads this.
import { isAppError } from "#lib/kernel/errors.ts";
import type { EventBody } from "#lib/kernel/event.ts";
import type { Archive } from "../base/archive-type.ts";
import { readHead } from "./artifact-bytes.ts";
import { requireLive, resolveArtifact } from "./resolve.ts";

/** True for a result that the model saw as an envelope, or by its beginning. */
export const isOffloaded = (body: EventBody, artifact: string | null): artifact is string =>
  artifact !== null && body.type === "tool_result" && body.saw === "preview";

/** The first `bytes` of an artifact's text, to the end of a line; null when it is no text, or cannot be had any more. */
export async function storedHead(archive: Archive, pointer: string, bytes: number): Promise<string | null> {
  try {
    const row = requireLive(archive, resolveArtifact(archive, pointer), pointer);
    if (row.line_count === null) return null;
    return wholeLines(await readHead(archive, row, bytes), row.size > bytes);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}

/** Without the line, or else the character, that a cut went through. */
export function wholeLines(text: string, isCut: boolean): string {
  if (!isCut) return text;
  const end = text.lastIndexOf("\n");
  return end > text.length / 2 ? text.slice(0, end + 1) : text.replace(/\uFFFD{1,3}$/, "");
}

export type StoredLine = { readonly line: number; readonly text: string };

/** The first line that has one of the words; null when none has. */
export function lineWith(text: string, words: readonly string[]): StoredLine | null {
  const lower = text.toLowerCase();
  const offsets = words.map((word) => lower.indexOf(word.toLowerCase())).filter((at) => at >= 0);
  if (offsets.length === 0) return null;
  const at = Math.min(...offsets);
  const from = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  let line = 1;
  for (let next = text.indexOf("\n"); next >= 0 && next < from; next = text.indexOf("\n", next + 1)) line++;
  return { line, text: text.slice(from, end < 0 ? text.length : end) };
}
