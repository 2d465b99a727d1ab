// The whole text of an event whose output is kept as an artifact; where that is gone or damaged, what the event itself has.
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "../base/archive-type.ts";
import { readHead } from "./artifact-bytes.ts";
import { requireLive, resolveArtifact } from "./resolve.ts";

/** The whole text of an artifact; bytes that are not UTF-8 come as U+FFFD. */
export async function readText(archive: Archive, pointer: string): Promise<string> {
  const row = requireLive(archive, resolveArtifact(archive, pointer), pointer);
  return readHead(archive, row, row.size);
}

/** The text, or null when it cannot be had any more: the artifact was deleted or expired, or its bytes are damaged. */
export async function wholeText(archive: Archive, pointer: string): Promise<string | null> {
  try {
    return await readText(archive, pointer);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}
