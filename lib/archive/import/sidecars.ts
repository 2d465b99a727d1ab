// Small files beside a source that say what its records do not.
import type { Format } from "#lib/kernel/draft.ts";
import { LIMITS } from "#lib/kernel/limits.ts";
import { isBundled } from "../base/bundle-path.ts";
import { readLinesWith, readSmall } from "#lib/sources/source-handle.ts";
import type { FoundFile } from "./beside-files.ts";
import type { FileOptions } from "./file-options.ts";

/** The small files beside a source that its format asks for, by path. */
export async function readSidecars(
  format: Format,
  path: string,
  roots: readonly string[],
  onFound: (file: FoundFile) => void = () => undefined,
  /** Reads them, where the source is an entry of an archive. */
  inArchive?: FileOptions["beside"],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  if (isBundled(path)) return found;
  for (const beside of format.sidecars?.(path) ?? []) {
    const file = inArchive ? inArchive(beside) : await readSmall(beside, roots, LIMITS.sidecarBytes);
    const text = file === null && !inArchive ? (format.sidecarLines?.(beside) ?? null) : null;
    // Only what is whole is kept: what was read of a large one is in the parser's state.
    const lines = text === null ? null : await readLinesWith(beside, roots, text, LIMITS.sidecarBytes);
    if (lines !== null) found.set(beside, new TextDecoder().decode(lines));
    if (file === null) continue;
    found.set(beside, new TextDecoder().decode(file.bytes));
    if (format.ownsSidecars === true) onFound({ path: beside, ...file });
  }
  return found;
}
