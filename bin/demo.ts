// The demo's session files, written into the archive's own folder.
import { fail } from "#lib/kernel/errors.ts";

export async function writeDemo(_dir: string): Promise<string[]> {
  return fail("unsupported", "The demo is not built yet.");
}
