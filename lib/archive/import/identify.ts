// The name of the session that a file holds.
import { readBlocks, recordOf, wholeDocument } from "#lib/sources/blocks.ts";
import { fingerprint } from "#lib/sources/fingerprint.ts";
import type { SourceHandle } from "#lib/sources/source-handle.ts";
import { isDocument, type Draft, type Format, type SourceFile, type SourceRecord } from "#lib/kernel/draft.ts";
import type { FileOptions } from "./file-options.ts";

/** A document that was read for its name: what it said, and the parser's state then. It is not read again. */
export type ReadDocument = {
  readonly bytes: Uint8Array;
  readonly read: { readonly state: unknown; readonly drafts: readonly Draft[] } | null;
};
export type Identified = { readonly name: string; readonly document: ReadDocument | null };

/** The session's name. Where the first bytes do not settle it, the file is asked before anything is written: as far as its format needs. */
export async function identify(
  handle: SourceHandle,
  format: Format,
  file: SourceFile,
  { final, signal }: FileOptions,
  giveWay: () => Promise<void>,
): Promise<Identified> {
  const state: unknown = format.start(file);
  const early = nameFrom(format, state);
  if (early !== null) return { name: early, document: null };
  let document: ReadDocument | null = null;
  if (isDocument(format, file)) {
    const bytes = await wholeDocument(handle, { signal });
    const record = recordOf(bytes);
    document = { bytes, read: record === null ? null : readForName(format, record, state) };
    await giveWay();
  } else
    for await (const block of readBlocks(handle, { from: 0, line: 1, final, signal })) {
      const isNamed = block.records.some((record) => {
        format.parse(record, state);
        return format.isNamed?.(state) === true;
      });
      block.release?.();
      if (isNamed) break;
      await giveWay();
    }
  const { head } = await fingerprint(handle, handle.size);
  return { name: nameFrom(format, state) ?? `${format.id}:file-${head.slice(0, 16)}`, document };
}

/** As far as the name needs; what was read to its end. */
function readForName(format: Format, record: SourceRecord, state: unknown): ReadDocument["read"] {
  if (format.pieces === undefined) return { drafts: format.parse(record, state), state };
  for (const _ of format.pieces(record, state)) if (format.isNamed?.(state) === true) break;
  return null;
}

export function nameFrom(format: Format, state: unknown): string | null {
  const name = format.identify(state);
  return name === null ? null : `${format.owner?.(state) ?? format.id}:${name}`;
}
