// The name of the session that a file holds.
import { readBlocks, readDocument } from "#lib/sources/blocks.ts";
import { fingerprint } from "#lib/sources/fingerprint.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { isDocument, type Format, type SourceFile } from "#lib/kernel/draft.ts";
import type { FileOptions } from "./file-options.ts";

/** The session's name. Where the first bytes do not settle it, the file is asked before anything is written: as far as its format needs. */
export async function identify(
  handle: SourceHandle,
  format: Format,
  file: SourceFile,
  { final, signal }: FileOptions,
  giveWay: () => Promise<void>,
): Promise<string> {
  const state: unknown = format.start(file);
  const early = nameFrom(format, state);
  if (early !== null) return early;
  const blocks = isDocument(format, file)
    ? readDocument(handle, { signal })
    : readBlocks(handle, { from: 0, line: 1, final, signal });
  for await (const block of blocks) {
    const isNamed = block.records.some((record) => {
      format.parse(record, state);
      return format.isNamed?.(state) === true;
    });
    block.release?.();
    if (isNamed) break;
    await giveWay();
  }
  const { head } = await fingerprint(handle, handle.size);
  return nameFrom(format, state) ?? `${format.id}:file-${head.slice(0, 16)}`;
}

export function nameFrom(format: Format, state: unknown): string | null {
  const name = format.identify(state);
  return name === null ? null : `${format.owner?.(state) ?? format.id}:${name}`;
}
