// The whole text of an event whose output is kept as an artifact; where that is gone or damaged, what the event itself has.
import { isAppError } from "#lib/kernel/errors.ts";
import type { Archive } from "./archive.ts";
import { readText } from "./show-artifact.ts";

/** The text, or null when it cannot be had any more: the artifact was deleted or expired, or its bytes are damaged. */
export async function wholeText(archive: Archive, pointer: string): Promise<string | null> {
  try {
    return await readText(archive, pointer);
  } catch (error) {
    if (isAppError(error)) return null;
    throw error;
  }
}
